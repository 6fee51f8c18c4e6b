// How kernels whose threads copy keep what has not been shifted yet (shifted_operand.cuh). Shared by host and device code.
#pragma once

namespace gemm::hopper {

// Of a group, that copy a K step. A row of a tile is always the same warp's.
inline constexpr int kRawWarps = 8;
inline constexpr int kRawGroups = 2;  // that take K steps in turn
inline constexpr int kRawPieces = 9;  // of 16 bytes, of a row's 128
inline constexpr int kRawRowBytes = kRawPieces * 16;

// K steps of a tile that a group has under way or shifts.
constexpr int RawStages(int tile_m, int tile_n) { return 384 / (tile_m + tile_n); }

// Of a CTA.
constexpr int RawBytes(bool starts_anywhere, int tile_m, int tile_n) {
  return starts_anywhere ? kRawGroups * RawStages(tile_m, tile_n) * kRawRowBytes * (tile_m + tile_n) : 0;
}

}  // namespace gemm::hopper
