// The parameter of every Ampere kernel. Shared by host and device code.
#pragma once

#include "common/device/scalars.cuh"

namespace gemm::ampere {

// A or B: rows along the contiguous direction (K of a K-major operand, else M or N).
struct OperandParams {
  const void* base;
  long long ld;            // elements
  long long batch_stride;  // elements
  int copy_bytes;          // 16, 8, 4 or 2: the width every row can be copied by; looked at by Copy::kAny only
};

// C or D: element (i, j) at i * row_stride + j * col_stride, counted in elements of `Params::output_type`.
struct OutputParams {
  long long row_stride;
  long long col_stride;  // 1 for D
  long long batch_stride;
  int wide;  // rows may be accessed by 16 bytes: contiguous, and aligned to that
};

// Which CTA computes which tile.
struct ScheduleParams {
  long long tiles;  // of all batches together
  int tiles_m;      // of one matrix
  int tiles_n;
  int raster;  // rows of tiles that are walked together, so that a wave's operands stay in the L2
};

// How K is split: each of the first `tiles` tiles in `parts` parts. Where these are all tiles, each part is a CTA of its own;
// otherwise it is the first task of a CTA that has a whole tile besides.
struct SplitParams {
  int parts;                     // 1: the other fields mean nothing
  int tiles;                     // all, or those that do not fill a round
  float* partials;               // parts x tiles x the tile's area, in workspace
  unsigned long long* counters;  // kSlices of each tile, in workspace: common/device/arrivals.cuh
  unsigned long long nonce;      // of this Run
};

struct Params {
  OperandParams a;
  OperandParams b;
  const void* c;
  void* d;
  OutputParams c_layout;
  OutputParams d_layout;
  long long m;
  long long n;
  int k;
  int output_type;  // gemm::device::ElementType
  ScheduleParams schedule;
  SplitParams split;
  device::Scalars scalars;
};

}  // namespace gemm::ampere
