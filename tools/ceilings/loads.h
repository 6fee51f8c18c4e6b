// The loads that ceilings are measured with.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "common/dispatch/device.h"
#include "gemm/status.h"
#include "tools/gpu/gpu.h"

namespace gemm::ceilings {

struct Load {
  std::string name;          // "memory_read"
  std::string unit;          // "TFLOP/s" or "GB/s"
  std::string what;          // in words
  Status possible;           // why the device cannot run it
  double work_per_turn = 0;  // 10^12 operations or 10^9 bytes
  // Grids that are tried; the best is measured. Blocks an SM.
  std::vector<int> blocks_per_sm = {1};
  // Launches so many turns of the kernel's loop.
  std::function<Status(unsigned turns, int blocks_per_sm, CUstream stream)> launch;
};

// Device memory that the loads stream through, filled with normal deviates.
struct Memory {
  gpu::DeviceBuffer buffer;
  gpu::DeviceBuffer sink;
  unsigned chunks = 0;  // even
};

// `bytes` of it; 0: 4 GiB, or a quarter of what is free.
Status CreateMemory(const dispatch::Device& device, int ordinal, double bytes, Memory* memory);

// All loads; `memory` must outlive them.
Status MakeLoads(const dispatch::Device& device, int ordinal, const Memory& memory, std::vector<Load>* loads);

}  // namespace gemm::ceilings
