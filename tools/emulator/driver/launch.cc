#include "tools/emulator/driver/launch.h"

#include <algorithm>
#include <cstring>

namespace emu::driver {
namespace {

constexpr std::uint32_t kMostClusterNonPortable = 16;

bool Unset(const Dim3& dims) { return dims.x == 0 && dims.y == 0 && dims.z == 0; }

CUresult CheckGrid(const LaunchArguments& arguments, const Program& program, const DeviceLimits& limits) {
  const Dim3& blocks = arguments.blocks;
  const Dim3& threads = arguments.threads;
  if (blocks.count() == 0 || threads.count() == 0) return CUDA_ERROR_INVALID_VALUE;
  if (blocks.x > 0x7fffffff || blocks.y > 65535 || blocks.z > 65535) return CUDA_ERROR_INVALID_VALUE;
  const std::uint32_t most = limits.max_threads_per_block;
  if (threads.x > most || threads.y > most || threads.z > 64 || threads.count() > most)
    return CUDA_ERROR_INVALID_VALUE;
  const Dim3& required = program.required_threads;
  if (!Unset(required) && (threads.x != required.x || threads.y != required.y || threads.z != required.z)) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  if (threads.count() > static_cast<std::uint64_t>(MaxThreadsOf(program, limits)))
    return CUDA_ERROR_INVALID_VALUE;
  // Only what the PTX fixes is held against a launch: other numbers of registers are estimates.
  const std::uint64_t warps = (threads.count() + kWarpSize - 1) / kWarpSize;
  if (warps * kWarpSize * program.max_registers > limits.registers_per_sm)
    return CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES;
  return CUDA_SUCCESS;
}

CUresult CheckCluster(const LaunchArguments& arguments, const Function& function, const DeviceLimits& limits,
                      Dim3* cluster) {
  const Dim3 asked = ClusterOf(arguments.attributes, arguments.attribute_count);
  const KernelSettings& settings = const_cast<Function&>(function).settings();
  Dim3 required = function.program->required_cluster;
  if (Unset(required)) {
    required = {static_cast<std::uint32_t>(settings.required_cluster[0]),
                static_cast<std::uint32_t>(settings.required_cluster[1]),
                static_cast<std::uint32_t>(settings.required_cluster[2])};
  }
  const bool must_ask = settings.must_set_cluster != 0 || function.program->explicit_cluster;
  if (must_ask && Unset(asked) && Unset(required)) return CUDA_ERROR_INVALID_CLUSTER_SIZE;
  if (!Unset(asked) && !Unset(required) &&
      (asked.x != required.x || asked.y != required.y || asked.z != required.z)) {
    return CUDA_ERROR_INVALID_CLUSTER_SIZE;
  }
  *cluster = Unset(asked) ? required : asked;
  if (Unset(*cluster)) {
    *cluster = {1, 1, 1};
    return CUDA_SUCCESS;
  }
  if (cluster->count() == 0) return CUDA_ERROR_INVALID_VALUE;
  if (limits.compute_major < 9 && cluster->count() > 1) return CUDA_ERROR_NOT_SUPPORTED;
  const std::uint32_t most = settings.non_portable_cluster != 0 && limits.compute_major == 9
                                 ? kMostClusterNonPortable
                                 : limits.max_cluster;
  if (cluster->count() > most) return CUDA_ERROR_INVALID_CLUSTER_SIZE;
  const std::uint32_t bound = function.program->max_cluster;
  if (bound != 0 && cluster->count() > bound) return CUDA_ERROR_INVALID_CLUSTER_SIZE;
  const Dim3& blocks = arguments.blocks;
  if (blocks.x % cluster->x != 0 || blocks.y % cluster->y != 0 || blocks.z % cluster->z != 0) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  return CUDA_SUCCESS;
}

// Parameters come as pointers to each, or as one buffer that is laid out like them.
CUresult CopyParameters(const LaunchArguments& arguments, const Program& program,
                        std::vector<std::byte>* params) {
  params->assign(program.param_bytes, std::byte{0});
  if (program.params.empty()) return CUDA_SUCCESS;
  if (arguments.parameters != nullptr) {
    if (arguments.extra != nullptr) return CUDA_ERROR_INVALID_VALUE;
    for (std::size_t i = 0; i < program.params.size(); ++i) {
      if (arguments.parameters[i] == nullptr) return CUDA_ERROR_INVALID_VALUE;
      std::memcpy(params->data() + program.params[i].first, arguments.parameters[i], program.params[i].second);
    }
    return CUDA_SUCCESS;
  }
  if (arguments.extra == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const void* buffer = nullptr;
  const std::size_t* size = nullptr;
  for (void** at = arguments.extra; *at != CU_LAUNCH_PARAM_END; at += 2) {
    if (*at == CU_LAUNCH_PARAM_BUFFER_POINTER) {
      buffer = at[1];
    } else if (*at == CU_LAUNCH_PARAM_BUFFER_SIZE) {
      size = static_cast<const std::size_t*>(at[1]);
    } else {
      return CUDA_ERROR_INVALID_VALUE;
    }
  }
  const std::size_t needed = program.params.back().first + program.params.back().second;
  if (buffer == nullptr || size == nullptr || *size < needed) return CUDA_ERROR_INVALID_VALUE;
  std::memcpy(params->data(), buffer, std::min<std::size_t>(*size, params->size()));
  return CUDA_SUCCESS;
}

struct Wishes {
  bool cooperative = false, programmatic = false;
};

CUresult ReadAttributes(const LaunchArguments& arguments, const DeviceLimits& limits, Wishes* wishes) {
  wishes->cooperative = arguments.cooperative;
  for (unsigned i = 0; i < arguments.attribute_count; ++i) {
    const CUlaunchAttribute& attribute = arguments.attributes[i];
    switch (attribute.id) {
      case CU_LAUNCH_ATTRIBUTE_COOPERATIVE:
        wishes->cooperative = wishes->cooperative || attribute.value.cooperative != 0;
        break;
      case CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION:
        // Older devices run such launches one after the other.
        wishes->programmatic =
            attribute.value.programmaticStreamSerializationAllowed != 0 && limits.compute_major >= 9;
        break;
      case CU_LAUNCH_ATTRIBUTE_IGNORE:
      case CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW:
      case CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION:
      case CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
      case CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT:
      case CU_LAUNCH_ATTRIBUTE_PRIORITY:
      case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP:
      case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN:
      case CU_LAUNCH_ATTRIBUTE_PREFERRED_CLUSTER_DIMENSION:
      case CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT:
      case CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
      case CU_LAUNCH_ATTRIBUTE_NVLINK_UTIL_CENTRIC_SCHEDULING:
        break;
      default:
        return CUDA_ERROR_NOT_SUPPORTED;
    }
  }
  return CUDA_SUCCESS;
}

}  // namespace

Dim3 ClusterOf(const CUlaunchAttribute* attributes, unsigned count) {
  Dim3 cluster{0, 0, 0};
  for (unsigned i = 0; i < count; ++i) {
    if (attributes[i].id != CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION) continue;
    const auto& dims = attributes[i].value.clusterDim;
    cluster = {dims.x, dims.y, dims.z};
  }
  return cluster;
}

CUresult MakeCall(Context& context, const LaunchArguments& arguments, std::shared_ptr<const KernelCall>* out) {
  const DeviceLimits& limits = context.device->profile->limits;
  if (arguments.attribute_count > 0 && arguments.attributes == nullptr) return CUDA_ERROR_INVALID_VALUE;
  Function* function = nullptr;
  Wishes wishes;
  auto call = std::make_shared<KernelCall>();
  LaunchRequest& request = call->request;
  CUresult result = ResolveFunction(arguments.function, context, &function);
  if (result == CUDA_SUCCESS) result = ReadAttributes(arguments, limits, &wishes);
  if (result == CUDA_SUCCESS) result = CheckGrid(arguments, *function->program, limits);
  if (result == CUDA_SUCCESS && arguments.dynamic_shared > DynamicSharedLimit(*function))
    result = CUDA_ERROR_INVALID_VALUE;
  if (result == CUDA_SUCCESS) result = CheckCluster(arguments, *function, limits, &request.cluster);
  if (result == CUDA_SUCCESS) result = CopyParameters(arguments, *function->program, &request.params);
  if (result != CUDA_SUCCESS) return result;
  const int per_sm =
      BlocksPerSm(*function->program, limits, static_cast<std::uint32_t>(arguments.threads.count()),
                  arguments.dynamic_shared);
  if (per_sm == 0) return CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES;
  if (wishes.cooperative && arguments.blocks.count() > static_cast<std::uint64_t>(per_sm) * limits.sms) {
    return CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE;
  }
  request.program = function->program;
  request.blocks = arguments.blocks;
  request.threads = arguments.threads;
  request.dynamic_shared = arguments.dynamic_shared;
  request.programmatic = wishes.programmatic;
  call->function = arguments.function;
  call->context = &context;
  call->cooperative = wishes.cooperative;
  call->attributes.assign(arguments.attributes, arguments.attributes + arguments.attribute_count);
  for (const auto& [offset, bytes] : function->program->params)
    call->parameters.push_back(request.params.data() + offset);
  *out = std::move(call);
  return CUDA_SUCCESS;
}

}  // namespace emu::driver
