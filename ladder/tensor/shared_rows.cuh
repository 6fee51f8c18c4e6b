// Where the 16-byte chunk `chunk` of row `row` lies in a tile of kRows rows of kColumns 16-bit elements.
//
// Banks serve 128 bytes at a time. ldmatrix and the wmma loads ask for one chunk of 8 successive rows: rows of 256 bytes
// without padding put all 8 into the same 4 banks. Both remedies spread them; padding costs memory, the swizzle an XOR.
#pragma once

#include "ladder/tensor/config.h"

namespace gemm::ladder {

template <Rows kLayout, int kRows, int kColumns>
__device__ __forceinline__ unsigned ChunkAt(int row, int chunk) {
  if constexpr (kLayout == Rows::kPlain) {
    return row * (kColumns * 2) + chunk * 16;
  } else if constexpr (kLayout == Rows::kPadded) {
    return row * (kColumns * 2 + 16) + chunk * 16;
  } else if constexpr (kColumns >= 64) {
    // Panels of 64 columns: rows of 128 bytes, chunk ^ row % 8. Known as swizzle (3, 3, 3).
    return chunk / 8 * (kRows * 128) + row * 128 + ((chunk ^ row) % 8) * 16;
  } else {
    // Rows of 64 bytes: two of them share 128 bytes, so every second row changes the chunk.
    static_assert(kColumns == 32);
    return row * 64 + ((chunk ^ (row / 2)) % 4) * 16;
  }
}

}  // namespace gemm::ladder
