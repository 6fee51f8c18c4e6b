// Stream-K's exchange where all tiles are cut alike and each CTA has one part of one tile: each warp's rows are added up and stored by
// one of the parts, their owner (ring_sums.cuh), so that the exchange and the epilogue are spread over all CTAs. All warps of a CTA
// help to add what it owns.
//
// Forward progress: other kernels may hold some of the SMs, so a part may wait without end for lower blockIdx only (stream_k.cuh). An
// owner waits for all parts, but not for long: when its patience ends it hands its sums over too, and leaves the rows to the
// last part, whose blockIdx is the highest. The last part waits for every owner's word: done, or its sums.
//
// The bits repeat, and are the same either way: the sums of the other parts in their order, and the owner's added to that.
#pragma once

#include "common/device/ptx/cp_async.cuh"
#include "common/device/ptx/global_flag.cuh"
#include "common/device/ptx/named_barrier.cuh"
#include "hopper/params.h"
#include "hopper/partials.cuh"
#include "hopper/ring_sums.cuh"
#include "hopper/shared.cuh"

namespace gemm::hopper {

// A consumer warp's. Once, either Combine or Help.
template <class C>
class ScatteredSums {
 public:
  __device__ __forceinline__ ScatteredSums(const Params& params, Shared<C>& shared, const TileAt& tile,
                                           unsigned consumer, unsigned warp, unsigned lane)
      : shared_(shared),
        tile_(tile),
        nonce_(params.stream_k.nonce),
        partials_(params, lane),
        places_(tile.parts),
        has_rows_(tile.row + static_cast<int>(consumer * C::kConsumerRows + warp * 16) < params.m),
        warp_(consumer * 4 + warp),
        owner_(places_.Owner(warp_)),
        lane_(lane) {}

  // When the warp's wgmma have finished. Whether `acc` has the sums of all parts afterwards, and this warp is to store them.
  __device__ __forceinline__ bool Combine(float (&acc)[C::kBlocksM][C::kTileN / 2]) const {
    const bool last = tile_.part == kLast;
    const bool adds = has_rows_ && tile_.part == owner_ && AllHandedOver(owner_, !last);
    if (adds) {
      TakeFlagsDown(owner_);
      if (!last && lane_ == 0) device::ptx::StoreRelaxed(partials_.FlagOf(blockIdx.x, warp_), ~nonce_);
    } else if (has_rows_) {
      partials_.HandOver(warp_, acc);
    }
    SumTogether(adds);
    if (adds) {
      RingSums<C>::Add(InRing(warp_, Other(0), 0), acc);
      return true;
    }
    if (!has_rows_ || !last || IsDone()) return false;
    AllHandedOver(kNone, false);
    TakeFlagsDown(kNone);
    AddUpForOwner(acc);
    return true;
  }

  // Of a consumer whose rows all lie beyond D, when it has gone through the ring.
  __device__ __forceinline__ void Help() const { SumTogether(false); }

 private:
  static constexpr unsigned kLast = 0;  // part, of the highest blockIdx
  static constexpr unsigned kNone = 32;
  static constexpr unsigned kPatience = 32768;  // cycles
  static constexpr unsigned kVectors = RingSums<C>::kVectors;

  __device__ __forceinline__ static void Meet() {
    constexpr unsigned kByConsumers = 7;  // a named barrier
    device::ptx::SyncThreads(kByConsumers, 128 * C::kConsumers);
  }

  // Lane p looks at the flag of part p; lanes without a part look at another's, so that the warp stays together.
  __device__ __forceinline__ unsigned long long* FlagOfLane() const {
    return partials_.FlagOf(partials_.CtaOf(tile_, min(lane_, tile_.parts - 1)), warp_);
  }

  // Waits until all parts have handed over their sums of this warp's rows, but the one that keeps its own; false when patience has
  // ended. By votes, as PartialSums::Add.
  __device__ __forceinline__ bool AllHandedOver(unsigned but, bool patience_ends) const {
    const unsigned start = static_cast<unsigned>(clock());
    const bool looks = lane_ < tile_.parts && lane_ != but;
    while (__any_sync(0xffffffffu, (device::ptx::LoadAcquire(FlagOfLane()) != nonce_) & looks)) {
      const bool ended = static_cast<unsigned>(clock()) - start > kPatience;
      if (__any_sync(0xffffffffu, ended & patience_ends)) return false;
    }
    return true;
  }

  __device__ __forceinline__ void TakeFlagsDown(unsigned but) const {
    if (lane_ < tile_.parts && lane_ != but) *FlagOfLane() = 0;
  }

  // Waits for the owner's word: whether it adds and stores the rows.
  __device__ __forceinline__ bool IsDone() const {
    unsigned long long* const flag = partials_.FlagOf(partials_.CtaOf(tile_, owner_), warp_);
    unsigned long long word = 0;
    do {
      word = device::ptx::LoadAcquire(flag);
    } while (__any_sync(0xffffffffu, word != nonce_ && word != ~nonce_));
    const bool done = __any_sync(0xffffffffu, word != nonce_);
    if (done && lane_ == 0) *flag = 0;
    return done;
  }

  __device__ __forceinline__ float4* InRing(unsigned warp, unsigned part, unsigned vector) const {
    return reinterpret_cast<float4*>(&shared_) + places_.FirstVector(warp, part) + vector * 32 + lane_;
  }

  // The part after `part` other than the CTA's own.
  __device__ __forceinline__ unsigned Other(unsigned part) const {
    return part == tile_.part ? part + 1 : part;
  }

  // By all consumer warps; `adds`: this one has seen that the other parts have handed over its rows.
  __device__ __forceinline__ void SumTogether(bool adds) const {
    if (places_.FirstWarp(tile_.part) == places_.FirstWarp(tile_.part + 1)) return;
    if (lane_ == 0) shared_.adds[warp_] = adds ? 1 : 0;
    Meet();  // nobody multiplies from the ring any more, and what the owners have seen all may read
    SumUp();
    Meet();
  }

  // The other parts' sums of all rows that this CTA owns, each warp its share of the vectors: into the ring, all under way at once, and
  // their sum to where the first of them lies. Each thread adds what it has copied itself.
  __device__ __forceinline__ void SumUp() const {
    const unsigned end = places_.FirstWarp(tile_.part + 1);
#pragma unroll 1
    for (unsigned warp = places_.FirstWarp(tile_.part); warp < end; ++warp) {
      if (Adds(warp)) CopyShare(warp);
    }
    device::ptx::CpAsyncCommit();
    device::ptx::CpAsyncWait<0>();
#pragma unroll 1
    for (unsigned warp = places_.FirstWarp(tile_.part); warp < end; ++warp) {
      if (Adds(warp)) AddShare(warp);
    }
  }

  __device__ __forceinline__ bool Adds(unsigned warp) const {
    return __any_sync(0xffffffffu, shared_.adds[warp] != 0);
  }

  // Of each warp; the first ones have one more, behind all of these, where the vectors do not go into the warps evenly.
  static constexpr unsigned kShare = kVectors / C::kConsumerWarps;
  static constexpr unsigned kRest = kVectors % C::kConsumerWarps;
  static constexpr unsigned kFirstOfRest = kVectors - kRest;

  __device__ __forceinline__ void CopyShare(unsigned warp) const {
    CopyVectors<kShare>(warp, warp_ * kShare);
    if constexpr (kRest > 0) {
      if (warp_ < kRest) CopyVectors<1>(warp, kFirstOfRest + warp_);
    }
  }

  template <unsigned kCount>
  __device__ __forceinline__ void CopyVectors(unsigned warp, unsigned first) const {
#pragma unroll 1
    for (unsigned part = Other(0); part < tile_.parts; part = Other(part + 1)) {
      const float4* const from =
          partials_.PartialOf(partials_.CtaOf(tile_, part), warp) + first * Partials<C>::kThreads;
      const unsigned to = device::ptx::SharedAddress(InRing(warp, part, first));
#pragma unroll
      for (unsigned i = 0; i < kCount; ++i) {
        device::ptx::CpAsync16(to + i * 32 * 16, from + i * Partials<C>::kThreads, 16);
      }
    }
  }

  __device__ __forceinline__ void AddShare(unsigned warp) const {
    AddVectors<kShare>(warp, warp_ * kShare);
    if constexpr (kRest > 0) {
      if (warp_ < kRest) AddVectors<1>(warp, kFirstOfRest + warp_);
    }
  }

  template <unsigned kCount>
  __device__ __forceinline__ void AddVectors(unsigned warp, unsigned first) const {
    float4* const to = InRing(warp, Other(0), first);
    float4 sums[kCount];
#pragma unroll
    for (unsigned i = 0; i < kCount; ++i) sums[i] = to[i * 32];
#pragma unroll 1
    for (unsigned part = Other(Other(0) + 1); part < tile_.parts; part = Other(part + 1)) {
      const float4* const from = InRing(warp, part, first);
#pragma unroll
      for (unsigned i = 0; i < kCount; ++i) RingSums<C>::AddTo(&sums[i].x, from[i * 32]);
    }
#pragma unroll
    for (unsigned i = 0; i < kCount; ++i) to[i * 32] = sums[i];
  }

  // In the owner's place, whose sums lie in workspace like all others. Into registers, for the ring has no room for what several owners
  // add. Adding to -0 changes no bit.
  __device__ __forceinline__ void AddUpForOwner(float (&acc)[C::kBlocksM][C::kTileN / 2]) const {
#pragma unroll
    for (int block = 0; block < C::kBlocksM; ++block) {
#pragma unroll
      for (float& value : acc[block]) value = -0.0f;
    }
#pragma unroll 1
    for (unsigned turn = 0; turn <= tile_.parts; ++turn) {
      if (turn == owner_) continue;
      const unsigned part = turn == tile_.parts ? owner_ : turn;
      partials_.Add(partials_.CtaOf(tile_, part), warp_, acc);
    }
  }

  Shared<C>& shared_;
  const TileAt& tile_;
  const unsigned long long nonce_;
  const Partials<C> partials_;
  const RingSums<C> places_;
  const bool has_rows_;
  const unsigned warp_;
  const unsigned owner_;  // the part that adds and stores this warp's rows
  const unsigned lane_;
};

}  // namespace gemm::hopper
