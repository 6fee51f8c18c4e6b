// Parallel split K's second launch.
#pragma once

#include <memory>

#include "common/base/status.h"
#include "common/dispatch/kernel.h"
#include "common/problem/problem.h"
#include "hopper/add_parts.h"
#include "hopper/raster.h"

namespace gemm::hopper {

// The partial tiles of the row's kernel, but for their address.
PartialTiles PartialTilesOf(const dispatch::KernelRow& row, const Raster& raster, unsigned parts);

// Whether two columns of C and D from an even one on can be read and written at once. Both have their columns side by side.
bool InPairs(const problem::Normalized& problem);

// Puts the kernel that adds up the parts of K (add_parts.cu) behind `*launcher`, that of the row's kernel, which leaves them in workspace.
// `computed` is the problem as that kernel sees it. On an error *launcher is no launcher to run.
Status AddPartsAfter(const dispatch::KernelRow& row, const problem::Normalized& computed, const Raster& raster,
                     unsigned parts, std::unique_ptr<const dispatch::Launcher>* launcher);

}  // namespace gemm::hopper
