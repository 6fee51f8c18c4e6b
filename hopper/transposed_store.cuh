// The epilogue of a kernel that computes D's transpose: its rows are D's columns and contiguous in memory, its columns are D's rows,
// params.d_row_stride apart. For products whose M would fill a tile's rows badly: wgmma counts rows by 64 and columns by 8.
//
// A consumer whose four warps all store does so in panels (panels.cuh), each of which the copy engine takes (tensor maps: box 64 x 64, or as
// many columns as the tile's last panel has; 128-byte swizzle). C comes likewise (panels_of_c.cuh). Where warps store for themselves
// (stream-K, split K) each sends its 32 bytes of a column, whole sectors of the L2, through its first chunk of shared memory. FP32 goes that
// way, 64 bytes of a column; what does not start at multiples of 16 bytes, and any C but in panels, does so an element at a time.
#pragma once

#include "common/device/convert.cuh"
#include "common/device/ptx/elect.cuh"
#include "common/device/ptx/mbarrier.cuh"
#include "common/device/ptx/stmatrix.cuh"
#include "common/device/ptx/tma.cuh"
#include "common/device/scalars.cuh"
#include "hopper/panels.cuh"
#include "hopper/panels_of_c.cuh"
#include "hopper/params.h"
#include "hopper/shared.cuh"
#include "hopper/tile_scheduler.cuh"

namespace gemm::hopper {

// A consumer warp's. `chunk` is its first.
template <class C>
class TransposedStore {
 public:
  __device__ __forceinline__ TransposedStore(const Params& params, const device::AlphaBeta& scalars,
                                             Shared<C>& shared, unsigned consumer, unsigned warp,
                                             unsigned char* chunk, unsigned lane)
      : params_(params),
        scalars_(scalars),
        shared_(shared),
        panels_(shared, consumer, warp, lane),
        consumer_(consumer),
        warp_(warp),
        chunk_(chunk),
        row_(static_cast<int>(consumer * C::kConsumerOffset + warp * C::kChunkRows)),
        lane_(lane) {}

  // `next` counts the panels that the consumer has stored in its chunks. `ring_is_free`: Epilogue::Store's. Changes acc.
  __device__ __forceinline__ void Store(const TileAt& tile, float (&acc)[C::kBlocksM][C::kTileN / 2],
                                        bool ring_is_free, unsigned* next) {
    const bool with_c = scalars_.beta != 0.0f;
    if (params_.transposed != kTransposedUnits || params_.output_type == device::kElementFP32 ||
        (with_c && params_.c_by_threads)) {
      StoreSums(tile, acc);
    } else if constexpr (!OwnsTiles(C::kSchedule)) {
      StoreUnits(tile, acc);
    } else {
      if (with_c) {
        PanelsOfC<C>(params_, shared_, consumer_, warp_, lane_, *next).Combine(tile, scalars_, acc);
        scalars_ = {1.0f, 0.0f};
      }
      if (ring_is_free) {
        StorePanelsAtOnce(tile, acc);
      } else if constexpr (!C::kEpilogueInRing) {
        StorePanels(tile, acc, next);
      }
    }
  }

 private:
  static constexpr int kUnitColumns = 64;     // that a chunk or a panel holds of a 16-bit D
  static constexpr int kElementColumns = 32;  // and a chunk of FP32 sums
  static constexpr int kPanels = Panels<C>::kOfTile;
  static constexpr int kAcross = Panels<C>::kAcross;

  // The last tile: panels go where the consumer's rows of A have been, and leave together.
  __device__ __forceinline__ void StorePanelsAtOnce(const TileAt& tile,
                                                    const float (&acc)[C::kBlocksM][C::kTileN / 2]) const {
    // The consumer's other warps have multiplied what lay there.
    if constexpr (!C::kEpilogueInRing) panels_.Sync();
#pragma unroll
    for (int panel = 0; panel < kPanels; ++panel) WritePanel(panels_.InRing(panel), acc, panel);
    device::ptx::FenceSharedForAsync();
    panels_.Sync();
    if (panels_.IsFirstWarp()) {
      if (device::ptx::ElectOne()) {
#pragma unroll
        for (int panel = 0; panel < kPanels; ++panel) SendPanel(tile, panel, panels_.InRing(panel));
        device::ptx::CommitStores();
      }
      __syncwarp();
    }
  }

  // Other tiles: panels take the consumer's chunks in turn.
  __device__ __forceinline__ void StorePanels(const TileAt& tile,
                                              const float (&acc)[C::kBlocksM][C::kTileN / 2],
                                              unsigned* next) const {
#pragma unroll
    for (int panel = 0; panel < kPanels; ++panel) {
      unsigned char* const at = panels_.At(panel, *next);
      if (panels_.IsFirstWarp()) {
        if (device::ptx::ElectOne()) device::ptx::WaitStoresRead<C::kChunkBuffers - 1>();
        __syncwarp();
      }
      panels_.Sync();
      WritePanel(at, acc, panel);
      device::ptx::FenceSharedForAsync();
      panels_.Sync();
      if (panels_.IsFirstWarp()) {
        if (device::ptx::ElectOne()) {
          SendPanel(tile, panel, at);
          device::ptx::CommitStores();
        }
        __syncwarp();
      }
      ++*next;
    }
  }

  // This warp's rows of the panel.
  __device__ __forceinline__ void WritePanel(const unsigned char* at,
                                             const float (&acc)[C::kBlocksM][C::kTileN / 2], int panel) const {
    const unsigned to = panels_.Matrices(at);
#pragma unroll
    for (int i = 0; i < Panels<C>::Width(panel); i += 16) {
      StoreColumns(to + i * 128, &acc[panel / kAcross][(panel % kAcross * kUnitColumns + i) / 2],
                   i + 8 < Panels<C>::Width(panel));
    }
  }

  __device__ __forceinline__ void SendPanel(const TileAt& tile, int panel, const unsigned char* at) const {
    const int row = panels_.Row(tile, panel);
    const int column = panels_.Column(tile, panel);
    if (row < params_.m && column < params_.n) {
      device::ptx::StoreTile(Panels<C>::IsNarrow(panel) ? &params_.d_narrow : &params_.d, row, column,
                             tile.batch, at);
    }
  }

  // 16-bit elements, 8 of a column at a time. The two halves of a column change places in every second four columns, so that
  // neither side has bank conflicts.
  __device__ __forceinline__ void StoreUnits(const TileAt& tile,
                                             const float (&acc)[C::kBlocksM][C::kTileN / 2]) const {
    // Matrices of one stmatrix: rows 0-7 and 8-15 of 8 columns, then of the next 8.
    const unsigned staged = device::ptx::SharedAddress(chunk_) + At(lane_ % 8 + lane_ / 16 * 8, lane_ / 8 % 2);
    const unsigned char* const mine = chunk_ + At(lane_ / 2, lane_ % 2);
#pragma unroll
    for (int block = 0; block < C::kBlocksM; ++block) {
      const int row = tile.row + row_ + block * C::kWgmmaM + static_cast<int>(lane_ % 2) * 8;
      unsigned short* const d = static_cast<unsigned short*>(params_.d_address) +
                                tile.batch * params_.d_batch_stride +
                                (tile.column + static_cast<int>(lane_ / 2)) * params_.d_row_stride + row;
#pragma unroll
      for (int first = 0; first < C::kTileN; first += kUnitColumns) {
        __syncwarp();  // what was staged before has been read
#pragma unroll
        for (int i = 0; i < kUnitColumns && first + i < C::kTileN; i += 16) {
          StoreColumns(staged + i * 32, &acc[block][(first + i) / 2], first + i + 8 < C::kTileN);
        }
        __syncwarp();
#pragma unroll
        for (int i = 0; i < kUnitColumns && first + i < C::kTileN; i += 16) {
          if (C::kTileN % 16 != 0 && first + i + static_cast<int>(lane_ / 2) >= C::kTileN) continue;
          if (row >= params_.m || tile.column + first + i + static_cast<int>(lane_ / 2) >= params_.n) continue;
          *reinterpret_cast<uint4*>(d + (first + i) * params_.d_row_stride) =
              *reinterpret_cast<const uint4*>(mine + i * 32);
        }
      }
    }
  }

  // The warp's 16 rows of 16 columns, or of eight, as 16-bit elements; `to` is this lane's place for stmatrix.
  __device__ __forceinline__ void StoreColumns(unsigned to, const float* v, bool sixteen) const {
    const float alpha = scalars_.alpha;
    const unsigned low = Pack(alpha * v[0], alpha * v[1]);
    const unsigned high = Pack(alpha * v[2], alpha * v[3]);
    if (sixteen) {
      device::ptx::StoreMatrix4Transposed(to, low, high, Pack(alpha * v[4], alpha * v[5]),
                                          Pack(alpha * v[6], alpha * v[7]));
    } else {
      device::ptx::StoreMatrix2Transposed(to, low, high);
    }
  }

  // Of the chunk: `half` of the 16 rows of a column.
  static __device__ __forceinline__ unsigned At(unsigned column, unsigned half) {
    return column * 32 + (half ^ (column / 4 % 2)) * 16;
  }

  __device__ __forceinline__ unsigned Pack(float low, float high) const {
    return device::Pack2(params_.output_type, low, high);
  }

  // Through FP32 sums in the chunk.
  __device__ __forceinline__ void StoreSums(const TileAt& tile,
                                            const float (&acc)[C::kBlocksM][C::kTileN / 2]) const {
    const bool in_vectors = params_.transposed == kTransposedUnits &&
                            params_.output_type == device::kElementFP32 && scalars_.beta == 0.0f;
    float* const sums = reinterpret_cast<float*>(chunk_);  // [column][row]
#pragma unroll
    for (int block = 0; block < C::kBlocksM; ++block) {
#pragma unroll
      for (int first = 0; first < C::kTileN; first += kElementColumns) {
        __syncwarp();
#pragma unroll
        for (int i = 0; i < kElementColumns / 2 && first / 2 + i < C::kTileN / 2; ++i) {
          // Value i: column 8 (i / 4) + i % 2, and 8 rows further for every second pair.
          const unsigned column = i / 4 * 8 + i % 2 + lane_ % 4 * 2;
          sums[column * 16 + i / 2 % 2 * 8 + lane_ / 4] = acc[block][first / 2 + i];
        }
        __syncwarp();
        const int columns = min(kElementColumns, C::kTileN - first);
        if (in_vectors) {
          WriteVectors(tile, row_ + block * C::kWgmmaM, first, columns, sums);
        } else {
          WriteElements(tile, row_ + block * C::kWgmmaM, first, columns, sums);
        }
      }
    }
  }

  // Eight columns at a time, by four lanes each, a vector of four rows a lane: 64 bytes of each column.
  __device__ __forceinline__ void WriteVectors(const TileAt& tile, int row_in_tile, int first, int columns,
                                               const float* sums) const {
    const int row = tile.row + row_in_tile + static_cast<int>(lane_ % 4) * 4;
    if (row >= params_.m) return;
    const int end = min(columns, params_.n - tile.column - first);
    float* const d = static_cast<float*>(params_.d_address) + tile.batch * params_.d_batch_stride +
                     (tile.column + first) * params_.d_row_stride + row;
#pragma unroll 1
    for (int column = static_cast<int>(lane_ / 4); column < end; column += 8) {
      float4 sum = *reinterpret_cast<const float4*>(sums + column * 16 + lane_ % 4 * 4);
      sum.x *= scalars_.alpha, sum.y *= scalars_.alpha, sum.z *= scalars_.alpha, sum.w *= scalars_.alpha;
      *reinterpret_cast<float4*>(d + column * params_.d_row_stride) = sum;
    }
  }

  // Two columns at a time, by 16 lanes each.
  __device__ __forceinline__ void WriteElements(const TileAt& tile, int row_in_tile, int first, int columns,
                                                const float* sums) const {
    const int row = tile.row + row_in_tile + static_cast<int>(lane_ % 16);
    if (row >= params_.m) return;
    const int end = min(columns, params_.n - tile.column - first);
#pragma unroll 1
    for (int column = static_cast<int>(lane_ / 16); column < end; column += 2) {
      const long long line = tile.column + first + column;
      float value = scalars_.alpha * sums[column * 16 + lane_ % 16];
      if (scalars_.beta != 0.0f) {
        const long long c = tile.batch * params_.c_batch_stride + line * params_.c_row_stride + row;
        value = fmaf(scalars_.beta, device::LoadElement(params_.output_type, params_.c_address, c), value);
      }
      const long long d = tile.batch * params_.d_batch_stride + line * params_.d_row_stride + row;
      device::StoreElement(params_.output_type, params_.d_address, d, value);
    }
  }

  const Params& params_;
  device::AlphaBeta scalars_;
  Shared<C>& shared_;
  const Panels<C> panels_;
  const unsigned consumer_;
  const unsigned warp_;  // of the consumer's four
  unsigned char* const chunk_;
  const int row_;  // the warp's first one in the tile
  const unsigned lane_;
};

}  // namespace gemm::hopper
