// The main loop: a ring of kStages tiles of A and B in shared memory, filled kStages - 1 tiles ahead.
//
// Tile t lives in stage t % kStages, and each tile's copies are one cp.async group. At the barrier in iteration
// t every thread has waited for its own copies of tile t + 1 and has read the last fragment of tile t; after
// it, tile t + 1 is complete for all, and tile t's stage may be overwritten, which iteration t + 1 does.
// Fragments are read one K step ahead of their products, across the barrier too.
#pragma once

#include "ampere/config.h"
#include "ampere/consumer.cuh"
#include "ampere/producer.cuh"

namespace gemm::ampere {

template <typename Config>
class MainLoop {
 public:
  __device__ __forceinline__ MainLoop(const Params& params, Shared<Config>& shared, long long batch,
                                      long long m, long long n, int rows_left, int cols_left)
      : copy_a_(params.a, batch, m, rows_left, params.k),
        copy_b_(params.b, batch, n, cols_left, params.k),
        read_a_(threadIdx.x / 32 / Config::kWarpsN * Config::kWarpM),
        read_b_(threadIdx.x / 32 % Config::kWarpsN * Config::kWarpN),
        ring_(static_cast<unsigned>(__cvta_generic_to_shared(&shared.ring))) {}

  // Leaves the product in `sums` and the ring free for other use.
  __device__ __forceinline__ void Run(int k, Accumulators<Config>& sums) {
    sums.Clear();
#pragma unroll 1
    for (int stage = 0; stage < Config::kStages - 1; ++stage) {
      StartTile<0, 1>(stage);
      FinishTile();
      device::ptx::CpAsyncCommit();
    }
    AwaitTile();
    Read<0>();
#pragma unroll 1
    for (int left = k; left > 0; left -= Config::kTileK) Step<0>(sums);
    device::ptx::CpAsyncWait<0>();
    __syncthreads();
  }

 private:
  static constexpr int kSteps = Config::kTileK / kMmaK;
  static_assert(kSteps >= 2 && kSteps % 2 == 0 && Config::kStages >= 3,
                "see the comment at the top of the file");
  static constexpr int kBytesA = OperandShape<Config, true>::kBytes;
  static constexpr int kBytesB = OperandShape<Config, false>::kBytes;

  // Shared::ring.a[stage] and Shared::ring.b[stage].
  __device__ __forceinline__ unsigned TileA(int stage) const { return ring_ + stage * kBytesA; }
  __device__ __forceinline__ unsigned TileB(int stage) const {
    return ring_ + Config::kStages * kBytesA + stage * kBytesB;
  }

  // One K step of the current tile, then the following ones.
  template <int kStep>
  __device__ __forceinline__ void Step(Accumulators<Config>& sums) {
    if constexpr (kStep == kSteps - 1) {
      NextReadStage();
      AwaitTile();
      Read<0>();
    } else {
      Read<kStep + 1>();
      // The stage that was read before this one.
      StartTile<kStep, kSteps - 1>(read_stage_ == 0 ? Config::kStages - 1 : read_stage_ - 1);
    }
    sums.Add(a_[kStep % 2], b_[kStep % 2]);
    if constexpr (kStep == kSteps - 2) device::ptx::CpAsyncCommit();
    if constexpr (kStep < kSteps - 1) {
      Step<kStep + 1>(sums);
    } else {
      FinishTile();
    }
  }

  // Reads the fragments of a K step into the registers of that step's parity.
  template <int kStep>
  __device__ __forceinline__ void Read() {
    read_a_.template Read<kStep>(TileA(read_stage_), a_[kStep % 2]);
    read_b_.template Read<kStep>(TileB(read_stage_), b_[kStep % 2]);
  }
  template <int kPart, int kParts>
  __device__ __forceinline__ void StartTile(int stage) {
    copy_a_.template Start<kPart, kParts>(TileA(stage));
    copy_b_.template Start<kPart, kParts>(TileB(stage));
  }
  __device__ __forceinline__ void FinishTile() {
    copy_a_.Finish();
    copy_b_.Finish();
  }
  // All but the youngest kStages - 2 tiles are complete.
  __device__ __forceinline__ void AwaitTile() {
    device::ptx::CpAsyncWait<Config::kStages - 2>();
    __syncthreads();
  }
  __device__ __forceinline__ void NextReadStage() {
    read_stage_ = read_stage_ + 1 == Config::kStages ? 0 : read_stage_ + 1;
  }

  typename CopyFor<Config, true, Config::kCopy>::Type copy_a_;
  typename CopyFor<Config, false, Config::kCopy>::Type copy_b_;
  FragmentReader<Config, true> read_a_;
  FragmentReader<Config, false> read_b_;
  unsigned ring_;  // shared address
  int read_stage_ = 0;
  unsigned a_[2][Config::kWarpM / 16][4];
  unsigned b_[2][Config::kWarpN / 16][4];
};

}  // namespace gemm::ampere
