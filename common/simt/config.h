// Shapes of the SIMT kernels. Shared by host and device code.
#pragma once

namespace gemm::simt {

// Rows of tiles in a band of the raster (FindTile).
inline constexpr int kBandRows = 16;

// How a kernel knows which dimension of an operand is contiguous.
enum MajorKind : int {
  kMajorK,        // K is, at compile time
  kMajorMN,       // M or N is, at compile time
  kMajorRuntime,  // Input::k_contiguous says it at run time
};

// What one CTA computes and how its threads share the work. A warp is kLanesM x kLanesN lanes; each lane computes
// kThreadM x kThreadN elements, as sub-tiles of 4x4 that lie kLanesM * 4 rows and kLanesN * 4 columns apart, so that
// neighbouring lanes read neighbouring 16 bytes of shared memory and write neighbouring 16 bytes of D.
template <int kCtasPerSmValue, int kTileMValue, int kTileNValue, int kTileKValue, int kThreadMValue,
          int kThreadNValue, int kWarpsMValue, int kWarpsNValue>
struct Shape {
  static constexpr int kCtasPerSm = kCtasPerSmValue;  // resident together; bounds the registers of a thread
  static constexpr int kTileM = kTileMValue;
  static constexpr int kTileN = kTileNValue;
  static constexpr int kTileK = kTileKValue;
  static constexpr int kThreadM = kThreadMValue;
  static constexpr int kThreadN = kThreadNValue;
  static constexpr int kWarpsM = kWarpsMValue;
  static constexpr int kWarpsN = kWarpsNValue;
  static constexpr int kSlices = 1;  // RingShape
  static constexpr int kThreads = 32 * kWarpsM * kWarpsN;
  static constexpr int kLanesM = kTileM / (kWarpsM * kThreadM);
  static constexpr int kLanesN = kTileN / (kWarpsN * kThreadN);
  static_assert(kLanesM * kLanesN == 32, "the lanes of the warps must cover the tile");
  static_assert(kThreadM % 4 == 0 && kThreadN % 4 == 0 && kTileK % 8 == 0, "sub-tiles and vectors are of 4");
};

// In which order a thread's FFMAs of one K step go through its rows and columns: to and fro, so that each shares a source with
// the one before. Which one leaves ptxas registers without bank conflicts depends on the shape (docs/perf/simt.md).
enum FfmaOrder : int { kRowsFirst, kColumnsFirst };

// A Shape whose panels lie in a ring of kStages that cp.async fills. There are kSlices times the warps that cover the tile: each
// such group multiplies a part of every panel's columns, and the groups' sums are added at the end. So a small tile, which is all
// that a small product has for an SM, still gets warps enough to hide each other's latency, each with many sums a thread.
template <int kCtasPerSmValue, int kTileMValue, int kTileNValue, int kTileKValue, int kThreadMValue,
          int kThreadNValue, int kWarpsMValue, int kWarpsNValue, int kSlicesValue, int kStagesValue,
          FfmaOrder kOrderValue>
struct RingShape : Shape<kCtasPerSmValue, kTileMValue, kTileNValue, kTileKValue, kThreadMValue, kThreadNValue,
                         kWarpsMValue, kWarpsNValue> {
  static constexpr int kSlices = kSlicesValue;
  static constexpr int kSliceThreads = 32 * kWarpsMValue * kWarpsNValue;
  static constexpr int kSliceK = kTileKValue / kSlices;  // columns of a panel that a slice multiplies
  static constexpr int kThreads = kSliceThreads * kSlices;
  static constexpr int kStages = kStagesValue;
  static constexpr FfmaOrder kOrder = kOrderValue;
  static constexpr int kRingBytes =
      kStages * kTileKValue * (kTileMValue + 4 + kTileNValue + 4) * 4;  // sizeof(Ring)
  static constexpr int kSumsBytes = kSlices == 1 ? 0 : kSlices * kTileMValue * kTileNValue * 4;
  static constexpr int kSharedBytes = kRingBytes > kSumsBytes ? kRingBytes : kSumsBytes;  // one after the other
  static_assert(kThreadMValue % kSlices == 0, "each slice writes as many of a thread's rows as the others");
  static_assert(kTileKValue % kSlices == 0 && kSliceK % 2 == 0, "fragments take turns");
};

}  // namespace gemm::simt
