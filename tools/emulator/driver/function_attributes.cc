// What a kernel needs, as the driver tells it. A JIT compiler would say how many registers it used; here it is an estimate from
// the PTX, within what the launch bounds allow.
#include <algorithm>

#include "tools/emulator/driver/launch.h"

namespace emu::driver {
namespace {

constexpr int kMostRegisters = 255;
// Registers that ptxas commonly needs beyond the values that are alive, for addresses and the like.
constexpr int kOverhead = 8;

int RoundDown(int value, int multiple) { return value / multiple * multiple; }

}  // namespace

int MaxThreadsOf(const Program& program, const DeviceLimits& limits) {
  std::uint64_t most = limits.max_threads_per_block;
  for (const Dim3& bound : {program.max_threads, program.required_threads}) {
    if (bound.count() > 0) most = std::min(most, bound.count());
  }
  return static_cast<int>(most);
}

int RegistersOf(const Program& program, const DeviceLimits& limits) {
  if (program.max_registers > 0) return static_cast<int>(program.max_registers);
  // Without launch bounds, what a block of the most threads can have: then the launch limit needs no estimate.
  const int threads = MaxThreadsOf(program, limits) * static_cast<int>(std::max(1u, program.min_ctas));
  const int bound = std::min(kMostRegisters, RoundDown(static_cast<int>(limits.registers_per_sm) / threads, 8));
  const int estimate = static_cast<int>(program.file_bytes / (kWarpSize * 4)) + kOverhead;
  return std::max(16, std::min(estimate, bound));
}

std::uint32_t DynamicSharedLimit(const Function& function) {
  const DeviceLimits& limits = function.module->context->device->profile->limits;
  const int set = const_cast<Function&>(function).settings().max_dynamic_shared;
  const std::uint32_t fixed = function.program->static_shared;
  const std::uint32_t without = fixed < limits.shared_per_block ? limits.shared_per_block - fixed : 0;
  return std::max(without, static_cast<std::uint32_t>(std::max(set, 0)));
}

CUresult GetFunctionAttribute(const Program& program, const KernelSettings& settings, const Code& code,
                              const Device& device, CUfunction_attribute attribute, int* value) {
  const DeviceLimits& limits = device.profile->limits;
  const auto required = [&](int dimension, std::uint32_t of_program) {
    return of_program != 0 ? static_cast<int>(of_program) : settings.required_cluster[dimension];
  };
  switch (attribute) {
    case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
      *value = MaxThreadsOf(program, limits);
      break;
    case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
      *value = static_cast<int>(program.static_shared);
      break;
    case CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES:
    case CU_FUNC_ATTRIBUTE_CACHE_MODE_CA:
      *value = 0;
      break;
    case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
      *value = static_cast<int>(program.local_bytes);
      break;
    case CU_FUNC_ATTRIBUTE_NUM_REGS:
      *value = RegistersOf(program, limits);
      break;
    case CU_FUNC_ATTRIBUTE_PTX_VERSION:
      *value = std::atoi(code.target.c_str() + 3);
      break;
    case CU_FUNC_ATTRIBUTE_BINARY_VERSION:
      // A JIT compiler makes code for the device it is for.
      *value = 10 * limits.compute_major + limits.compute_minor;
      break;
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
      *value = settings.max_dynamic_shared >= 0 ? settings.max_dynamic_shared
                                                : std::max(0, static_cast<int>(limits.shared_per_block) -
                                                                  static_cast<int>(program.static_shared));
      break;
    case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
      *value = settings.carveout;
      break;
    case CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET:
      *value = settings.must_set_cluster != 0 || program.explicit_cluster;
      break;
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH:
      *value = required(0, program.required_cluster.x);
      break;
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT:
      *value = required(1, program.required_cluster.y);
      break;
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH:
      *value = required(2, program.required_cluster.z);
      break;
    case CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED:
      *value = settings.non_portable_cluster;
      break;
    case CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
      *value = settings.cluster_policy;
      break;
    default:
      return CUDA_ERROR_INVALID_VALUE;
  }
  return CUDA_SUCCESS;
}

CUresult SetFunctionAttribute(KernelSettings& settings, std::uint32_t static_shared, const Device& device,
                              CUfunction_attribute attribute, int value) {
  const DeviceLimits& limits = device.profile->limits;
  switch (attribute) {
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
      if (value < 0 || static_cast<std::uint32_t>(value) + static_shared > limits.shared_per_block_optin) {
        return CUDA_ERROR_INVALID_VALUE;
      }
      settings.max_dynamic_shared = value;
      break;
    case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
      if (value < -1 || value > 100) return CUDA_ERROR_INVALID_VALUE;
      settings.carveout = value;
      break;
    case CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED:
      if (limits.compute_major < 9) return CUDA_ERROR_INVALID_VALUE;
      settings.non_portable_cluster = value != 0;
      break;
    case CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
      settings.cluster_policy = value;
      break;
    case CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET:
      settings.must_set_cluster = value != 0;
      break;
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH:
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT:
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH:
      if (value < 0 || limits.compute_major < 9) return CUDA_ERROR_INVALID_VALUE;
      settings.required_cluster[attribute - CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH] = value;
      break;
    default:
      return CUDA_ERROR_INVALID_VALUE;
  }
  return CUDA_SUCCESS;
}

}  // namespace emu::driver
