// The epilogue for a D of 16-bit elements whose rows start at odd and at even multiples of 16 bytes by turns (an odd multiple of 8
// columns): every box that leaves is whole sectors of the L2. A half sector costs it as much as several whole ones: 6912x4760x128 takes
// 41.7 us so, and 28.8 with 8 columns more (H100, 2026-11-25).
//
// The tensor maps (output_maps.cc) have D's rows as pairs: dimensions n, 2, m / 2, batch; box w x 1 x 8 x 1. A chunk of 16 rows of a warp is
// its 8 even rows and then its 8 odd ones, 128 bytes each, with the 128-byte swizzle. Of the two the rows that start within a
// sector, "off" rows, lie 8 columns further to the left from the second chunk of a tile on; their first box is 8 columns narrower, and
// the 8 columns that are left at the tile's end leave from registers. So does a last row without a pair, from its chunk.
#pragma once

#include "common/device/convert.cuh"
#include "common/device/ptx/elect.cuh"
#include "common/device/ptx/stmatrix.cuh"
#include "common/device/ptx/tma.cuh"
#include "common/device/scalars.cuh"
#include "hopper/params.h"
#include "hopper/tile_scheduler.cuh"

namespace gemm::hopper {

// A consumer warp's. `row` is its first one in the tile, `buffers` its C::kChunkBuffers chunks.
template <class C>
class SectorStore {
 public:
  __device__ __forceinline__ SectorStore(const Params& params, const device::AlphaBeta& scalars,
                                         unsigned char* buffers, int row, unsigned lane)
      : params_(params), scalars_(scalars), buffers_(buffers), row_(row), lane_(lane) {}

  static __device__ __forceinline__ void PrefetchMaps(const Params& params) {
    device::ptx::PrefetchMap(&params.d_pairs);
    device::ptx::PrefetchMap(&params.d_pairs_first);
    if constexpr (C::kTileN % kColumns != 0) device::ptx::PrefetchMap(&params.d_pairs_narrow);
  }

  // alpha acc, where beta is 0. `next` counts the warp's chunks, each in the next buffer.
  __device__ __forceinline__ void Store(const TileAt& tile, const float (&acc)[C::kBlocksM][C::kTileN / 2],
                                        unsigned* next) const {
    const unsigned off = OffRows(tile);
#pragma unroll
    for (int block = 0; block < C::kBlocksM; ++block) {
      const int row = tile.row + row_ + block * C::kWgmmaM;
#pragma unroll
      for (int chunk = 0; chunk < kChunks; ++chunk) {
        unsigned char* const at = buffers_ + *next % C::kChunkBuffers * C::kChunkBytes;
        if (device::ptx::ElectOne()) device::ptx::WaitStoresRead<C::kChunkBuffers - 1>();
        __syncwarp();
        Write(at, acc[block], chunk, off);
        if (row <= params_.m - 1 && params_.m - 1 < row + C::kChunkRows && params_.m % 2 != 0) {
          StoreLastRow(tile, row, chunk, off, at);
        }
        Send(tile, row, chunk, off, at);
        ++*next;
      }
      StoreEnd(tile, row, acc[block], IsOff(off));
    }
  }

 private:
  static constexpr int kColumns = 64;                                    // of a chunk
  static constexpr int kChunks = (C::kTileN + kColumns - 1) / kColumns;  // side by side
  static constexpr int kUnits = C::kTileN / 8;

  static __device__ __forceinline__ constexpr int Width(int chunk) {
    return C::kTileN - chunk * kColumns < kColumns ? C::kTileN - chunk * kColumns : kColumns;
  }

  // Which of a pair's two rows is off: 0 or 1. A warp's first row is even.
  __device__ __forceinline__ unsigned OffRows(const TileAt& tile) const {
    const long long units =
        reinterpret_cast<long long>(params_.d_address) / 16 + tile.batch * (params_.d_batch_stride / 8);
    return units % 2 != 0 ? 0 : 1;
  }
  // Whether the rows that this lane has of a fragment are off: lane / 4 and the one 8 further.
  __device__ __forceinline__ bool IsOff(unsigned off) const { return lane_ / 4 % 2 == off; }

  // How far to the left of its place the chunk of off rows lies.
  static __device__ __forceinline__ constexpr int Shift(int chunk) { return chunk == 0 ? 0 : 8; }

  // Columns 8 unit + 2 (lane % 4) and the next, of row lane / 4 and, with half 1, the one 8 further (wgmma.cuh).
  __device__ __forceinline__ unsigned Word(const float (&acc)[C::kTileN / 2], int unit, int half) const {
    const float* const v = acc + 4 * unit + 2 * half;
    return device::Pack2(params_.output_type, scalars_.alpha * v[0], scalars_.alpha * v[1]);
  }

  // stmatrix takes a place for each row, so the off rows' are 16 bytes further where their chunk lies further to the left. Their last 8
  // columns would be in the next chunk and lie, until they are overwritten, where the last 8 of the chunk before belong.
  __device__ __forceinline__ void Write(unsigned char* at, const float (&acc)[C::kTileN / 2], int chunk,
                                        unsigned off) const {
    const unsigned row = lane_ % 16;
    const unsigned line = device::ptx::SharedAddress(at) + LineAt(row);
    const unsigned shift = chunk > 0 && row % 2 == off ? 1 : 0;
#pragma unroll
    for (int i = 0; i < kColumns / 16; ++i) {
      if (16 * i >= Width(chunk)) break;
      unsigned words[4];
#pragma unroll
      for (int j = 0; j < 4; ++j) words[j] = Word(acc, chunk * 8 + 2 * i + j / 2, j % 2);
      const unsigned place = (2 * i + lane_ / 16 + shift) % 8;
      device::ptx::StoreMatrix4(line + (place ^ (row / 2)) * 16, words[0], words[1], words[2], words[3]);
    }
    if (chunk > 0) WriteStart(at, acc, chunk, off);
  }

  // Of off rows in all chunks but the first: the 8 columns before the chunk's own.
  __device__ __forceinline__ void WriteStart(unsigned char* at, const float (&acc)[C::kTileN / 2], int chunk,
                                             unsigned off) const {
    __syncwarp();
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const unsigned word = Word(acc, chunk * 8 - 1, half);
      const unsigned row = lane_ / 4 + 8 * half;
      if (IsOff(off)) *reinterpret_cast<unsigned*>(at + LineAt(row) + row / 2 * 16 + lane_ % 4 * 4) = word;
    }
  }

  // Where a row of a chunk lies in its buffer.
  static __device__ __forceinline__ unsigned LineAt(unsigned row) { return row % 2 * 1024 + row / 2 * 128; }

  __device__ __forceinline__ void Send(const TileAt& tile, int row, int chunk, unsigned off,
                                       const unsigned char* at) const {
    device::ptx::FenceSharedForAsync();
    __syncwarp();
    if (device::ptx::ElectOne()) {
      const TensorMap* const map = Width(chunk) == kColumns ? &params_.d_pairs : &params_.d_pairs_narrow;
#pragma unroll
      for (unsigned odd = 0; odd < 2; ++odd) {
        const bool is_off = odd == off;
        const int column = tile.column + chunk * kColumns - (is_off ? Shift(chunk) : 0);
        if (column >= params_.n) continue;
        device::ptx::StoreTile(is_off && chunk == 0 ? &params_.d_pairs_first : map, column,
                               static_cast<int>(odd), row / 2, tile.batch, at + odd * 1024);
      }
      device::ptx::CommitStores();
    }
    __syncwarp();
  }

  __device__ __forceinline__ unsigned short* Element(const TileAt& tile, int row, int column) const {
    return static_cast<unsigned short*>(params_.d_address) + tile.batch * params_.d_batch_stride +
           row * params_.d_row_stride + column;
  }

  // D's last row, which has no pair: the chunk's part of it, 16 bytes a lane.
  __device__ __forceinline__ void StoreLastRow(const TileAt& tile, int row, int chunk, unsigned off,
                                               const unsigned char* at) const {
    __syncwarp();
    const int last = params_.m - 1;
    const unsigned pair = static_cast<unsigned>(last - row) / 2;
    const bool is_off = off == 0;  // an even row
    const int columns = Width(chunk) - (is_off && chunk == 0 ? 8 : 0);
    const int column =
        tile.column + chunk * kColumns + static_cast<int>(lane_) * 8 - (is_off ? Shift(chunk) : 0);
    if (static_cast<int>(lane_) * 8 < columns && column < params_.n) {
      *reinterpret_cast<uint4*>(Element(tile, last, column)) =
          *reinterpret_cast<const uint4*>(at + pair * 128 + (lane_ ^ pair) * 16);
    }
  }

  // The last 8 columns of the tile's off rows.
  __device__ __forceinline__ void StoreEnd(const TileAt& tile, int row, const float (&acc)[C::kTileN / 2],
                                           bool is_off) const {
    const int column = tile.column + C::kTileN - 8 + static_cast<int>(lane_ % 4) * 2;
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const unsigned word = Word(acc, kUnits - 1, half);
      const int at = row + static_cast<int>(lane_ / 4) + 8 * half;
      if (is_off && at < params_.m && column < params_.n) {
        *reinterpret_cast<unsigned*>(Element(tile, at, column)) = word;
      }
    }
  }

  const Params& params_;
  const device::AlphaBeta& scalars_;
  unsigned char* const buffers_;
  const int row_;
  const unsigned lane_;
};

}  // namespace gemm::hopper
