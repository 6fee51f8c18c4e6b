// The kernels for small products (dot_kernel.cuh): what a CTA computes. Shared by host and device code.
#pragma once

namespace gemm::simt {

// A warp multiplies a row of A by kColumns columns of B, whose K its lanes share. A round is kPerLane elements of K for each lane, and a lane
// asks for Rounds of them before it multiplies: with three it has 123 registers for 64 (nvcc 13.0, sm_90a), so that four CTAs are on an SM
// at a time for eight.
template <int Rounds>
struct DotShape {
  static constexpr int kWarps = 4;
  static constexpr int kColumns = 4;  // of a warp; AddLanes is written for four
  static constexpr int kPerLane = 4;
  static constexpr int kRoundK = 32 * kPerLane;
  static constexpr int kRounds = Rounds;
  static constexpr int kThreads = 32 * kWarps;
  static constexpr int kTileM = 1;
  static constexpr int kTileN = kWarps * kColumns;
  static constexpr int kTileK = kRoundK * kRounds;
};

}  // namespace gemm::simt
