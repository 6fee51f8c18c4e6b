// How a problem is cut for a skinny kernel: which operand is the wide one, how many rows of it a tile has, how many
// CTAs share a tile's K, and what it will take. Pure functions of the row, the problem and the device.
#pragma once

#include <cstdint>

#include "common/dispatch/kernel.h"

namespace gemm::hopper::skinny {

struct Split {
  bool wide_is_b = true;  // of two K-major operands whichever is predicted to be faster
  std::int64_t wide_rows = 0;
  std::int64_t narrow_rows = 0;
  std::int64_t k_steps = 0;
  std::int64_t wide_box = 0;  // wide rows of a tile
  std::int64_t narrow_box = 0;
  std::int64_t tiles_wide = 0;
  std::int64_t tiles_narrow = 0;
  std::int64_t tiles = 0;     // of the whole batch; INT64_MAX where that overflows
  int cluster = 1;            // CTAs that share a tile's K
  std::int64_t clusters = 1;  // of the persistent grid
  std::int64_t band = 1;      // narrow tiles across a band (hopper/bands.h)
  double microseconds = 0;    // predicted, launch included
};

// The fastest by prediction.
Split ChooseSplit(const dispatch::KernelRow& row, const problem::Normalized& problem,
                  const dispatch::Device& device);

// The same with the number of CTAs given. Its tiles have as few rows as keep the number of rounds that the widest tiles
// take, so that all SMs are busy.
Split SplitBy(int cluster, const dispatch::KernelRow& row, const problem::Normalized& problem,
              const dispatch::Device& device);

// By the row's `variant`, which is the number of CTAs; 0 leaves it to the prediction.
Split SplitOf(const dispatch::KernelRow& row, const problem::Normalized& problem,
              const dispatch::Device& device);

// Whether the kernel can run it: a power of two, and enough K steps for every CTA.
bool CanSplitBy(int cluster, const dispatch::KernelRow& row, const problem::Normalized& problem,
                const dispatch::Device& device);

}  // namespace gemm::hopper::skinny
