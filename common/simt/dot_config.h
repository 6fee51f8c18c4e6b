// The kernel for small products (dot_kernel.cuh): what a CTA computes. Shared by host and device code.
#pragma once

namespace gemm::simt {

// A warp multiplies a row of A by kColumns columns of B, whose K its lanes share; each lane has kPerLane elements of it at a time.
struct DotShape {
  static constexpr int kWarps = 4;
  static constexpr int kColumns = 4;  // of a warp; AddLanes is written for four
  static constexpr int kPerLane = 4;
  static constexpr int kThreads = 32 * kWarps;
  static constexpr int kTileM = 1;
  static constexpr int kTileN = kWarps * kColumns;
  static constexpr int kTileK = 32 * kPerLane;
};

}  // namespace gemm::simt
