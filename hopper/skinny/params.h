// What the host gives a skinny kernel. Shared by host and device code: plain types only.
#pragma once

#include "hopper/params.h"

namespace gemm::hopper::skinny {

// Where D, or C, lies: element (wide, narrow, batch) at wide * wide_stride + narrow * narrow_stride +
// batch * batch_stride.
struct OutputAt {
  long long wide_stride;
  long long narrow_stride;
  long long batch_stride;
};

struct Params {
  TensorMap wide;  // boxes and coordinates: producer.cuh
  TensorMap narrow;
  device::Scalars scalars;
  void* d;
  const void* c;  // never looked at when beta is 0
  OutputAt d_at;
  OutputAt c_at;
  // A cluster is `split` CTAs that share the K of a tile, times `share` neighbouring tiles along the wide operand.
  unsigned split;
  unsigned share;
  unsigned k_each;  // ceil(K / kTileK) = k_each * split + k_rest; at least split
  unsigned k_rest;
  unsigned step_groups;   // consumers that take K steps by turns, at most C::kStepGroups
  unsigned tiles_narrow;  // of one matrix
  unsigned groups_wide;   // of `share` tiles, of one matrix
  unsigned groups;        // in the whole batch
  int wide_rows;          // extents of D
  int narrow_rows;
  int wide_box;  // wide rows of a tile: at most kWide; a multiple of 8, of 64 where the wide operand is MN-major
  int narrow_box;  // narrow rows that one CTA loads for each of a cluster: the first `loaders` of each `share` CTAs
                   // load the box and the following ones. loaders * narrow_box is at most kNarrow
  unsigned loaders;
  int wide_batch_step;  // 1; 0 broadcasts the one matrix of the map to the whole batch
  int narrow_batch_step;
  int wide_is_constant;  // 1: it does not change while earlier work in the stream may still run
  int whole_quads;  // 1: four rows of D, and of C where it is read, are contiguous and aligned to their size
  int output_type;  // device::ElementType of C and D
};

}  // namespace gemm::hopper::skinny
