// Division by a number that the host knows. Shared by host and device code: plain types only.
#pragma once

namespace gemm::hopper {

// Its quotients cost a multiplication: with shift = 31 + ceil(log2 divisor) and multiplier = ceil(2^shift / divisor), which has 32
// bits, n / divisor is n multiplier >> shift for all n below 2^31. The multiplier's excess times the divisor is less than the
// divisor, so times n less than 2^shift: it never reaches the next quotient.
struct Divisor {
  unsigned divisor;
  unsigned multiplier;
  unsigned shift;

#ifdef __CUDACC__
  // n / divisor
  __device__ unsigned Quotient(unsigned n) const {
    return static_cast<unsigned>(static_cast<unsigned long long>(n) * multiplier >> shift);
  }
#endif
};

}  // namespace gemm::hopper
