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

#ifdef __CUDACC__
  __device__ long long Index(int wide, int narrow, int batch) const {
    return wide * wide_stride + narrow * narrow_stride + batch * batch_stride;
  }
#endif
};

struct Params {
  TensorMap wide;  // boxes and coordinates: producer.cuh
  TensorMap narrow;
  // What stands between a CTA's start and its first load, side by side: a line of constant memory that nobody has read takes its
  // time.
  unsigned tiles;      // in the whole batch
  Divisor per_matrix;  // tiles
  Bands bands;         // across the narrow tiles
  unsigned split;      // CTAs of a cluster, which share the K of a tile: a power of two
  unsigned split_log2;
  unsigned k_each;  // ceil(K / kTileK) = k_each * split + k_rest; at least split
  unsigned k_rest;
  int wide_rows;  // extents of D
  int narrow_rows;
  int wide_box;  // wide rows of a tile: at most kWide; a multiple of 4, of 64 where the wide operand is MN-major
  int wide_loaded;  // of those, that a stage loads: no more than the operand has where it is K-major
  int narrow_box;   // narrow rows of a tile, which a stage loads: at most kNarrow, no more than the operand has
  int wide_batch_step;  // 1; 0 broadcasts the one matrix of the map to the whole batch
  int narrow_batch_step;
  int wide_early;  // 1: the wide operand may be read before earlier work in the stream has finished
  int early_cycles;  // from one such load to the next, behind the first few (producer.cuh): as fast as memory brings them
  int whole_quads;  // 1: four rows of D, and of C where it is read, are contiguous and aligned to their size
  // 1: D has 16-bit elements, and the wide rows of a tile are contiguous in D, and in C where it is read, and whole units of 16 bytes
  int whole_units;
  int output_type;  // device::ElementType of C and D
  device::Scalars scalars;
  void* d;
  const void* c;  // never looked at when beta is 0
  OutputAt d_at;
  OutputAt c_at;
};

}  // namespace gemm::hopper::skinny
