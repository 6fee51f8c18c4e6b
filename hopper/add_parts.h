// What the host gives the kernel that adds up the parts of K (add_parts.cu). Shared by host and device code: plain types only.
#pragma once

#include "common/device/scalars.cuh"
#include "hopper/bands.h"
#include "hopper/clusters.h"
#include "hopper/divisor.h"

namespace gemm::hopper {

inline constexpr int kAddPartsThreads = 64;  // of a CTA, which adds up 32 rows of 8 columns

// The grid: along x the tile's columns in eights, along y its rows in 32s, along z the CTAs of the product's kernel that have the first part
// of a tile.
struct AddPartsParams {
  const void* partials;  // in workspace; partials.cuh says how a CTA's tile lies there
  unsigned parts;        // at least 2
  unsigned ctas;         // that have the same part, of all tiles
  unsigned tile_m;       // of a CTA, a multiple of 64
  unsigned tile_n;       // a multiple of 8
  ClusterShape cluster;
  // As in Params.
  unsigned bands_across_n;
  Divisor per_matrix;
  Bands bands;
  int m;  // rows and columns as the product's kernel has them: it may compute D's transpose
  int n;
  device::Scalars scalars;
  int output_type;
  int in_pairs;  // 1: columns of D and C lie side by side, and two from an even one on can be read and written at once
  const void* c_address;
  void* d_address;
  long long c_row_stride;  // elements, between the kernel's rows
  long long c_column_stride;
  long long c_batch_stride;
  long long d_row_stride;
  long long d_column_stride;
  long long d_batch_stride;
};

}  // namespace gemm::hopper
