// Shapes of the SIMT kernels. Shared by host and device code.
#pragma once

namespace gemm::simt {

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
  static constexpr int kThreads = 32 * kWarpsM * kWarpsN;
  static constexpr int kLanesM = kTileM / (kWarpsM * kThreadM);
  static constexpr int kLanesN = kTileN / (kWarpsN * kThreadN);
  static_assert(kLanesM * kLanesN == 32, "the lanes of the warps must cover the tile");
  static_assert(kThreadM % 4 == 0 && kThreadN % 4 == 0 && kTileK % 8 == 0, "sub-tiles and vectors are of 4");
};

// In which order a thread's FFMAs of one K step go through its rows and columns: to and fro, so that each shares a source with
// the one before. Which one leaves ptxas registers without bank conflicts depends on the shape (docs/perf/simt.md).
enum FfmaOrder : int { kRowsFirst, kColumnsFirst };

// A Shape whose panels lie in a ring of kStages that cp.async fills.
template <int kCtasPerSmValue, int kTileMValue, int kTileNValue, int kTileKValue, int kThreadMValue,
          int kThreadNValue, int kWarpsMValue, int kWarpsNValue, int kStagesValue, FfmaOrder kOrderValue>
struct RingShape : Shape<kCtasPerSmValue, kTileMValue, kTileNValue, kTileKValue, kThreadMValue, kThreadNValue,
                         kWarpsMValue, kWarpsNValue> {
  static constexpr int kStages = kStagesValue;
  static constexpr FfmaOrder kOrder = kOrderValue;
  static constexpr int kSharedBytes =
      kStages * kTileKValue * (kTileMValue + 4 + kTileNValue + 4) * 4;  // sizeof(Ring)
};

}  // namespace gemm::simt
