// Launches are checked and recorded. Nothing runs.
#include <algorithm>
#include <cstdio>
#include <cstring>

#include "tests/fake_driver/libcuda/functions.h"
#include "tests/fake_driver/libcuda/state.h"

namespace gemm::fake {
namespace {

// cuLaunchKernelEx takes a CUfunction or a CUkernel.
Kernel* KernelOf(const State& state, CUfunction handle, const Context* context, CUresult* error) {
  *error = CUDA_ERROR_INVALID_HANDLE;
  for (const auto& [key, function] : state.functions) {
    if (reinterpret_cast<CUfunction>(function) != handle) continue;
    if (key.second != context) *error = CUDA_ERROR_INVALID_CONTEXT;
    return key.second == context ? key.first : nullptr;
  }
  for (const auto& [key, kernel] : state.kernels) {
    if (reinterpret_cast<CUfunction>(kernel) == handle) return kernel;
  }
  return nullptr;
}

CUresult ReadAttributes(const CUlaunchConfig& config, Launch* launch) {
  for (unsigned i = 0; i < config.numAttrs; ++i) {
    const CUlaunchAttribute& attribute = config.attrs[i];
    switch (attribute.id) {
      case CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION:
        launch->cluster[0] = attribute.value.clusterDim.x;
        launch->cluster[1] = attribute.value.clusterDim.y;
        launch->cluster[2] = attribute.value.clusterDim.z;
        break;
      case CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION:
        launch->programmatic = attribute.value.programmaticStreamSerializationAllowed;
        break;
      default:
        return CUDA_ERROR_NOT_SUPPORTED;
    }
  }
  return CUDA_SUCCESS;
}

CUresult CheckCluster(const Launch& launch, const Profile& profile) {
  const unsigned* cluster = launch.cluster;
  if (cluster[0] == 0 && cluster[1] == 0 && cluster[2] == 0) return CUDA_SUCCESS;
  if (profile.major < 9) return CUDA_ERROR_NOT_SUPPORTED;
  for (int d = 0; d < 3; ++d) {
    if (cluster[d] == 0 || launch.grid[d] % cluster[d] != 0) return CUDA_ERROR_INVALID_VALUE;
  }
  // 8 is the most that needs no permission by a kernel attribute.
  return cluster[0] * cluster[1] * cluster[2] <= 8 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult CheckShape(const Launch& launch, const Kernel& kernel, int device) {
  for (int d = 0; d < 3; ++d) {
    if (launch.grid[d] == 0 || launch.block[d] == 0) return CUDA_ERROR_INVALID_VALUE;
    if (launch.grid[d] > (d == 0 ? 0x7FFFFFFFu : 0xFFFFu)) return CUDA_ERROR_INVALID_VALUE;
  }
  if (std::size_t{launch.block[0]} * launch.block[1] * launch.block[2] > 1024) return CUDA_ERROR_INVALID_VALUE;
  const auto limit = kernel.shared_limit.find(device);
  const int shared = limit == kernel.shared_limit.end() ? 48 * 1024 : std::max(limit->second, 48 * 1024);
  return launch.shared_bytes <= static_cast<unsigned>(shared) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

}  // namespace

CUresult LaunchKernelEx(const CUlaunchConfig* config, CUfunction handle, void** params, void** extra) {
  GEMM_FAKE_ENTER("cuLaunchKernelEx");
  GEMM_FAKE_CONTEXT();
  if (config == nullptr || extra != nullptr) return CUDA_ERROR_INVALID_VALUE;
  CUresult error = CUDA_SUCCESS;
  Kernel* kernel = KernelOf(state, handle, context, &error);
  if (kernel == nullptr) return error;
  auto* stream = reinterpret_cast<Stream*>(config->hStream);
  if (stream != nullptr && state.streams.count(stream) == 0) return CUDA_ERROR_INVALID_HANDLE;

  Launch launch = {};
  std::snprintf(launch.kernel, sizeof(launch.kernel), "%s", kernel->symbol.c_str());
  launch.code = kernel->library->code;
  launch.code_bytes = kernel->library->size;
  launch.is_ptx = kernel->library->is_ptx;
  launch.device = context->device;
  launch.context = context;
  const unsigned grid[3] = {config->gridDimX, config->gridDimY, config->gridDimZ};
  const unsigned block[3] = {config->blockDimX, config->blockDimY, config->blockDimZ};
  std::copy(grid, grid + 3, launch.grid);
  std::copy(block, block + 3, launch.block);
  launch.shared_bytes = config->sharedMemBytes;
  launch.stream = stream;
  launch.captured = stream != nullptr && stream->capture != nullptr;
  if (CUresult result = ReadAttributes(*config, &launch); result != CUDA_SUCCESS) return result;
  if (CUresult result = CheckShape(launch, *kernel, context->device); result != CUDA_SUCCESS) return result;
  if (CUresult result = CheckCluster(launch, *state.devices[context->device].profile); result != CUDA_SUCCESS) {
    return result;
  }
  // Loading is what drivers before 12.3 do not allow during capture.
  if (launch.captured && context->loaded.count(kernel) == 0) return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  context->loaded.insert(kernel);
  if (launch.captured) stream->capture->Add(CU_GRAPH_NODE_TYPE_KERNEL, launch.programmatic != 0);
  state.launches.push_back(launch);
  if (state.observer != nullptr) state.observer(state.launches.back(), params, state.observer_user);
  return CUDA_SUCCESS;
}

CUresult OccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, CUfunction handle, int threads,
                                                   std::size_t shared) {
  GEMM_FAKE_ENTER("cuOccupancyMaxActiveBlocksPerMultiprocessor");
  GEMM_FAKE_CONTEXT();
  CUresult error = CUDA_SUCCESS;
  if (KernelOf(state, handle, context, &error) == nullptr) return error;
  if (threads <= 0) return CUDA_ERROR_INVALID_VALUE;
  const Profile& profile = *state.devices[context->device].profile;
  // 1 KiB of shared memory per block is the system's.
  const std::size_t by_shared = static_cast<std::size_t>(profile.shared_per_sm_bytes) / (shared + 1024);
  *blocks = std::min(profile.threads_per_sm / threads, static_cast<int>(by_shared));
  return CUDA_SUCCESS;
}

CUresult OccupancyMaxActiveClusters(int* clusters, CUfunction handle, const CUlaunchConfig* config) {
  GEMM_FAKE_ENTER("cuOccupancyMaxActiveClusters");
  GEMM_FAKE_CONTEXT();
  CUresult error = CUDA_SUCCESS;
  if (KernelOf(state, handle, context, &error) == nullptr) return error;
  Launch launch = {};
  if (CUresult result = ReadAttributes(*config, &launch); result != CUDA_SUCCESS) return result;
  const unsigned size = launch.cluster[0] * launch.cluster[1] * launch.cluster[2];
  if (size == 0) return CUDA_ERROR_INVALID_VALUE;
  *clusters = state.devices[context->device].profile->sm_count / static_cast<int>(size);
  return CUDA_SUCCESS;
}

}  // namespace gemm::fake
