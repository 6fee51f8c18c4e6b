// Where K is cut into parts, each warp's rows of a tile are added up and stored by one of the parts, their owner: the exchange is spread
// over all CTAs. What other parts hand over comes to rest in the owner's ring, once nothing is multiplied from it any more.
#pragma once

#include "hopper/config.cuh"

namespace gemm::hopper {

// Who owns which warp's rows, and where in the ring their sums lie. What a thread of one CTA hands over, the same thread of the owner
// adds. `warp` counts through all consumers.
template <class C>
class RingSums {
 public:
  // Of 16 bytes, of a thread.
  static constexpr unsigned kVectors = C::kBlocksM * C::kTileN / 8;

  __device__ __forceinline__ explicit RingSums(unsigned parts) : parts_(parts) {}

  __device__ __forceinline__ unsigned Owner(unsigned warp) const { return warp * parts_ / C::kConsumerWarps; }
  // The first warp of that owner, or of a later one where it has none.
  __device__ __forceinline__ unsigned FirstWarp(unsigned owner) const {
    return (owner * C::kConsumerWarps + parts_ - 1) / parts_;
  }

  // In units of 16 bytes, where lane 0 finds its first of the warp's vectors from `part`: [the owner's warps][part, the owner's own left
  // out][vector][lane].
  __device__ __forceinline__ unsigned FirstVector(unsigned warp, unsigned part) const {
    const unsigned owner = Owner(warp);
    const unsigned sender = part - (part > owner ? 1 : 0);
    return ((warp - FirstWarp(owner)) * (parts_ - 1) + sender) * kVectors * 32;
  }

  // Adds a part's sums to a thread's own; `from` is its first vector of them.
  static __device__ __forceinline__ void Add(const float4* from, float (&acc)[C::kBlocksM][C::kTileN / 2]) {
#pragma unroll
    for (int block = 0; block < C::kBlocksM; ++block) {
#pragma unroll
      for (int i = 0; i < C::kTileN / 8; ++i) {
        AddTo(&acc[block][4 * i], from[(block * (C::kTileN / 8) + i) * 32]);
      }
    }
  }

  static __device__ __forceinline__ void AddTo(float* v, const float4& sum) {
    v[0] += sum.x, v[1] += sum.y, v[2] += sum.z, v[3] += sum.w;
  }

 private:
  const unsigned parts_;
};

}  // namespace gemm::hopper
