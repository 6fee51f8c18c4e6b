// What the host gives the kernel that adds up the parts of K (add_parts.cu). Shared by host and device code: plain types only.
#pragma once

#include "common/device/scalars.cuh"
#include "hopper/bands.h"
#include "hopper/clusters.h"
#include "hopper/divisor.h"

namespace gemm::hopper {

inline constexpr int kAddPartsThreads = 64;  // that add up 32 rows of 8 columns
inline constexpr int kAddPartsRows = 32;
inline constexpr int kAddPartsColumns = 8;

// Partial tiles in workspace; partials.cuh says how a CTA's lies there.
struct PartialTiles {
  const void* partials;
  unsigned parts;   // of K, at least 1
  unsigned ctas;    // that have the same part, of all tiles
  unsigned tile_m;  // of a CTA, a multiple of 64
  unsigned tile_n;  // a multiple of 8
};

// Where rows and columns of sums go, as the kernel that stores them counts both.
struct SumsOutput {
  int m;
  int n;
  int output_type;  // device::ElementType of C and D
  int in_pairs;  // 1: columns of D and C lie side by side, and two from an even one on can be read and written at once
  const void* c_address;
  void* d_address;
  long long c_row_stride;  // elements
  long long c_column_stride;
  long long c_batch_stride;
  long long d_row_stride;
  long long d_column_stride;
  long long d_batch_stride;
};

// The grid: along x the tile's columns in eights, along y its rows in 32s, along z the CTAs of the product's kernel that have the first part
// of a tile.
struct AddPartsParams {
  PartialTiles tiles;  // in at least 2 parts
  ClusterShape cluster;
  // As in Params.
  unsigned bands_across_n;
  Divisor per_matrix;
  Bands bands;
  SumsOutput output;  // rows and columns as the product's kernel has them: it may compute D's transpose
  device::Scalars scalars;
};

}  // namespace gemm::hopper
