// What the host passes to a SIMT kernel. Shared by host and device code: plain types only, no includes from std.
#pragma once

#include "common/device/scalars.cuh"

namespace gemm::simt {

// A or B as a panel of `mn` (M of A, N of B) by K: element (i, k) of batch z lies at base + z * batch_stride + i *
// mn_stride + k * k_stride. Strides are in bytes; one of the two inner ones is the element's size. 0 <= z < batch.
struct Input {
  const void* base;
  long long batch_stride;
  long long mn_stride;
  long long k_stride;
  int k_contiguous;  // k_stride is the element's size
  // Four elements from every element whose contiguous index is a multiple of 4 may be loaded by one access: base,
  // strides and batch stride are multiples of four elements.
  int vector;
};

// C or D: element (i, j) of batch z at z * batch_stride + i * row_stride + j * col_stride, in elements.
struct Output {
  long long batch_stride;
  long long row_stride;
  long long col_stride;
  int vector;  // as Input::vector, along j; needs col_stride == 1
};

struct Params {
  Input a;
  Input b;
  const void* c;
  void* d;
  Output c_shape;
  Output d_shape;  // col_stride is 1
  long long m;
  long long n;
  long long k;
  long long batch;
  int input_type;   // a device::ElementType
  int output_type;  // likewise
  device::Scalars scalars;
};

// How the kernels of ring.inc split K: part i of `parts` of each tile is a CTA of its own.
struct SplitK {
  int parts;                     // 1: the other fields mean nothing
  float* partials;               // parts x tiles x the tile's area, in workspace
  unsigned long long* counters;  // of each tile, in workspace: ring_split.cuh
  unsigned long long nonce;      // of this Run
};

}  // namespace gemm::simt
