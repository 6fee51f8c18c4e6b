// The parameter of the kernels for few rows. Shared by host and device code.
#pragma once

#include "common/device/scalars.cuh"

namespace gemm::ampere::few {

// A or B: lines of K, or of M or N, aligned to 16 bytes where the kernel asks for it.
struct Operand {
  const void* base;
  long long ld;            // elements
  long long batch_stride;  // elements; 0 broadcasts
};

// Where D, or C, lies: element (wide, few, batch) at wide * wide_stride + few * few_stride + batch * batch_stride.
struct OutputAt {
  long long wide_stride;
  long long few_stride;
  long long batch_stride;

#ifdef __CUDACC__
  __device__ long long Index(long long wide, int few, unsigned batch) const {
    return wide * wide_stride + few * few_stride + batch * batch_stride;
  }
#endif
};

struct Params {
  Operand wide;  // the one of the greater of M and N
  Operand few;
  const void* c;  // never looked at when beta is 0
  void* d;
  OutputAt c_at;
  OutputAt d_at;
  int wide_rows;  // extents of D
  int few_rows;
  int k;
  int slice_bits;   // log2 of the warps of a CTA that take the same rows, each a slice of K; of one row only
  int period;       // rows of the longer operand after which they start alike (slices.h)
  int wide_early;   // 1: the longer operand may be read before earlier work in the stream has finished
  int output_type;  // device::ElementType of C and D
  device::Scalars scalars;
};

}  // namespace gemm::ampere::few
