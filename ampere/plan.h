// Host side of the Ampere backend: the functions of its rows, and the parameters of a launch.
#pragma once

#include "ampere/params.h"
#include "common/dispatch/kernel.h"

namespace gemm::ampere {

// The functions all tiled rows share. The image's code carries griddepcontrol only for 9.0. kPersistentFamily is of the rows whose CTAs
// compute several tiles: MakeGrid launches no more CTAs than Device::sm_count holds at a time.
extern const dispatch::KernelFamily kFamily;
extern const dispatch::KernelFamily kPersistentFamily;

// Everything but the addresses and host scalars. Only for what the family's reject accepts.
Params MakeParams(const dispatch::KernelRow& row, const problem::Normalized& problem,
                  const dispatch::Device& device);

// CTAs to launch for `params`, one per tile and part of K, or one per whole tile: numbered along grid[0], then grid[1]; the last ones may find no
// tile. Where CTAs compute several tiles, as many as run at a time.
struct Grid {
  unsigned x;
  unsigned y;
};
Grid MakeGrid(const dispatch::KernelRow& row, const Params& params, const dispatch::Device& device);

}  // namespace gemm::ampere
