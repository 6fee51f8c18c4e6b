// The kernels on mma.sync, by the wmma API or by PTX: their named constants, for host and device code.
#pragma once

#include "ladder/params.h"

namespace gemm::ladder {

// What the products are written in.
enum class Api {
  kWmma,  // nvcuda::wmma: fragments whose layout is nobody's business
  kMma,   // ldmatrix and mma.sync m16n8k16
};

// How tiles come into shared memory: 16 bytes at a time through registers, or by cp.async past them.
enum class Copies { kThroughRegisters, kAsync };

// How a tile's rows lie in shared memory.
enum class Rows {
  kPlain,     // one after the other: 8 rows of one column share banks
  kPadded,    // 16 bytes apart
  kSwizzled,  // 16-byte chunks exchanged by XOR with the row
};

enum class Loop { kOneBuffer, kTwoBuffers, kThreeStages };

// How results leave: from the fragments, or through the memory of As and Bs, 16 bytes at a time.
enum class Stores { kFragments, kStaged };

// What follows from a row's constants (kernels.inc).
template <class C>
struct TensorDerived : C {
  static constexpr int kWarpsM = C::kTileM / C::kWarpM;
  static constexpr int kWarpsN = C::kTileN / C::kWarpN;
  static constexpr int kThreads = kWarpsM * kWarpsN * 32;
  static constexpr int kBlocksM = C::kWarpM / 16;  // 16 x 16 results each
  static constexpr int kBlocksN = C::kWarpN / 16;
  static constexpr int kStepsK = C::kTileK / 16;
  static constexpr int kBuffers = C::kLoop == Loop::kOneBuffer ? 1 : C::kLoop == Loop::kTwoBuffers ? 2 : 3;
  static constexpr Type kOut = C::kWideOut ? Type::kFP32 : C::kType;
  static constexpr int Bytes(Rows layout, int rows, int columns) {
    return rows * (columns + (layout == Rows::kPadded ? 8 : 0)) * 2;
  }
  static constexpr int kABytes = Bytes(C::kRowsA, C::kTileM, C::kTileK);
  static constexpr int kBBytes = Bytes(C::kRowsB, C::kTileK, C::kTileN);
  static constexpr int kSharedBytes = kBuffers * (kABytes + kBBytes);
  static_assert(kWarpsM * C::kWarpM == C::kTileM && kWarpsN * C::kWarpN == C::kTileN);
};

}  // namespace gemm::ladder
