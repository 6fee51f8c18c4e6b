// Partial sums in workspace, and the flags by which stream-K's CTAs hand them to each other; parallel split K's need none. A partial tile
// lies there as the accumulators of its threads do, 16 bytes of each thread side by side: what a warp of one CTA writes, the same warp
// of another reads, mostly thread by thread. So warps exchange with warps, without a barrier, and each has a flag of its own.
//
// Workspace comes with any contents, and nothing clears it. A flag that is up holds the nonce of this Run, 64 bits that
// no other Run of the process has and that are mixed from a random start (nonce.h): other contents equal it with a
// probability of 2^-64. A graph replays its nonce; so the reader takes each flag down again, and whatever kernel comes
// next in the stream finds none up that it did not raise. The end of the kernel orders that store before the next
// kernel's griddepcontrol.wait returns, and that wait comes before any access to workspace.
#pragma once

#include "common/device/ptx/global_flag.cuh"
#include "hopper/cluster_shape.cuh"
#include "hopper/ring_sums.cuh"
#include "hopper/tile_scheduler.cuh"

namespace gemm::hopper {

// Warps count through all consumers.
template <class C>
class Partials {
 public:
  static constexpr int kVectors = C::kTileN / 8;             // of 16 bytes, of a thread in each 64 rows
  static constexpr unsigned kThreads = 128 * C::kConsumers;  // vectors from one of a thread to its next

  __device__ __forceinline__ Partials(const Params& params, unsigned lane)
      : params_(params.stream_k), cluster_log2_(ShapeOf<C>(params).size_log2), lane_(lane) {}

  // The CTA that has this one's place in the cluster of another part of the tile.
  __device__ __forceinline__ unsigned CtaOf(const TileAt& tile, unsigned part) const {
    return blockIdx.x + ((tile.part - part) * params_.apart.divisor << cluster_log2_);
  }

  __device__ __forceinline__ float4* PartialOf(unsigned cta, unsigned warp) const {
    return static_cast<float4*>(params_.partials) +
           static_cast<unsigned long long>(cta) * (C::kBlocksM * kVectors * kThreads) + warp * 32 + lane_;
  }
  __device__ __forceinline__ unsigned long long* FlagOf(unsigned cta, unsigned warp) const {
    return params_.flags + cta * C::kConsumerWarps + warp;
  }

  // By that warp.
  __device__ __forceinline__ void HandOver(unsigned warp,
                                           const float (&acc)[C::kBlocksM][C::kTileN / 2]) const {
    Write(warp, acc);
    __syncwarp();
    if (lane_ == 0) device::ptx::StoreRelease(FlagOf(blockIdx.x, warp), params_.nonce);
  }

  // Without a flag.
  __device__ __forceinline__ void Write(unsigned warp, const float (&acc)[C::kBlocksM][C::kTileN / 2]) const {
    float4* to = PartialOf(blockIdx.x, warp);
#pragma unroll
    for (int block = 0; block < C::kBlocksM; ++block) {
#pragma unroll
      for (int i = 0; i < kVectors; ++i) {
        const float* v = &acc[block][4 * i];
        __stcg(to + (block * kVectors + i) * kThreads, make_float4(v[0], v[1], v[2], v[3]));
      }
    }
  }

  // Adds what that warp of another CTA has written. Its flag is the caller's to look at.
  __device__ __forceinline__ void Add(unsigned cta, unsigned warp,
                                      float (&acc)[C::kBlocksM][C::kTileN / 2]) const {
    const float4* const from = PartialOf(cta, warp);
#pragma unroll
    for (int block = 0; block < C::kBlocksM; ++block) {
#pragma unroll
      for (int i = 0; i < kVectors; ++i) {
        RingSums<C>::AddTo(&acc[block][4 * i], __ldcg(from + (block * kVectors + i) * kThreads));
      }
    }
  }

 private:
  const StreamKParams& params_;
  const unsigned cluster_log2_;
  const unsigned lane_;
};

}  // namespace gemm::hopper
