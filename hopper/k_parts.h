// How the rows that split K cut a product's K among CTAs, and the workspace that this takes. `computed` is AsComputed's problem, `raster`
// that of both.
#pragma once

#include <cstddef>
#include <cstdint>

#include "common/dispatch/kernel.h"
#include "common/problem/problem.h"
#include "hopper/raster.h"
#include "hopper/stream_k.h"

namespace gemm::hopper {

StreamK StreamKOf(const dispatch::KernelRow& row, const problem::Normalized& computed, const Raster& raster,
                  const dispatch::Device& device);

// Of split K and of parallel split K: the parts of K; 0 where the row cannot split it.
std::int64_t SplitKPartsOf(const dispatch::KernelRow& row, const problem::Normalized& computed,
                           const Raster& raster, const dispatch::Device& device);
std::int64_t ParallelPartsOf(const dispatch::KernelRow& row, const problem::Normalized& computed,
                             const Raster& raster, const dispatch::Device& device);

// Of a CTA's sums in workspace, which lie side by side; stream-K's flags lie behind them.
std::size_t PartialBytes(const dispatch::KernelRow& row);

// KernelFamily::workspace_bytes of the rows of kernels.inc.
std::size_t WorkspaceBytes(const dispatch::KernelRow& row, const problem::Normalized& problem,
                           const dispatch::Device& device);

}  // namespace gemm::hopper
