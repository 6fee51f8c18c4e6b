// The chunks in which a consumer warp's epilogue moves C and D: 16 rows x 128 bytes, 64 columns of a 16-bit output or 32 of FP32.
//
// A warp has 16 rows of every 64 of its consumer's, and chunks go along the columns, then to the next 64 rows. Where kTileN is no multiple
// of a chunk's columns, the last of the chunks side by side is narrower: the columns beyond it are another tile's. The warp owns
// C::kChunkBuffers buffers, which its chunks take in turn; where the ring fills shared memory (C::kEpilogueInRing) they lie in it. Row r of
// a chunk is 128 bytes at r * 128, narrow or not, with the 128-byte swizzle.
#pragma once

#include "hopper/shared.cuh"
#include "hopper/tile_scheduler.cuh"

namespace gemm::hopper {

// `columns` is what a whole chunk has of the output's type: 64 or 32.
template <class C>
class WarpChunks {
 public:
  __device__ __forceinline__ WarpChunks(Shared<C>& shared, unsigned consumer, unsigned warp)
      : row_(static_cast<int>(consumer * C::kConsumerOffset + warp * C::kChunkRows)) {
    if constexpr (C::kEpilogueInRing) {
      buffers_ = shared.a[0] + row_ * 128;
    } else {
      buffers_ = shared.chunks[consumer * 4 + warp][0];
    }
  }

  // Side by side.
  static __device__ __forceinline__ constexpr int PerBlock(int columns) {
    return (C::kTileN + columns - 1) / columns;
  }
  static __device__ __forceinline__ bool IsNarrow(int chunk, int columns) {
    return C::kTileN % 64 != 0 && C::kTileN % columns != 0 && (chunk + 1) % PerBlock(columns) == 0;
  }
  // The columns of the chunk: `columns`, or fewer.
  static __device__ __forceinline__ int Width(int chunk, int columns) {
    return IsNarrow(chunk, columns) ? C::kTileN % columns : columns;
  }

  // Of the warp in its tile.
  __device__ __forceinline__ int FirstRow() const { return row_; }
  // The chunk's first row and column in D.
  __device__ __forceinline__ int Row(const TileAt& tile, int chunk, int columns) const {
    return tile.row + row_ + chunk / PerBlock(columns) * C::kWgmmaM;
  }
  __device__ __forceinline__ int Column(const TileAt& tile, int chunk, int columns) const {
    return tile.column + chunk % PerBlock(columns) * columns;
  }

  __device__ __forceinline__ unsigned char* Buffers() const { return buffers_; }
  __device__ __forceinline__ unsigned char* BufferAt(unsigned buffer) const {
    return buffers_ + buffer * (C::kEpilogueInRing ? C::kABytes : C::kChunkBytes);
  }
  // The buffer of the chunk `ahead` of the next one, and the phase of its barrier.
  __device__ __forceinline__ unsigned Buffer(unsigned ahead) const { return (next + ahead) % C::kChunkBuffers; }
  __device__ __forceinline__ unsigned Phase(unsigned ahead) const {
    return (next + ahead) / C::kChunkBuffers & 1;
  }

  unsigned next = 0;  // chunks that the warp has stored

 private:
  unsigned char* buffers_;
  const int row_;
};

}  // namespace gemm::hopper
