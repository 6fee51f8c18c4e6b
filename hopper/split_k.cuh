// Split K: CTAs of a cluster share the K of one cluster tile, for products of so few tiles that most SMs would have none. Each
// computes every params.split_k.parts-th K step of the whole tile, so that they read neighbouring pieces of the same rows at the
// same time. Then every warp's rows are added up in one of the CTAs, which stores them (ring_sums.cuh).
//
// The sums go from registers to the shared memory of the CTA that adds them, by st.async, which needs no fence; the bytes are
// counted there. They come to rest in the ring, which is free when the consumers of all parts have multiplied their last step.
// A cluster's CTAs run together, so here everyone may wait for everyone, which stream-K's clusters must not.
//
// Own sums first, then those of the others in the order of parts: the bits repeat.
//
// A cluster has one tile and one rank after the other: CTAs with the same part of K side by side, those that load for one another.
#pragma once

#include "common/device/ptx/cluster.cuh"
#include "common/device/ptx/mbarrier.cuh"
#include "hopper/config.cuh"
#include "hopper/params.h"
#include "hopper/ring_sums.cuh"
#include "hopper/shared.cuh"
#include "hopper/tile_scheduler.cuh"

namespace gemm::hopper {

template <class C>
class SplitKScheduler {
 public:
  __device__ __forceinline__ SplitKScheduler(const Params& params, unsigned cluster_rank)
      : params_(params),
        tiles_(params, cluster_rank & ((1u << ShapeOf<C>(params).size_log2) - 1)),
        part_(cluster_rank >> ShapeOf<C>(params).size_log2) {}

  // Fills *tile; false when none is left.
  __device__ __forceinline__ bool Next(TileAt* tile) {
    const bool live = HasNext();
    tiles_.Locate(device::ptx::ClusterNumber(), tile);
    tile->first_step = part_;
    tile->steps = StepsOfPart(params_, part_);
    done_ = true;
    return live;
  }

  __device__ __forceinline__ bool HasNext() const { return !done_; }

 private:
  const Params& params_;
  TileScheduler<C> tiles_;
  const unsigned part_;
  bool done_ = false;
};

// By one thread, as InitOthers (pipeline.cuh).
template <class C>
__device__ __forceinline__ void InitSplitK(const Params& params, Shared<C>& shared) {
  device::ptx::InitBarrier(&shared.ring_free, params.split_k.parts * C::kConsumerWarps);
  for (int warp = 0; warp < C::kConsumerWarps; ++warp) device::ptx::InitBarrier(&shared.received[warp], 1);
}

// A consumer warp's. Once, either Combine or Pass; then the CTA may exit as far as the exchange goes: what others send to it has
// come, and so have their arrivals.
template <class C>
class ClusterSums {
 public:
  __device__ __forceinline__ ClusterSums(const Params& params, Shared<C>& shared, unsigned cluster_rank,
                                         unsigned consumer, unsigned warp, unsigned lane)
      : params_(params),
        shared_(shared),
        parts_(params.split_k.parts),
        part_(cluster_rank >> ShapeOf<C>(params).size_log2),
        sharer_(cluster_rank & ((1u << ShapeOf<C>(params).size_log2) - 1)),
        warp_(consumer * 4 + warp),
        places_(parts_),
        owner_(places_.Owner(warp_)),
        row_(static_cast<int>(consumer * C::kConsumerRows + warp * 16)),
        lane_(lane) {}

  // Whether this CTA stores the warp's rows of the tile.
  __device__ __forceinline__ bool Stores(const TileAt& tile) const { return owner_ == part_ && HasRows(tile); }

  // When the warp's wgmma have finished. Where Stores(tile), `acc` has the sums of all parts afterwards.
  __device__ __forceinline__ void Combine(const TileAt& tile, float (&acc)[C::kBlocksM][C::kTileN / 2]) const {
    Pass();
    if (!HasRows(tile)) return;
    if (owner_ == part_) {
      Receive(acc);
    } else {
      Send(acc);
    }
  }

  // Of a warp whose rows lie beyond D, when it has gone through the ring.
  __device__ __forceinline__ void Pass() const {
    __syncwarp();
    if (lane_ < parts_) device::ptx::ArriveCluster(In(lane_, &shared_.ring_free));
    device::ptx::WaitParity(&shared_.ring_free, 0);
  }

 private:
  static constexpr int kVectors = C::kTileN / 8;  // of 16 bytes, of a thread in each 64 rows

  __device__ __forceinline__ bool HasRows(const TileAt& tile) const { return tile.row + row_ < params_.m; }

  // Where `mine` lies in the CTA of that part.
  __device__ __forceinline__ unsigned In(unsigned part, const void* mine) const {
    return device::ptx::MapToRank(device::ptx::SharedAddress(mine),
                                  (part << ShapeOf<C>(params_).size_log2) + sharer_);
  }

  // In the owner's ring, in units of 16 bytes.
  __device__ __forceinline__ unsigned FirstVector(unsigned part) const {
    return places_.FirstVector(warp_, part) + lane_;
  }

  __device__ __forceinline__ void Send(const float (&acc)[C::kBlocksM][C::kTileN / 2]) const {
    const unsigned to = In(owner_, &shared_) + FirstVector(part_) * 16;
    const unsigned received = In(owner_, &shared_.received[warp_]);
#pragma unroll
    for (int block = 0; block < C::kBlocksM; ++block) {
#pragma unroll
      for (int i = 0; i < kVectors; ++i) {
        const float* v = &acc[block][4 * i];
        device::ptx::StoreAsync4(to + (block * kVectors + i) * 32 * 16, v[0], v[1], v[2], v[3], received);
      }
    }
  }

  __device__ __forceinline__ void Receive(float (&acc)[C::kBlocksM][C::kTileN / 2]) const {
    if (lane_ == 0) {
      device::ptx::ArriveExpectBytes(&shared_.received[warp_], (parts_ - 1) * RingSums<C>::kVectors * 32 * 16);
    }
    device::ptx::WaitParity(&shared_.received[warp_], 0);
    const float4* const sums = reinterpret_cast<const float4*>(&shared_);
#pragma unroll 1
    for (unsigned part = 0; part < parts_; ++part) {
      if (part == part_) continue;
      RingSums<C>::Add(sums + FirstVector(part), acc);
    }
  }

  const Params& params_;
  Shared<C>& shared_;
  const unsigned parts_;
  const unsigned part_;
  const unsigned sharer_;
  const unsigned warp_;
  const RingSums<C> places_;
  const unsigned owner_;  // the part that adds and stores this warp's rows
  const int row_;         // of this warp in the tile
  const unsigned lane_;
};

}  // namespace gemm::hopper
