// The shared memory of a SIMT kernel: A's and B's panels as FP32, two of each in turn.
#pragma once

#include "common/simt/config.h"

namespace gemm::simt {

// kExtent (of M or N) x kTileK elements; element (i, k) lies at at[k][i] whatever the layout in global memory. Rows
// are padded by 16 bytes: 4 rows of K then lie 16 banks apart, and the transposing stores of 16 lanes x 2 groups of 4
// along K do not collide.
template <int kTileK, int kExtent>
struct SharedPanel {
  alignas(16) float at[kTileK][kExtent + 4];
};

template <typename Config>
struct Shared {
  SharedPanel<Config::kTileK, Config::kTileM> a[2];
  SharedPanel<Config::kTileK, Config::kTileN> b[2];
};

// An element of an operand's panel.
struct Place {
  int mn;
  int k;
};

}  // namespace gemm::simt
