// How much of a product the busiest SM gets.
#pragma once

#include "common/dispatch/kernel.h"
#include "common/problem/problem.h"
#include "hopper/raster.h"

namespace gemm::hopper {

struct Share {
  double rounds = 1;             // tiles, one after the other
  double steps = 1;              // K steps of all of them
  double at_once = 1;            // CTAs at work in a round
  double in_last_round = 1;      // the same of the last round
  double parts = 1;              // of the tile that is split most
  bool even = true;              // all clusters are at the same part of K together
  bool scatters = false;         // StreamK::scatters
  bool hides_hand_over = false;  // StreamK::finisher_more is not 0
  // Where they are not, of stream-K (stream_k.h): the part of the tiles whose K is shared, and by how many K steps clusters
  // with neighbouring tiles are apart.
  double shared = 0;
  double apart = 0;
};

// Of a tiled row; `computed` is AsComputed's problem, `raster` that of both.
Share ShareOf(const dispatch::KernelRow& row, const problem::Normalized& computed, const Raster& raster,
              const dispatch::Device& device);

}  // namespace gemm::hopper
