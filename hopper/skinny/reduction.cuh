// Adds what has been computed for a tile by the consumers of a CTA that take K steps by turns and by the CTAs of a
// cluster that share its K, and hands the sums to the epilogue. kRound columns at a time; always in the same order,
// so that the bits repeat.
//
// In a CTA alone each of two consumers has a buffer of its own; one buffer after the other is used where only one has
// anything to add.
//
// CTAs that share a tile: each owns some of its columns. partials[0] holds a CTA's own sums, [column][row], and
// partials[1] what it has received, [sender, its own place left out][column of the owner][row]. The copy engine takes
// the columns that others own to them, one copy for each owner; the bytes are counted on the owner's `received`. Every
// consumer warp of all of them arrives at a CTA's `read` when it has added what came from there: then the CTA may write
// its sums again, fill the others' buffers again, and exit.
#pragma once

#include "common/device/ptx/cluster.cuh"
#include "common/device/ptx/named_barrier.cuh"
#include "common/device/ptx/tma.cuh"
#include "hopper/skinny/epilogue.cuh"
#include "hopper/skinny/fragment.cuh"
#include "hopper/skinny/shared.cuh"
#include "hopper/skinny/walk.cuh"

namespace gemm::hopper::skinny {

// By the thread that initialises the ring.
template <class C>
__device__ __forceinline__ void InitReduction(const Params& params, Shared<C>& shared) {
  device::ptx::InitBarrier(&shared.received, 1);
  device::ptx::InitBarrier(&shared.read, params.split * (C::kConsumerThreads / 32));
}

// A consumer thread's.
template <class C>
class Reduction {
 public:
  // After griddepcontrol.wait (the epilogue reads the scalars); the peers' barriers must stand.
  __device__ __forceinline__ Reduction(const Params& params, Shared<C>& shared, Place place,
                                       const Fragment<C>& fragment)
      : epilogue_(params),
        params_(params),
        shared_(shared),
        place_(place),
        inverse_(kOne / params.split + 1),
        fragment_(fragment) {
    // Copies take whole columns, their padding too.
    if (params.split > 1 && fragment.thread < C::kRound) {
      float* padding = shared.partials[0] + fragment.thread * kStride + C::kWide;
      *reinterpret_cast<float4*>(padding) = make_float4(0, 0, 0, 0);
    }
  }

  // Adds and stores the tile.
  __device__ __forceinline__ void Store(const TileAt& tile, const Accumulators<C>& acc) {
    const int live = params_.narrow_rows - tile.narrow;  // columns of the tile
#pragma unroll
    for (int round = 0; round < C::kRounds; ++round) {
      if (round * C::kRound >= live) break;
      const unsigned columns = min(live - round * C::kRound, C::kRound);
      const TileAt at = {tile.wide, tile.narrow + round * C::kRound, tile.batch};
      if (params_.split == 1) {
        StoreAlone(at, acc, round, columns);
      } else {
        StoreTogether(at, acc, round, columns);
      }
      ++rounds_;
    }
  }

  // Nothing of this CTA is being read any more.
  __device__ __forceinline__ void Finish() const {
    if (params_.split > 1) WaitUntilRead();
  }

 private:
  static constexpr unsigned kStride = C::kColumnStride;
  static constexpr unsigned kColumnBytes = kStride * sizeof(float);
  static constexpr unsigned kOne = 65536;

  struct Columns {
    unsigned first;
    unsigned count;
  };

  // columns * k / split without a division: exact for what a tile can have.
  __device__ __forceinline__ unsigned FirstColumn(unsigned columns, unsigned k) const {
    static_assert(C::kRound * kMaxCluster * kMaxCluster < kOne);
    return columns * k * inverse_ / kOne;
  }

  __device__ __forceinline__ Columns ColumnsOf(unsigned columns, unsigned k) const {
    const unsigned first = FirstColumn(columns, k);
    return {first, FirstColumn(columns, k + 1) - first};
  }

  __device__ __forceinline__ void SyncConsumers() const { device::ptx::SyncThreads(1, C::kConsumerThreads); }

  // Whether this thread's sums count.
  __device__ __forceinline__ bool Adds() const { return fragment_.step_group < params_.step_groups; }

  __device__ __forceinline__ void StoreAlone(const TileAt& at, const Accumulators<C>& acc, int round,
                                             unsigned columns) const {
    // Buffers that take turns need no barrier between a round's reads and the next one's writes.
    const bool by_turns = params_.step_groups == 1;
    const unsigned first = by_turns ? rounds_ & 1 : 0;
    if (!by_turns && rounds_ != 0) SyncConsumers();
    if (Adds()) fragment_.template Write<false>(shared_.partials[first + fragment_.step_group], acc, round);
    const Quads quads = epilogue_.QuadsOf(params_.wide_box, columns, fragment_.thread);
    SyncConsumers();
    epilogue_.Store(at, {shared_.partials[first], shared_.partials[1], 0, params_.step_groups, kStride, 0},
                    quads);
  }

  __device__ __forceinline__ void StoreTogether(const TileAt& at, const Accumulators<C>& acc, int round,
                                                unsigned columns) const {
    float* sums = shared_.partials[0];
    const Columns mine = ColumnsOf(columns, place_.k);
    WaitUntilRead();
    if (fragment_.step_group + 1 == params_.step_groups) fragment_.template Write<false>(sums, acc, round);
    if (params_.step_groups > 1) {
      SyncConsumers();
      if (fragment_.step_group == 0) fragment_.template Write<true>(sums, acc, round);
    }
    device::ptx::FenceSharedForAsync();
    SyncConsumers();
    if (fragment_.thread < params_.split) SendTo(fragment_.thread, columns, mine);
    __syncwarp();
    const Quads quads = epilogue_.QuadsOf(params_.wide_box, max(mine.count, 1u), fragment_.thread);
    device::ptx::WaitParity(&shared_.received, rounds_ & 1);
    if (mine.count != 0) {
      epilogue_.Store({at.wide, at.narrow + static_cast<int>(mine.first), at.batch},
                      {sums + mine.first * kStride, shared_.partials[1], place_.k, params_.split, kStride,
                       mine.count * kStride},
                      quads);
    }
    __syncwarp();
    const unsigned lane = fragment_.thread % 32;
    if (lane < params_.split) device::ptx::ArriveCluster(InPeer(&shared_.read, lane));
  }

  // Until what was sent in the round before has been read; at once in the first.
  __device__ __forceinline__ void WaitUntilRead() const {
    device::ptx::WaitParity(&shared_.read, (rounds_ & 1) ^ 1);
  }

  // Where `mine` lies in the CTA that has part k of the same tile's K.
  __device__ __forceinline__ unsigned InPeer(const void* mine, unsigned k) const {
    return device::ptx::MapToRank(device::ptx::SharedAddress(mine), RankOf(params_, k, place_.tile));
  }

  // One thread for each owner: its columns of the sums to its buffer. For the own ones, the announcement of
  // what comes here.
  __device__ __forceinline__ void SendTo(unsigned owner, unsigned columns, const Columns& mine) const {
    if (owner == place_.k) {
      device::ptx::ArriveExpectBytes(&shared_.received, (params_.split - 1) * mine.count * kColumnBytes);
      return;
    }
    const Columns theirs = ColumnsOf(columns, owner);
    if (theirs.count == 0) return;
    const unsigned among_senders = place_.k > owner ? place_.k - 1 : place_.k;
    const unsigned bytes = theirs.count * kColumnBytes;
    device::ptx::CopyToRank(InPeer(shared_.partials[1], owner) + among_senders * bytes,
                            device::ptx::SharedAddress(shared_.partials[0]) + theirs.first * kColumnBytes,
                            bytes, InPeer(&shared_.received, owner));
  }

  const Epilogue<C> epilogue_;
  const Params& params_;
  Shared<C>& shared_;
  const Place place_;
  const unsigned inverse_;  // of params.split, times kOne
  const Fragment<C> fragment_;
  unsigned rounds_ = 0;  // done so far
};

}  // namespace gemm::hopper::skinny
