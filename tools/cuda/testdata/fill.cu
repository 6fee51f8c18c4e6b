// A kernel for the rule's own test: it includes a header of a cc_library and uses a definition of its target.
#include "tools/cuda/testdata/fill.cuh"

extern "C" __global__ void fill(float* out, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) out[i] = Value(i) + OFFSET;
}
