// Counting in workspace which CTA of several is the last.
#pragma once

namespace gemm::device {

// Counts the calling CTA among `parts`, below 256, that arrive at `counter`, and returns how many have. By one thread.
//
// Workspace comes with any contents, and nothing clears it. A counter that counts holds the upper 56 bits of this Run's
// nonce (common/base/nonce.h) above the count: other contents equal them with a probability of 2^-56. A graph replays its
// nonce; so the last one leaves a zero behind.
__device__ __forceinline__ int CountArrival(unsigned long long* counter, int parts, unsigned long long nonce) {
  const unsigned long long tag = nonce & ~0xffull;
  unsigned long long seen = __ldcg(counter);
  for (;;) {
    const int before = (seen & ~0xffull) == tag ? static_cast<int>(seen & 0xff) : 0;
    const unsigned long long next = before + 1 == parts ? 0 : tag | static_cast<unsigned>(before + 1);
    const unsigned long long was = atomicCAS(counter, seen, next);
    if (was == seen) return before + 1;
    seen = was;
  }
}

// Is the calling CTA the last of `parts` that work on one result? All its threads call; the last CTA sees what every other one
// wrote before its call. `arrived`, in shared memory, is the call's own until the CTA's next barrier.
__device__ __forceinline__ bool IsLastToArrive(unsigned long long* counter, int parts, unsigned long long nonce,
                                               int& arrived) {
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();  // what the barrier showed to this thread becomes visible before the count
    arrived = CountArrival(counter, parts, nonce);
    __threadfence();  // and what was visible to those who counted before is visible behind the next barrier
  }
  __syncthreads();
  return arrived == parts;
}

}  // namespace gemm::device
