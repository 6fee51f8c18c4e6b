// The main loop: a ring of kStages tiles of A and B in shared memory, filled kAhead = kStages - 1 tiles ahead.
//
// Tile t lives in stage t % kStages, and each tile's copies are one cp.async group. At the barrier in iteration
// t every thread has waited for its own copies of tile t + 1 and has read the last fragment of tile t; after
// it, tile t + 1 is complete for all, and tile t's stage may be overwritten, which iteration t + 1 does.
// Fragments are read one K step ahead of their products, across the barrier too. A tile that does not exist is not copied; its
// group is empty, and the last tile's fragments are read again in the place of its own: a branch around the barrier and the
// reads would keep ptxas from moving products between them, which cost a sixth of the FLOP per clock (2026-11-22).
//
// Warp tiles of more than 64 rows lack the registers for that and hold A's fragments once (StepInPlace), which takes a fourth
// stage. They are there because bytes cost joules, and joules clock: 160x256 copies 13% less than 128x256 and reads 10% less,
// and ran 8192^3 at 455 TFLOP/s where 128x256 ran at 440, both at 2230 FLOP per clock and SM.
//
// mma.sync is bound by what its warps issue beside it, and by power: 128x256x64_s3 takes 1.8 instructions for each product
// (SASS, code for 9.0). Barriers for each stage (mbarrier) instead of one for the CTA, a fourth stage, A's fragments read one
// block ahead, warp tiles of 96x64: none was faster (docs/perf/ampere.md, 2026-11-22).
#pragma once

#include "ampere/aligned_copy.cuh"
#include "ampere/any_copy.cuh"
#include "ampere/config.h"
#include "ampere/consumer.cuh"
#include "ampere/copy_share.cuh"
#include "ampere/params.h"
#include "common/device/ptx/cp_async.cuh"
#include "common/device/ptx/opaque.cuh"

namespace gemm::ampere {

template <typename Config, bool kIsA, Copy kCopy>
struct CopyFor {
  using Type = AlignedCopy<Config, kIsA>;
};
template <typename Config, bool kIsA>
struct CopyFor<Config, kIsA, Copy::kAny> {
  using Type = AnyCopy<Config, kIsA>;
};

template <typename Config>
class MainLoop {
 public:
  __device__ __forceinline__ MainLoop(const Params& params, Shared<Config>& shared, long long batch,
                                      long long m, long long n, int rows_left, int cols_left,
                                      const KRange& range)
      : copy_a_(params.a, batch, m, rows_left, range),
        copy_b_(params.b, batch, n, cols_left, range),
        read_a_(threadIdx.x / 32 / Config::kWarpsN * Config::kWarpM),
        read_b_(threadIdx.x / 32 % Config::kWarpsN * Config::kWarpN),
        k_(range.count),
        ring_(static_cast<unsigned>(__cvta_generic_to_shared(shared.ring))) {
    device::ptx::KeepInRegister(ring_);
  }

  // Starts the copies of the first tiles.
  __device__ __forceinline__ void Start() {
    if (k_ > 0) Fill(k_, (k_ - 1) / Config::kTileK + 1);
  }

  // After Start. Leaves the product in `sums` and the ring free for other use. Calls `near_end` once, a few tiles before it
  // is done, but where kNearEnd is 0 never.
  template <typename NearEnd>
  __device__ __forceinline__ void Run(Accumulators<Config>& sums, const NearEnd& near_end) {
    sums.Clear();
    if (k_ == 0) return;
    AwaitTile();
    Read<0>();
    int left = (k_ - 1) / Config::kTileK + 1;
#pragma unroll 1
    for (int stop = kNearEnd;; stop = 0) {
#pragma unroll 1
      for (; left > stop; --left) Step<0>(left > 1, sums);
      if (stop == 0) break;
      near_end();
    }
    __syncthreads();
  }

 private:
  // Tiles that copies run ahead of the products.
  static constexpr int kAhead = Config::kStages - (Config::kAInPlace ? 2 : 1);
  // Where several CTAs share an SM, one multiplies while another reads C. There, and with large warp tiles, is no register to
  // spare for the call either.
  static constexpr int kNearEnd = Config::kCtasPerSm == 1 && !Config::kAInPlace ? 6 : 0;
  static constexpr int kSteps = Config::kTileK / Config::kMmaK;
  static_assert(kSteps >= 2 && kSteps % 2 == 0 && kAhead >= 2, "see the comment at the top of the file");
  static_assert(!Config::kPersistent || kAhead == Config::kStages - 1, "Start leaves the last stage alone");

  __device__ __forceinline__ unsigned TileA(int stage) const { return ring_ + stage * Ring<Config>::kStrideA; }
  __device__ __forceinline__ unsigned TileB(int stage) const {
    return ring_ + Ring<Config>::kFirstB + stage * Ring<Config>::kStrideB;
  }

  // Starts the copies of the first kAhead tiles.
  __device__ __forceinline__ void Fill(int k, int tiles) {
    uncopied_ = tiles - 1;
    Aim(0);
    copy_a_.StartFirst(k);
    copy_b_.StartFirst(k);
    copy_a_.Finish();
    copy_b_.Finish();
    device::ptx::CpAsyncCommit();
#pragma unroll 1
    for (int stage = 1; stage < kAhead; ++stage) {
      Aim(stage);
      StartTile<0, 1>();
      FinishTile();
      device::ptx::CpAsyncCommit();
    }
    write_stage_ = kAhead;
    Aim(write_stage_);
  }

  // One K step of the current tile, then the following ones.
  template <int kStep>
  __device__ __forceinline__ void Step(bool has_next, Accumulators<Config>& sums) {
    if constexpr (Config::kAInPlace) {
      StepInPlace<kStep>(has_next, sums);
    } else {
      StepAhead<kStep>(has_next, sums);
    }
    if constexpr (kStep < kSteps - 1) {
      Step<kStep + 1>(has_next, sums);
    } else {
      FinishTile();
      write_stage_ = NextStage(write_stage_);
      Aim(write_stage_);
    }
  }

  // Both operands' fragments of the next step are read before the products of this one.
  template <int kStep>
  __device__ __forceinline__ void StepAhead(bool has_next, Accumulators<Config>& sums) {
    if constexpr (kStep == kSteps - 1) {
      if (has_next) read_stage_ = NextStage(read_stage_);
      // Otherwise ptxas computes each address twice, for either stage: 20 instructions of 270.
      if constexpr (Config::kPersistent) device::ptx::KeepInRegister(read_stage_);
      AwaitTile();
      Read<0>();
    } else {
      Read<kStep + 1>();
      StartTile<kStep, kSteps - 1>();
    }
    RoundFragments<Config, false>(b_[kStep % 2]);
    sums.Add(a_[kStep % 2], b_[kStep % 2]);
    if constexpr (kStep == kSteps - 2) device::ptx::CpAsyncCommit();
  }

  // B's are, and A's take the place of those whose products are done. The last of these reads come too late for the barrier,
  // which therefore does not stand for them: copies go to a stage that was read before the barrier of the tile before.
  template <int kStep>
  __device__ __forceinline__ void StepInPlace(bool has_next, Accumulators<Config>& sums) {
    constexpr int kNext = (kStep + 1) % kSteps;
    if constexpr (kStep == kSteps - 1) {
      if (has_next) read_stage_ = NextStage(read_stage_);
    } else {
      StartTile<kStep, kSteps - 1>();
      if constexpr (kStep == kSteps - 2) device::ptx::CpAsyncCommit();
    }
    read_b_.template Read<kNext>(TileB(read_stage_), b_[kNext % 2]);
    RoundFragments<Config, false>(b_[kStep % 2]);
#pragma unroll
    for (int i = 0; i < Accumulators<Config>::kBlocksM; ++i) {
      if (kStep == kSteps - 2 && i == 2) AwaitTile();
      sums.AddRow(i, a_[0][i], b_[kStep % 2]);
      read_a_.template ReadBlock<kNext>(TileA(read_stage_), i, a_[0][i]);
    }
  }

  // Reads the fragments of a K step into the registers of that step's parity.
  template <int kStep>
  __device__ __forceinline__ void Read() {
    read_a_.template Read<kStep>(TileA(read_stage_), a_[kStep % 2]);
    read_b_.template Read<kStep>(TileB(read_stage_), b_[kStep % 2]);
  }
  __device__ __forceinline__ void Aim(int stage) {
    copy_a_.Aim(TileA(stage));
    copy_b_.Aim(TileB(stage));
  }
  // The kPart-th of kParts shares of the next tile's copies. ptxas puts three loads that do nothing before a copy that follows
  // an ldmatrix, so copies go together.
  template <int kPart, int kParts>
  __device__ __forceinline__ void StartTile() {
    constexpr int kPassesA = CopyShare<Config, true>::kPasses;
    constexpr int kPasses = kPassesA + CopyShare<Config, false>::kPasses;
    constexpr int kBegin = kPart * kPasses / kParts;
    constexpr int kEnd = (kPart + 1) * kPasses / kParts;
    if (uncopied_ <= 0) return;
    copy_a_.template Start<(kBegin < kPassesA ? kBegin : kPassesA), (kEnd < kPassesA ? kEnd : kPassesA)>();
    copy_b_
        .template Start<(kBegin > kPassesA ? kBegin - kPassesA : 0), (kEnd > kPassesA ? kEnd - kPassesA : 0)>();
  }
  __device__ __forceinline__ void FinishTile() {
    if (uncopied_ > 0) {
      copy_a_.Finish();
      copy_b_.Finish();
    }
    --uncopied_;
  }
  // All but the youngest kAhead - 1 tiles are complete.
  __device__ __forceinline__ void AwaitTile() {
    device::ptx::CpAsyncWait<kAhead - 1>();
    __syncthreads();
  }
  __device__ __forceinline__ static int NextStage(int stage) {
    return stage + 1 == Config::kStages ? 0 : stage + 1;
  }

  typename CopyFor<Config, true, Config::kCopy>::Type copy_a_;
  typename CopyFor<Config, false, Config::kCopy>::Type copy_b_;
  FragmentReader<Config, true> read_a_;
  FragmentReader<Config, false> read_b_;
  int k_;
  unsigned ring_;  // shared address
  unsigned read_stage_ = 0;
  int write_stage_ = 0;
  int uncopied_ = 0;  // tiles whose copy has not been started
  unsigned a_[Config::kAInPlace ? 1 : 2][Config::kWarpM / 16][4];
  unsigned b_[2][Config::kWarpN / 16][4];
};

}  // namespace gemm::ampere
