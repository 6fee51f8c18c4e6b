// How many blocks fit (CUDA C++ Programming Guide, "Multiprocessor Level" and "Technical Specifications per Compute
// Capability"): registers go to warps by 256, shared memory to blocks by 128 bytes.
#include <algorithm>

#include "tools/emulator/driver/entry.h"
#include "tools/emulator/driver/launch.h"

namespace emu::driver {
namespace {

constexpr std::uint32_t kRegisterUnit = 256;
constexpr std::uint64_t kSharedUnit = 128;

std::uint64_t RoundUp(std::uint64_t value, std::uint64_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

std::uint64_t SharedOf(const Program& program, const DeviceLimits& limits, std::size_t dynamic) {
  return RoundUp(program.static_shared + dynamic, kSharedUnit) + limits.shared_reserved_per_block;
}

}  // namespace

int BlocksPerSm(const Program& program, const DeviceLimits& limits, std::uint32_t threads,
                std::size_t dynamic_shared) {
  const std::uint32_t warps = (threads + kWarpSize - 1) / kWarpSize;
  const auto registers = static_cast<std::uint32_t>(RegistersOf(program, limits));
  const auto per_warp = static_cast<std::uint32_t>(RoundUp(registers * kWarpSize, kRegisterUnit));
  std::uint64_t blocks = limits.max_blocks_per_sm;
  blocks = std::min<std::uint64_t>(blocks, limits.max_threads_per_sm / (warps * kWarpSize));
  blocks = std::min<std::uint64_t>(blocks, limits.registers_per_sm / per_warp / warps);
  blocks = std::min<std::uint64_t>(blocks, limits.shared_per_sm / SharedOf(program, limits, dynamic_shared));
  return static_cast<int>(blocks);
}

namespace {

template <class Body>
CUresult WithFunction(CUfunction handle, const void* out, Body&& body) {
  return InContext([&](Context& context) -> CUresult {
    Function* function = nullptr;
    if (out == nullptr) return CUDA_ERROR_INVALID_VALUE;
    const CUresult result = ResolveFunction(handle, context, &function);
    return result == CUDA_SUCCESS ? body(*function, context.device->profile->limits) : result;
  });
}

// The block size with the most threads on an SM, the largest of several.
CUresult BestBlock(int* grid, int* block, CUfunction handle, CUoccupancyB2DSize shared_of,
                   std::size_t dynamic_shared, int limit) {
  return WithFunction(handle, grid, [&](const Function& function, const DeviceLimits& limits) {
    if (block == nullptr || limit < 0) return CUDA_ERROR_INVALID_VALUE;
    int most = MaxThreadsOf(*function.program, limits);
    if (limit > 0) most = std::min(most, limit);
    int best = 0;
    *block = *grid = 0;
    for (int threads = most; threads > 0; threads = (threads - 1) / kWarpSize * kWarpSize) {
      const std::size_t shared = shared_of == nullptr ? dynamic_shared : shared_of(threads);
      const int blocks = BlocksPerSm(*function.program, limits, static_cast<std::uint32_t>(threads), shared);
      if (blocks * threads <= best) continue;
      best = blocks * threads;
      *block = threads;
      *grid = blocks * static_cast<int>(limits.sms);
    }
    return CUDA_SUCCESS;
  });
}

}  // namespace
}  // namespace emu::driver

using namespace emu;
using namespace emu::driver;

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, CUfunction handle, int threads,
                                                     std::size_t shared) {
  return WithFunction(handle, blocks, [&](const Function& function, const DeviceLimits& limits) {
    if (threads <= 0) return CUDA_ERROR_INVALID_VALUE;
    const bool too_many = threads > MaxThreadsOf(*function.program, limits);
    *blocks =
        too_many ? 0 : BlocksPerSm(*function.program, limits, static_cast<std::uint32_t>(threads), shared);
    return CUDA_SUCCESS;
  });
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, CUfunction function, int threads,
                                                              std::size_t shared, unsigned flags) {
  if (flags > CU_OCCUPANCY_DISABLE_CACHING_OVERRIDE) return CUDA_ERROR_INVALID_VALUE;
  return cuOccupancyMaxActiveBlocksPerMultiprocessor(blocks, function, threads, shared);
}

CUresult cuOccupancyMaxPotentialBlockSize(int* grid, int* block, CUfunction function,
                                          CUoccupancyB2DSize shared_of, std::size_t shared, int limit) {
  return BestBlock(grid, block, function, shared_of, shared, limit);
}

CUresult cuOccupancyMaxPotentialBlockSizeWithFlags(int* grid, int* block, CUfunction function,
                                                   CUoccupancyB2DSize shared_of, std::size_t shared, int limit,
                                                   unsigned) {
  return BestBlock(grid, block, function, shared_of, shared, limit);
}

CUresult cuOccupancyAvailableDynamicSMemPerBlock(std::size_t* bytes, CUfunction handle, int blocks,
                                                 int threads) {
  return WithFunction(handle, bytes, [&](const Function& function, const DeviceLimits& limits) {
    if (blocks <= 0 || threads <= 0) return CUDA_ERROR_INVALID_VALUE;
    if (BlocksPerSm(*function.program, limits, static_cast<std::uint32_t>(threads), 0) < blocks) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    const std::uint64_t each =
        limits.shared_per_sm / static_cast<std::uint32_t>(blocks) / kSharedUnit * kSharedUnit;
    const std::uint64_t taken =
        limits.shared_reserved_per_block + RoundUp(function.program->static_shared, kSharedUnit);
    const std::uint64_t left = each > taken ? each - taken : 0;
    const std::uint64_t most = limits.shared_per_block_optin - function.program->static_shared;
    *bytes = std::min(left, most);
    return CUDA_SUCCESS;
  });
}

// The chip's division into groups of SMs, which clusters do not cross, is not modelled: all SMs count.
CUresult cuOccupancyMaxActiveClusters(int* clusters, CUfunction handle, const CUlaunchConfig* config) {
  return WithFunction(handle, clusters, [&](const Function& function, const DeviceLimits& limits) {
    if (config == nullptr) return CUDA_ERROR_INVALID_VALUE;
    Dim3 cluster = ClusterOf(config->attrs, config->numAttrs);
    if (cluster.count() == 0) cluster = function.program->required_cluster;
    const std::uint64_t threads = std::uint64_t{config->blockDimX} * config->blockDimY * config->blockDimZ;
    if (cluster.count() == 0 || threads == 0 || threads > limits.max_threads_per_block)
      return CUDA_ERROR_INVALID_VALUE;
    if (limits.compute_major < 9) return CUDA_ERROR_NOT_SUPPORTED;
    const int blocks =
        BlocksPerSm(*function.program, limits, static_cast<std::uint32_t>(threads), config->sharedMemBytes);
    *clusters = static_cast<int>(static_cast<std::uint64_t>(blocks) * limits.sms / cluster.count());
    return CUDA_SUCCESS;
  });
}

CUresult cuOccupancyMaxPotentialClusterSize(int* size, CUfunction handle, const CUlaunchConfig* config) {
  return WithFunction(handle, size, [&](Function& function, const DeviceLimits& limits) {
    if (config == nullptr) return CUDA_ERROR_INVALID_VALUE;
    if (limits.compute_major < 9) return CUDA_ERROR_NOT_SUPPORTED;
    *size = function.settings().non_portable_cluster != 0 && limits.compute_major == 9
                ? 16
                : static_cast<int>(limits.max_cluster);
    return CUDA_SUCCESS;
  });
}
