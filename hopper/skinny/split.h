// How a problem is cut for a skinny kernel: which operand is the wide one, how many CTAs share a tile's K,
// how many clusters there are, and what it will take. A pure function of the row, the problem and the device.
#pragma once

#include <cstdint>

#include "common/dispatch/kernel.h"

namespace gemm::hopper::skinny {

struct Split {
  bool wide_is_b = true;
  std::int64_t wide_rows = 0;
  std::int64_t narrow_rows = 0;
  std::int64_t k_steps = 0;
  std::int64_t tiles_wide = 0;
  std::int64_t tiles_narrow = 0;
  std::int64_t tiles = 0;     // of the whole batch; INT64_MAX where that overflows
  int cluster = 1;            // CTAs that share a tile's K
  std::int64_t clusters = 1;  // of the persistent grid
  double microseconds = 0;    // predicted, launch included
};

Split ChooseSplit(const dispatch::KernelRow& row, const problem::Normalized& problem,
                  const dispatch::Device& device);

// The same with the number of CTAs given.
Split SplitBy(int cluster, const dispatch::KernelRow& row, const problem::Normalized& problem,
              const dispatch::Device& device);

// Whether the kernel can run it: enough K steps and rows for every CTA, and room in the slots.
bool CanSplitBy(int cluster, const dispatch::KernelRow& row, const problem::Normalized& problem);

// Clusters of `cluster` CTAs that are resident together, one CTA on each SM. An estimate: which SMs a chip
// lacks differs from one to the next, and the choice must not.
int ResidentClusters(int cluster, const dispatch::Device& device);

}  // namespace gemm::hopper::skinny
