// Small kernels for the tests of the driver layer.

// out[i] = value + i for each thread of the grid.
extern "C" __global__ void driver_test_store(unsigned* out, unsigned value) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = value + i;
}

// The first and the last word of `bytes` of dynamic shared memory hold what was written: out[block] = first + last.
extern "C" __global__ void driver_test_shared(unsigned* out, unsigned bytes) {
  extern __shared__ unsigned words[];
  const unsigned last = bytes / sizeof(unsigned) - 1;
  if (threadIdx.x == 0) words[0] = 1000;
  if (threadIdx.x == 1) words[last] = 24;
  __syncthreads();
  if (threadIdx.x == 0) out[blockIdx.x] = words[0] + words[last];
}
