// What the host gives a skinny kernel. Shared by host and device code: plain types only.
#pragma once

#include "hopper/params.h"

namespace gemm::hopper::skinny {

// The operand that does not change while earlier work in the stream may still run.
enum Constant : int { kNothing = 0, kWideOperand = 1, kNarrowOperand = 2 };

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
  unsigned k_steps;       // ceil(K / kTileK), at least the cluster's size
  unsigned tiles_narrow;  // of one matrix
  unsigned tiles_wide;
  unsigned tiles;  // in the whole batch
  int wide_rows;   // extents of D
  int narrow_rows;
  int narrow_box;       // rows of the narrow operand that a stage loads: min(narrow_rows, kNarrow)
  int wide_batch_step;  // 1; 0 broadcasts the one matrix of the map to the whole batch
  int narrow_batch_step;
  int constant;     // Constant
  int output_type;  // device::ElementType of C and D
};

}  // namespace gemm::hopper::skinny
