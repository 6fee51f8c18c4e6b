// Values for kernels that only keep units busy. Power decides the clock under matrix work, and bits that do not toggle cost
// none, so zeros or constants would measure a device that no product meets.
#pragma once

#include "common/device/ptx/cvt.cuh"

namespace gemm::ceilings {

// The output function of PCG, as a hash.
__device__ __forceinline__ unsigned Hash(unsigned x) {
  x = x * 747796405u + 2891336453u;
  const unsigned word = ((x >> ((x >> 28) + 4)) ^ x) * 277803737u;
  return (word >> 22) ^ word;
}

// Near to a standard normal deviate: the sum of four uniform bytes, which has mean 510 and standard deviation 147.8.
__device__ __forceinline__ float Normal(unsigned index) {
  const unsigned h = Hash(index);
  const unsigned sum = (h & 255) + (h >> 8 & 255) + (h >> 16 & 255) + (h >> 24);
  return (static_cast<float>(sum) - 510.0f) / 147.8f;
}

// Two of them in BF16.
__device__ __forceinline__ unsigned NormalBF16x2(unsigned index) {
  return device::ptx::CvtBF16x2F32(Normal(2 * index), Normal(2 * index + 1));
}

// The compiler must believe that sums are used. Takes the branch for one value in 2^32.
__device__ __forceinline__ void Keep(float sum, float* sink) {
  if (__float_as_uint(sum) == 0x4b3c614eu) *sink = sum;
}

}  // namespace gemm::ceilings
