// Where an operand's tile lies in shared memory.
//
// A tile is stored as rows of 16-byte chunks in the operand's own direction: K-major, rows are M (or N) and
// chunks run along K; MN-major, rows are K and chunks run along M (or N). Rows wider than 128 bytes are cut
// into panels of 128. Banks serve 128 bytes at a time: 8 chunks. Both sides take 8 chunks at once: cp.async
// writes chunks that are neighbours in a row (K-major, K of 32: in two rows), ldmatrix reads one chunk of 8
// successive rows. Exchanging chunks by XOR with the row makes both hit 8 different bank groups. (MN-major rows of 4-byte
// elements are read by threads, 8 neighbours, two chunks, of 4 successive rows: there the XOR is with twice the row.)
#pragma once

#include "ampere/config.h"

namespace gemm::ampere {

template <int kRows, int kRowBytesWhole, int kFactor = 1>
struct Swizzle {
  static constexpr int kRowChunks = kRowBytesWhole / kChunkBytes;
  static constexpr int kPanelChunks = kRowChunks < 8 ? kRowChunks : 8;
  static constexpr int kRowBytes = kPanelChunks * 16;
  static constexpr int kPanelBytes = kRows * kRowBytes;
  // Rows after which the exchange of chunks repeats.
  static constexpr int kPeriod = 8 / kFactor;
  // Rows that share one line of 128 bytes.
  static constexpr int kRowsPerLine = 128 / kRowBytes;
  static_assert(kPanelChunks == 2 || kPanelChunks == 4 || kPanelChunks == 8,
                "a row of the tile holds 32 or 64 bytes or a multiple of 128");

  // Byte offset of a chunk from the tile's start.
  __device__ __forceinline__ static unsigned Offset(int row, int chunk) {
    const int panel = chunk / kPanelChunks;
    const int in_panel = chunk % kPanelChunks;
    return panel * kPanelBytes + row * kRowBytes +
           ((in_panel ^ (row / kRowsPerLine * kFactor % kPanelChunks)) << 4);
  }
};

// The swizzle of A's or B's tile: `outer` is M or N.
template <typename Config, bool kIsA>
struct OperandShape {
  static constexpr bool kIsMnMajor = kIsA ? Config::kAIsMnMajor : Config::kBIsMnMajor;
  static constexpr int kOuter = kIsA ? Config::kTileM : Config::kTileN;
  static constexpr int kRows = kIsMnMajor ? Config::kTileK : kOuter;
  static constexpr int kRowElements = kIsMnMajor ? kOuter : Config::kTileK;
  static constexpr int kBytes = kOuter * Config::kTileK * Config::kElementBytes;
  static constexpr bool kByThreads =
      kIsMnMajor && Config::kElementBytes == 4;  // ldmatrix transposes 16-bit elements
  using Layout = Swizzle<kRows, kRowElements * Config::kElementBytes, kByThreads ? 2 : 1>;
};

}  // namespace gemm::ampere
