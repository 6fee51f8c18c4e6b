// Chunks (chunks.cuh) that a warp's threads copy between device memory and its buffers: of a C or D whose rows do not start at multiples
// of 16 bytes, which is not for the copy engine; and of a D whose rows end within 16 bytes the columns that it would overrun (params.h).
#pragma once

#include "common/device/ptx/elect.cuh"
#include "common/device/ptx/tma.cuh"
#include "hopper/chunks.cuh"
#include "hopper/params.h"
#include "hopper/tile_scheduler.cuh"

namespace gemm::hopper {

// A consumer warp's; `Element` is an integer as wide as an output element.
template <class C, class Element>
class ThreadChunks {
 public:
  __device__ __forceinline__ ThreadChunks(const Params& params, const WarpChunks<C>& chunks, unsigned lane)
      : params_(params), chunks_(chunks), lane_(lane) {}

  // C's part of the chunks from `first` on into all buffers, or as many as the tile has chunks left; zeros beyond
  // C's edges. Of 16-bit elements both of a word are loaded alone: every second row of an odd stride starts
  // within a word.
  __device__ __forceinline__ void Load(const TileAt& tile, int first) const {
    constexpr int kChunks = C::kBlocksM * WarpChunks<C>::PerBlock(kColumns);
    if (device::ptx::ElectOne()) device::ptx::WaitStoresRead<0>();
    __syncwarp();
#pragma unroll 1
    for (int chunk = first; chunk < min(first + C::kChunkBuffers, kChunks); ++chunk) {
      unsigned char* const at = chunks_.BufferAt(chunks_.Buffer(chunk - first));
      const int row = chunks_.Row(tile, chunk, kColumns);
      const int end = min(params_.n, chunks_.Column(tile, chunk, kColumns) + chunks_.Width(chunk, kColumns));
      const int column = chunks_.Column(tile, chunk, kColumns) + static_cast<int>(lane_) * kPerWord;
      const int rows = params_.m - row;
      const Element* from = static_cast<const Element*>(params_.c_address) +
                            tile.batch * params_.c_batch_stride + row * params_.c_row_stride + column;
#pragma unroll 4
      for (int r = 0; r < C::kChunkRows; ++r) {
        unsigned word = r < rows && column < end ? from[0] : 0;
        if constexpr (kPerWord == 2) {
          word |= r < rows && column + 1 < end ? static_cast<unsigned>(from[1]) << 16 : 0;
        }
        *Word(at, r) = word;
        from += params_.c_row_stride;
      }
    }
    __syncwarp();
  }

  // The `count` chunks from `first` on, the last of which is the next, to D as far as they lie in it. A row goes
  // out in words of 4 bytes: one of 16-bit elements that starts within a word gives its first element apart, one
  // that ends within a word its last. Leaves the buffers to the copy engine, which may bring C there.
  __device__ __forceinline__ void Store(const TileAt& tile, int first, int count) const {
    __syncwarp();
#pragma unroll 1
    for (int i = 0; i < count; ++i) {
      unsigned char* const at = chunks_.BufferAt(chunks_.Buffer(1 + i - count));
      const int row = chunks_.Row(tile, first + i, kColumns);
      const int column = chunks_.Column(tile, first + i, kColumns);
      const int rows = params_.m - row;
      const int width = chunks_.Width(first + i, kColumns);
      const int columns = min(params_.n - column, width);
      Element* const to = static_cast<Element*>(params_.d_address) + tile.batch * params_.d_batch_stride +
                          row * params_.d_row_stride + column;
      Element* to_row = to;
#pragma unroll 4
      for (int r = 0; r < C::kChunkRows; ++r) {
        unsigned word = static_cast<int>(lane_) * kPerWord < width ? *Word(at, r) : 0;
        const int odd = IsOdd(to_row);
        if (odd) word = __byte_perm(word, __shfl_down_sync(0xffffffffu, word, 1), 0x5432);
        const int at_column = static_cast<int>(lane_) * kPerWord + odd;
        if (r < rows && at_column + kPerWord <= columns)
          *reinterpret_cast<unsigned*>(to_row + at_column) = word;
        to_row += params_.d_row_stride;
      }
      if constexpr (kPerWord == 2) {
        // Lanes 0 to 15 have a row's first element each, lanes 16 to 31 a row's last.
        const int r = static_cast<int>(lane_ % 16);
        Element* const row_of_lane = to + r * params_.d_row_stride;
        const int odd = IsOdd(row_of_lane);
        const int at_column = lane_ < 16 ? 0 : columns - 1;
        if (r < rows && columns > 0 && (lane_ < 16 ? odd : columns - odd) % 2 != 0) {
          row_of_lane[at_column] = *reinterpret_cast<const Element*>(
              at + r * 128 + ((at_column / 8) ^ (r % 8)) * 16 + at_column % 8 * 2);
        }
      }
    }
    device::ptx::FenceSharedForAsync();
    __syncwarp();
  }

  // The last columns of D where a row ends within 16 bytes, from the chunk of (row, column) at `at`.
  __device__ __forceinline__ void StoreRest(int row, int column, int batch, const unsigned char* at) const {
    __syncwarp();
    const int r = static_cast<int>(lane_);
    if (r < C::kChunkRows && row + r < params_.m) {
      const unsigned unit = static_cast<unsigned>(params_.whole_columns - column) * sizeof(Element) / 16;
      const Element* from = reinterpret_cast<const Element*>(at + r * 128 + (unit ^ (lane_ % 8)) * 16);
      Element* to = static_cast<Element*>(params_.d_address) + batch * params_.d_batch_stride +
                    (row + r) * params_.d_row_stride + params_.whole_columns;
      for (int i = 0; i < params_.n - params_.whole_columns; ++i) to[i] = from[i];
    }
  }

 private:
  static constexpr int kPerWord = 4 / sizeof(Element);
  static constexpr int kColumns = 32 * kPerWord;

  // Whether an element starts within a word: 1 or 0.
  static __device__ __forceinline__ int IsOdd(const Element* p) {
    return kPerWord == 2 ? static_cast<int>(reinterpret_cast<unsigned long long>(p) / 2 % 2) : 0;
  }

  // The word of columns 2 lane and 2 lane + 1 (FP32: of column lane) of row r of the chunk at `at`.
  __device__ __forceinline__ unsigned* Word(unsigned char* at, int r) const {
    return reinterpret_cast<unsigned*>(at + r * 128 + ((lane_ / 4) ^ (r % 8)) * 16 + lane_ % 4 * 4);
  }

  const Params& params_;
  const WarpChunks<C> chunks_;
  const unsigned lane_;
};

}  // namespace gemm::hopper
