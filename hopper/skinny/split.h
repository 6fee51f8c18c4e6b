// How a problem is cut for a skinny kernel: which operand is the wide one, how many rows of it a tile has, how many
// CTAs share a tile's K or the narrow operand, and what it will take. Pure functions of the row, the problem and
// the device.
#pragma once

#include <cstdint>

#include "common/dispatch/kernel.h"

namespace gemm::hopper::skinny {

// What the CTAs of a cluster do together.
struct Team {
  int split = 1;  // CTAs that share the K of a tile
  int share = 1;  // neighbouring tiles whose CTAs share the narrow operand
  int size() const { return split * share; }
};

struct Split {
  Team team;
  bool wide_is_b = true;
  std::int64_t wide_rows = 0;
  std::int64_t narrow_rows = 0;
  std::int64_t k_steps = 0;
  std::int64_t wide_box = 0;      // wide rows of a tile
  std::int64_t narrow_box = 0;    // narrow rows that one CTA loads for those that share them
  std::int64_t loaders = 1;       // CTAs of each team.share that load such a box
  std::int64_t tiles_narrow = 0;  // of one matrix
  std::int64_t groups_wide = 0;   // of team.share tiles along the wide operand, of one matrix
  std::int64_t groups = 0;        // of the whole batch; INT64_MAX where that overflows
  std::int64_t clusters = 1;      // of the persistent grid
  int step_groups = 1;            // consumers of a CTA that take K steps by turns
  double microseconds = 0;        // predicted, launch included
};

// The fastest by prediction.
Split ChooseSplit(const dispatch::KernelRow& row, const problem::Normalized& problem,
                  const dispatch::Device& device);

// The same with the team given. Its tiles have as many rows as make all SMs busy for as many rounds as the widest tiles
// take.
Split SplitBy(Team team, const dispatch::KernelRow& row, const problem::Normalized& problem,
              const dispatch::Device& device);

// Whether the kernel can run it: enough K steps, tiles and narrow rows for every CTA.
bool CanSplitBy(Team team, const dispatch::KernelRow& row, const problem::Normalized& problem,
                const dispatch::Device& device);

// Clusters of `cluster` CTAs that are resident together, one CTA on each SM. An estimate: which SMs a chip
// lacks differs from one to the next, and the choice must not.
int ResidentClusters(int cluster, const dispatch::Device& device);

}  // namespace gemm::hopper::skinny
