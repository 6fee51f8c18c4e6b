// Adds what the CTAs of a cluster have computed for a tile, and hands the sums to the epilogue.
//
// Each CTA holds a sum over its part of K for the whole tile. The tile's rows are dealt to the CTAs in
// granules of 8 (config.cuh), and each CTA sends every row to the row's owner, itself included, by st.async,
// which needs no fence: the bytes are counted on the owner's mbarrier. The owner adds in the order of ranks,
// so the bits repeat.
//
// Two slots take turns, and nobody hands them back: a CTA fills a slot for round i + 2 only after it has
// received its rows of round i + 1 from all, which each CTA sends after a barrier of its consumers behind its
// reads of round i. That takes every CTA to own a row, so a cluster has no more CTAs than a tile has
// granules. For the same reason a CTA may exit when it has received its last rows: by then all that was sent
// to it has come.
#pragma once

#include "common/device/ptx/cluster.cuh"
#include "common/device/ptx/named_barrier.cuh"
#include "hopper/skinny/epilogue.cuh"
#include "hopper/skinny/shared.cuh"
#include "hopper/skinny/walk.cuh"

namespace gemm::hopper::skinny {

// By the thread that initialises the ring.
template <class C>
__device__ __forceinline__ void InitReduction(Shared<C>& shared) {
  device::ptx::InitBarrier(&shared.received[0], 1);
  device::ptx::InitBarrier(&shared.received[1], 1);
}

// A consumer thread's.
template <class C>
class Reduction {
 public:
  // After griddepcontrol.wait (the epilogue reads the scalars). The kernel has arrived at the cluster's
  // barrier.
  __device__ __forceinline__ Reduction(const Params& params, Shared<C>& shared, Place place, unsigned thread)
      : epilogue_(params), params_(params), shared_(shared), place_(place), thread_(thread) {
    first_ = FirstGranule(C::kGranules, place.rank, place.cluster) * 8;
    rows_ = FirstGranule(C::kGranules, place.rank + 1, place.cluster) * 8 - first_;
  }

  // Adds and stores the tile.
  __device__ __forceinline__ void Store(const TileAt& tile, const float (&acc)[C::kNarrow / 2]) {
    const int live = params_.narrow_rows - tile.narrow;  // columns of the tile
#pragma unroll
    for (int round = 0; round < C::kRounds; ++round) {
      if (round * C::kRound >= live) break;
      const int columns = min(live - round * C::kRound, C::kRound);
      const float* values = acc + round * (C::kRound / 2);
      const unsigned slot = rounds_ & 1;
      if (place_.cluster == 1) {
        Keep(slot, values);
        device::ptx::SyncThreads(1, C::kConsumerThreads);
      } else {
        if (rounds_ == 0) {
          device::ptx::ClusterWait();  // the peers' barriers stand
        } else {
          device::ptx::SyncThreads(1, C::kConsumerThreads);  // all have read the round before
        }
        Send(slot, values, columns);
        device::ptx::WaitParity(&shared_.received[slot], rounds_ / 2 & 1);
      }
      epilogue_.Store({tile.wide + static_cast<int>(first_), tile.narrow + round * C::kRound, tile.batch},
                      shared_.partials[slot], place_.cluster, rows_, columns, thread_);
      ++rounds_;
    }
  }

 private:
  // This thread's values of the fragment (wgmma.cuh): rows of the granules 2 w and 2 w + 1, w the warp.
  __device__ __forceinline__ unsigned Granule(unsigned half) const { return thread_ / 32 * 2 + half; }
  __device__ __forceinline__ unsigned RowInGranule() const { return thread_ % 32 / 4; }
  __device__ __forceinline__ unsigned Column(unsigned block) const { return block * 8 + thread_ % 4 * 2; }

  // A cluster of one: through its own slot, so that D is written in whole lines.
  __device__ __forceinline__ void Keep(unsigned slot, const float* values) const {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      float* row = shared_.partials[slot] + (Granule(half) * 8 + RowInGranule()) * C::kPartialStride;
#pragma unroll
      for (int block = 0; block < C::kRound / 8; ++block) {
        const float* pair = values + 4 * block + 2 * half;
        *reinterpret_cast<float2*>(row + Column(block)) = make_float2(pair[0], pair[1]);
      }
    }
  }

  // Pairs of columns to the owners of their rows, and the announcement of what comes here.
  __device__ __forceinline__ void Send(unsigned slot, const float* values, int columns) const {
    if (thread_ == 0) {
      const unsigned bytes_per_row = static_cast<unsigned>(columns + 1) / 2 * 8;
      device::ptx::ArriveExpectBytes(&shared_.received[slot], place_.cluster * rows_ * bytes_per_row);
    }
    const unsigned partials = device::ptx::SharedAddress(shared_.partials[slot]);
    const unsigned received = device::ptx::SharedAddress(&shared_.received[slot]);
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const unsigned owner = OwnerOf(C::kGranules, Granule(half), place_.cluster);
      const unsigned first = FirstGranule(C::kGranules, owner, place_.cluster);
      const unsigned rows = (FirstGranule(C::kGranules, owner + 1, place_.cluster) - first) * 8;
      const unsigned row = place_.rank * rows + (Granule(half) - first) * 8 + RowInGranule();
      const unsigned to =
          device::ptx::MapToRank(partials, owner) + (row * C::kPartialStride + Column(0)) * sizeof(float);
      const unsigned barrier = device::ptx::MapToRank(received, owner);
#pragma unroll
      for (int block = 0; block < C::kRound / 8; ++block) {
        const float* pair = values + 4 * block + 2 * half;
        if (static_cast<int>(Column(block)) < columns) {
          device::ptx::StoreAsync2(to + block * 8 * sizeof(float), pair[0], pair[1], barrier);
        }
      }
    }
  }

  const Epilogue<C> epilogue_;
  const Params& params_;
  Shared<C>& shared_;
  const Place place_;
  const unsigned thread_;
  unsigned first_;  // row of the tile that this CTA owns, and how many
  unsigned rows_;
  unsigned rounds_ = 0;  // done so far
};

}  // namespace gemm::hopper::skinny
