// Adds what the CTAs of a cluster have computed for the tile whose K they share. Each stores some of the tile's columns,
// in blocks of 8, and gets the others' sums for them: every thread sends its own to the thread of its number there, by
// st.async, which needs no fence; the bytes are counted on the receiver's `received`. Own sums first, then those of the
// others in the order of ranks, so the bits repeat.
//
// Every consumer warp of a CTA that stores columns arrives at all CTAs' `read` when it has added: then they may send for
// the next tile, and exit.
#pragma once

#include "common/device/ptx/cluster.cuh"
#include "hopper/skinny/fragment.cuh"
#include "hopper/skinny/params.h"
#include "hopper/skinny/pipeline.cuh"

namespace gemm::hopper::skinny {

// Blocks of 8 columns of a tile.
struct Blocks {
  int first;
  int count;

  __device__ __forceinline__ bool Has(int block) const { return block >= first && block < first + count; }
};

// How many blocks each CTA stores that stores any: all where K is not shared.
template <class C>
__device__ __forceinline__ int BlocksEach(const Params& params) {
  return max(C::kNarrow / 8 >> params.split_log2, 1);
}

// The rank of the CTA that stores a block: of more CTAs than blocks every second, fourth, ... one stores.
template <class C>
__device__ __forceinline__ int OwnerOf(const Params& params, int block) {
  return (block << params.split_log2) * 8 / C::kNarrow;
}

// By one thread, as InitOthers (pipeline.cuh).
template <class C>
__device__ __forceinline__ void InitReduction(const Params& params, Shared<C>& shared) {
  device::ptx::InitBarrier(&shared.received, 1);
  device::ptx::InitBarrier(&shared.read, min(params.split, C::kNarrow / 8u) * (C::kConsumerThreads / 32));
}

// A consumer thread's, in a cluster of more than one CTA.
template <class C>
class Reduction {
 public:
  __device__ __forceinline__ Reduction(const Params& params, Shared<C>& shared, unsigned rank,
                                       const Fragment<C>& fragment)
      : shared_(shared), split_(params.split), rank_(rank), each_(BlocksEach<C>(params)), fragment_(fragment) {
    const int first = static_cast<int>(rank) * (C::kNarrow / 8) >> params.split_log2;
    const bool stores = OwnerOf<C>(params, first) == static_cast<int>(rank);
    mine_ = {first, stores ? each_ : 0};
  }

  // The blocks that this CTA stores.
  __device__ __forceinline__ Blocks mine() const { return mine_; }

  // Afterwards the accumulators of mine() are the whole sums. This thread has arrived at the cluster's barrier, behind which the
  // peers' barriers stand; every CTA of a cluster has a tile, so each comes here.
  __device__ __forceinline__ void Exchange(const Params& params, Accumulators<C>& acc) {
    if (tiles_ == 0) device::ptx::ClusterWait();
    WaitUntilRead();
    Send(params, acc);
    if (mine_.count != 0) {
      device::ptx::WaitParity(&shared_.received, tiles_ & 1);
      Add(acc);
      __syncwarp();
      if (fragment_.lane() < split_) {
        device::ptx::ArriveCluster(InPeer(&shared_.read, fragment_.lane()));
      }
    }
    ++tiles_;
  }

  // Before the CTA exits: nothing that it has sent is under way or unread.
  __device__ __forceinline__ void Finish() const { WaitUntilRead(); }

 private:
  // A receiver's buffer: [rank of the sender, its own left out][block][wgmma tile][thread], in units of a float4.
  __device__ __forceinline__ unsigned Unit(int sender, int block, int tile) const {
    return static_cast<unsigned>((sender * each_ + block) * C::kBlocks + tile) * C::kConsumerThreads +
           fragment_.thread;
  }

  __device__ __forceinline__ void Send(const Params& params, const Accumulators<C>& acc) const {
    if (fragment_.thread == 0 && mine_.count != 0) {
      device::ptx::ArriveExpectBytes(&shared_.received, (split_ - 1) * Unit(1, 0, 0) * 16);
    }
#pragma unroll
    for (int block = 0; block < C::kNarrow / 8; ++block) {
      if (mine_.Has(block)) continue;
      const unsigned owner = static_cast<unsigned>(OwnerOf<C>(params, block));
      const int sender = static_cast<int>(rank_) - (rank_ > owner ? 1 : 0);
      const unsigned sums = InPeer(shared_.sums, owner);
      const unsigned received = InPeer(&shared_.received, owner);
#pragma unroll
      for (int tile = 0; tile < C::kBlocks; ++tile) {
        const float* v = acc[tile] + 4 * block;
        device::ptx::StoreAsync4(sums + Unit(sender, block % each_, tile) * 16, v[0], v[1], v[2], v[3],
                                 received);
      }
    }
  }

  __device__ __forceinline__ void Add(Accumulators<C>& acc) const {
    const float4* sums = reinterpret_cast<const float4*>(shared_.sums);
#pragma unroll
    for (int block = 0; block < C::kNarrow / 8; ++block) {
      if (!mine_.Has(block)) continue;
      for (int sender = 0; sender + 1 < static_cast<int>(split_); ++sender) {
#pragma unroll
        for (int tile = 0; tile < C::kBlocks; ++tile) {
          const float4 sum = sums[Unit(sender, block - mine_.first, tile)];
          float* v = acc[tile] + 4 * block;
          v[0] += sum.x, v[1] += sum.y, v[2] += sum.z, v[3] += sum.w;
        }
      }
    }
  }

  // Until what was sent for the tile before has been read; at once for the first.
  __device__ __forceinline__ void WaitUntilRead() const {
    device::ptx::WaitParity(&shared_.read, (tiles_ & 1) ^ 1);
  }

  // Where `mine` lies in the CTA of that rank.
  static __device__ __forceinline__ unsigned InPeer(const void* mine, unsigned rank) {
    return device::ptx::MapToRank(device::ptx::SharedAddress(mine), rank);
  }

  Shared<C>& shared_;
  const unsigned split_;
  const unsigned rank_;
  const int each_;
  const Fragment<C> fragment_;
  Blocks mine_;
  unsigned tiles_ = 0;  // done so far
};

}  // namespace gemm::hopper::skinny
