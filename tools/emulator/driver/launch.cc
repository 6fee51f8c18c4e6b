#include "tools/emulator/driver/launch.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "tools/emulator/driver/report.h"

namespace emu::driver {
namespace {

constexpr std::uint32_t kMostClusterNonPortable = 16;

bool Unset(const Dim3& dims) { return dims.x == 0 && dims.y == 0 && dims.z == 0; }

// Says why, for who asks emulator_last_report or keeps a file: the API has only the number.
template <class... Values>
CUresult Refuse(CUresult result, const Program& program, fmt::format_string<Values...> why,
                Values&&... values) {
  Record(fmt::format("emulator: a launch of {} is refused: {}\n", program.name,
                     fmt::format(why, std::forward<Values>(values)...)));
  return result;
}

std::string Text(const Dim3& dims) { return fmt::format("({}, {}, {})", dims.x, dims.y, dims.z); }

CUresult CheckGrid(const LaunchArguments& arguments, const Program& program, const DeviceLimits& limits) {
  const Dim3& blocks = arguments.blocks;
  const Dim3& threads = arguments.threads;
  if (blocks.count() == 0 || blocks.x > 0x7fffffff || blocks.y > 65535 || blocks.z > 65535) {
    return Refuse(CUDA_ERROR_INVALID_VALUE, program,
                  "its grid is {}; 1 to 2147483647, 65535 and 65535 are allowed", Text(blocks));
  }
  const std::uint32_t most = limits.max_threads_per_block;
  if (threads.count() == 0 || threads.x > most || threads.y > most || threads.z > 64 ||
      threads.count() > most) {
    return Refuse(CUDA_ERROR_INVALID_VALUE, program,
                  "its blocks are {}; 1 to {}, {} and 64 are allowed, and {} threads in all", Text(threads),
                  most, most, most);
  }
  const Dim3& required = program.required_threads;
  if (!Unset(required) && (threads.x != required.x || threads.y != required.y || threads.z != required.z)) {
    return Refuse(CUDA_ERROR_INVALID_VALUE, program, "its blocks are {}; .reqntid says {}", Text(threads),
                  Text(required));
  }
  const int bound = MaxThreadsOf(program, limits);
  if (threads.count() > static_cast<std::uint64_t>(bound)) {
    return Refuse(CUDA_ERROR_INVALID_VALUE, program, "its blocks have {} threads; .maxntid allows {}",
                  threads.count(), bound);
  }
  // Only what the PTX fixes is held against a launch: other numbers of registers are estimates.
  const std::uint64_t warps = (threads.count() + kWarpSize - 1) / kWarpSize;
  const std::uint64_t registers = warps * kWarpSize * program.max_registers;
  if (registers > limits.registers_per_sm) {
    return Refuse(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, program, "its blocks need {} registers; there are {}",
                  registers, limits.registers_per_sm);
  }
  return CUDA_SUCCESS;
}

CUresult CheckShared(const LaunchArguments& arguments, const Function& function) {
  const std::uint32_t most = DynamicSharedLimit(function);
  if (arguments.dynamic_shared <= most) return CUDA_SUCCESS;
  return Refuse(CUDA_ERROR_INVALID_VALUE, *function.program,
                "it asks for {} bytes of dynamic shared memory; {} are allowed, and more by "
                "CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES",
                arguments.dynamic_shared, most);
}

CUresult CheckClusterSize(const LaunchArguments& arguments, const Dim3& cluster, const Program& program,
                          const KernelSettings& settings, const DeviceLimits& limits) {
  if (cluster.count() == 0)
    return Refuse(CUDA_ERROR_INVALID_VALUE, program, "its clusters are {}", Text(cluster));
  if (limits.compute_major < 9 && cluster.count() > 1)
    return Refuse(CUDA_ERROR_NOT_SUPPORTED, program, "clusters need compute capability 9");
  std::uint64_t most = settings.non_portable_cluster != 0 && limits.compute_major == 9 ? kMostClusterNonPortable
                                                                                       : limits.max_cluster;
  if (program.max_cluster != 0) most = std::min<std::uint64_t>(most, program.max_cluster);
  if (cluster.count() > std::max<std::uint64_t>(most, 1)) {
    return Refuse(CUDA_ERROR_INVALID_CLUSTER_SIZE, program, "its clusters have {} blocks; {} are allowed",
                  cluster.count(), most);
  }
  const Dim3& blocks = arguments.blocks;
  if (blocks.x % cluster.x != 0 || blocks.y % cluster.y != 0 || blocks.z % cluster.z != 0) {
    return Refuse(CUDA_ERROR_INVALID_VALUE, program, "its grid {} is no multiple of its clusters {}",
                  Text(blocks), Text(cluster));
  }
  return CUDA_SUCCESS;
}

CUresult CheckCluster(const LaunchArguments& arguments, const Function& function, const DeviceLimits& limits,
                      Dim3* cluster) {
  const Program& program = *function.program;
  const Dim3 asked = ClusterOf(arguments.attributes, arguments.attribute_count);
  const KernelSettings& settings = const_cast<Function&>(function).settings();
  Dim3 required = program.required_cluster;
  if (Unset(required)) {
    required = {static_cast<std::uint32_t>(settings.required_cluster[0]),
                static_cast<std::uint32_t>(settings.required_cluster[1]),
                static_cast<std::uint32_t>(settings.required_cluster[2])};
  }
  const bool must_ask = settings.must_set_cluster != 0 || program.explicit_cluster;
  if (must_ask && Unset(asked) && Unset(required)) {
    return Refuse(CUDA_ERROR_INVALID_CLUSTER_SIZE, program, "it says nothing of clusters, as it must");
  }
  if (!Unset(asked) && !Unset(required) &&
      (asked.x != required.x || asked.y != required.y || asked.z != required.z)) {
    return Refuse(CUDA_ERROR_INVALID_CLUSTER_SIZE, program, "its clusters are {}; the kernel requires {}",
                  Text(asked), Text(required));
  }
  *cluster = Unset(asked) ? required : asked;
  if (Unset(*cluster)) {
    *cluster = {1, 1, 1};
    return CUDA_SUCCESS;
  }
  return CheckClusterSize(arguments, *cluster, program, settings, limits);
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
  if (result == CUDA_SUCCESS) result = CheckShared(arguments, *function);
  if (result == CUDA_SUCCESS) result = CheckCluster(arguments, *function, limits, &request.cluster);
  if (result == CUDA_SUCCESS) result = CopyParameters(arguments, *function->program, &request.params);
  if (result != CUDA_SUCCESS) return result;
  const int per_sm =
      BlocksPerSm(*function->program, limits, static_cast<std::uint32_t>(arguments.threads.count()),
                  arguments.dynamic_shared);
  if (per_sm == 0) {
    return Refuse(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, *function->program, "a block does not fit on an SM");
  }
  const std::uint64_t together = static_cast<std::uint64_t>(per_sm) * limits.sms;
  if (wishes.cooperative && arguments.blocks.count() > together) {
    return Refuse(CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE, *function->program,
                  "{} blocks are to cooperate; {} fit on the device together", arguments.blocks.count(),
                  together);
  }
  request.program = function->program;
  request.blocks = arguments.blocks;
  request.threads = arguments.threads;
  request.dynamic_shared = arguments.dynamic_shared;
  request.programmatic = wishes.programmatic;
  request.cooperative = wishes.cooperative;
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
