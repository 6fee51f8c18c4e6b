// The epilogue: D = alpha acc + beta C, from accumulators through shared memory to the copy engine.
//
// Each consumer warp works alone on its 16 rows of every 64, in chunks of 16 rows x 128 bytes: 64 columns of a
// 16-bit output or 32 of FP32. It owns C::kChunkBuffers buffers, which its chunks take in turn. A chunk of C
// comes into the buffer that its D will leave from, so an update in place is read before it is written, by the
// same warp. Where the ring fills shared memory (C::kEpilogueInRing) the buffers lie in it, and C comes when the last K step has been
// multiplied. Where kTileN is no multiple of a chunk's columns, the last of the chunks side by side is narrower:
// the columns beyond it are another tile's.
//
// Tensor maps of C and D (launch.cc): dimensions n, m, batch; box 128 bytes x 16, or as wide as
// the narrow chunks; 128-byte swizzle, under which rows lie 128 bytes apart in narrow boxes too (seen on an
// H200, 2026-11-21). A C or D whose rows do not start at multiples of 16 bytes is not for the copy engine: there
// the warp's threads copy between device memory and the same buffers, all buffers in one go.
#pragma once

#include "common/device/convert.cuh"
#include "common/device/ptx/elect.cuh"
#include "common/device/ptx/stmatrix.cuh"
#include "common/device/ptx/tma.cuh"
#include "common/device/scalars.cuh"
#include "hopper/params.h"
#include "hopper/sector_store.cuh"
#include "hopper/shared.cuh"
#include "hopper/tile_scheduler.cuh"
#include "hopper/transposed_store.cuh"

namespace gemm::hopper {

// By one thread, as InitOthers (pipeline.cuh).
template <class C>
__device__ __forceinline__ void InitEpilogue(Shared<C>& shared) {
  for (int warp = 0; warp < C::kConsumerWarps; ++warp) {
    for (int i = 0; i < C::kChunkBuffers; ++i) device::ptx::InitBarrier(&shared.c_full[warp][i], 1);
  }
}

// An integer as wide as an output element.
template <int Type>
struct Bits {
  using Unsigned = unsigned short;
};
template <>
struct Bits<device::kElementFP32> {
  using Unsigned = unsigned;
};

template <class C>
class Epilogue {
 public:
  __device__ __forceinline__ Epilogue(const Params& params, Shared<C>& shared, unsigned consumer, unsigned warp,
                                      unsigned lane)
      : params_(params),
        shared_(shared),
        consumer_(consumer),
        warp_(warp),
        c_full_(shared.c_full[consumer * 4 + warp]),
        row_(static_cast<int>(consumer * C::kConsumerOffset + warp * C::kChunkRows)),
        lane_(lane) {
    if constexpr (C::kEpilogueInRing) {
      buffers_ = shared.a[0] + row_ * 128;
    } else {
      buffers_ = shared.chunks[consumer * 4 + warp][0];
    }
  }

  // After griddepcontrol.wait, before all else.
  __device__ __forceinline__ void ReadScalars() { scalars_ = device::ReadScalars(params_.scalars); }

  // Asks for the tile's C while the main loop runs: its first chunks into the buffers, where these are free by now, the rest into
  // the L2.
  __device__ __forceinline__ void FetchAhead(const TileAt& tile) {
    if (scalars_.beta == 0.0f || params_.c_by_threads) return;
    if (device::ptx::ElectOne()) {
      device::ptx::WaitStoresRead<0>();
      const int columns = params_.output_type == device::kElementFP32 ? 32 : 64;
      const int chunks = C::kBlocksM * ChunksPerBlock(columns);
      for (int chunk = 0; chunk < chunks; ++chunk) {
        if (chunk < C::kChunkBuffers && !C::kEpilogueInRing) {
          LoadC(tile, chunk, columns);
        } else {
          device::ptx::PrefetchTile(MapOfC(chunk, columns), Column(tile, chunk, columns),
                                    Row(tile, chunk, columns), tile.batch * params_.c_batch_step);
        }
      }
    }
    __syncwarp();
  }

  // Stores the tile. Returns when the last chunks are handed over, not when they are written. `ring_is_free`: nothing is loaded into
  // the ring any more, and this consumer has rows of A for itself there.
  __device__ __forceinline__ void Store(const TileAt& tile, const float (&acc)[C::kBlocksM][C::kTileN / 2],
                                        bool ring_is_free) {
    if constexpr (C::kEpilogueInRing) {
      TakeRing(tile);
      ring_is_free = true;
    }
    if constexpr (C::kTransposes) {
      if (params_.transposed) {
        TransposedStore<C>(params_, scalars_, shared_, consumer_, warp_, buffers_, lane_)
            .Store(tile, acc, ring_is_free, &next_);
        return;
      }
    }
    if constexpr (C::kStoresSectors) {
      if (params_.by_sectors && !ring_is_free && scalars_.beta == 0.0f) {
        SectorStore<C>(params_, scalars_, buffers_, row_, lane_).Store(tile, acc, &next_);
        return;
      }
    }
    if constexpr (ChunksPerBlock(64) <= C::kStages) {
      if (ring_is_free && scalars_.beta == 0.0f && params_.whole_columns == params_.n &&
          params_.output_type != device::kElementFP32) {
        if (params_.output_type == device::kElementBF16) {
          StoreAtOnce<device::kElementBF16>(tile, acc);
        } else {
          StoreAtOnce<device::kElementFP16>(tile, acc);
        }
        return;
      }
    }
    if (params_.output_type == device::kElementBF16) {
      StoreAs<device::kElementBF16>(tile, acc);
    } else if (params_.output_type == device::kElementFP16) {
      StoreAs<device::kElementFP16>(tile, acc);
    } else {
      StoreAs<device::kElementFP32>(tile, acc);
    }
  }

  // Before the CTA exits: the copy engine has read this warp's buffers. That D is written comes with the end of the grid.
  __device__ __forceinline__ void Finish() {
    if (device::ptx::ElectOne()) device::ptx::WaitStoresRead<0>();
    __syncwarp();
  }

 private:
  // The buffers in the ring are this warp's when the consumer's other warps have multiplied what lay there. Asks for the first
  // chunks of C.
  __device__ __forceinline__ void TakeRing(const TileAt& tile) {
    SyncConsumer(consumer_);
    if (scalars_.beta == 0.0f || params_.c_by_threads) return;
    if (device::ptx::ElectOne()) {
      const int columns = params_.output_type == device::kElementFP32 ? 32 : 64;
      for (int chunk = 0; chunk < min(C::kChunkBuffers, C::kBlocksM * ChunksPerBlock(columns)); ++chunk) {
        LoadC(tile, chunk, columns);
      }
    }
    __syncwarp();
  }

  __device__ __forceinline__ unsigned char* BufferAt(unsigned buffer) const {
    return buffers_ + buffer * (C::kEpilogueInRing ? C::kABytes : C::kChunkBytes);
  }

  // Of `columns` columns, side by side.
  static __device__ __forceinline__ constexpr int ChunksPerBlock(int columns) {
    return (C::kTileN + columns - 1) / columns;
  }
  static __device__ __forceinline__ bool IsNarrow(int chunk, int columns) {
    return C::kTileN % 64 != 0 && C::kTileN % columns != 0 && (chunk + 1) % ChunksPerBlock(columns) == 0;
  }
  // The columns of the chunk: `columns`, or fewer.
  static __device__ __forceinline__ int Width(int chunk, int columns) {
    return IsNarrow(chunk, columns) ? C::kTileN % columns : columns;
  }
  __device__ __forceinline__ const TensorMap* MapOfC(int chunk, int columns) const {
    return IsNarrow(chunk, columns) ? &params_.c_narrow : &params_.c;
  }
  // The chunk's first row and column in D. Chunks go along the columns, then to the next 64 rows.
  __device__ __forceinline__ int Row(const TileAt& tile, int chunk, int columns) const {
    return tile.row + row_ + chunk / ChunksPerBlock(columns) * C::kWgmmaM;
  }
  __device__ __forceinline__ int Column(const TileAt& tile, int chunk, int columns) const {
    return tile.column + chunk % ChunksPerBlock(columns) * columns;
  }
  // The buffer of the chunk `ahead` of the next one, and the phase of its barrier.
  __device__ __forceinline__ unsigned Buffer(unsigned ahead) const {
    return (next_ + ahead) % C::kChunkBuffers;
  }
  __device__ __forceinline__ unsigned Phase(unsigned ahead) const {
    return (next_ + ahead) / C::kChunkBuffers & 1;
  }

  // By the elected lane; the buffer must be free. `ahead` counts from the tile's first chunk when none is stored yet.
  __device__ __forceinline__ void LoadC(const TileAt& tile, int chunk, int columns, unsigned ahead) {
    const unsigned buffer = Buffer(ahead);
    device::ptx::ArriveExpectBytes(&c_full_[buffer], C::kChunkBytes / columns * Width(chunk, columns));
    device::ptx::LoadTile(BufferAt(buffer), MapOfC(chunk, columns), Column(tile, chunk, columns),
                          Row(tile, chunk, columns), tile.batch * params_.c_batch_step, &c_full_[buffer]);
  }
  __device__ __forceinline__ void LoadC(const TileAt& tile, int chunk, int columns) {
    LoadC(tile, chunk, columns, static_cast<unsigned>(chunk));
  }

  template <int Type>
  __device__ __forceinline__ void StoreAs(const TileAt& tile, const float (&acc)[C::kBlocksM][C::kTileN / 2]) {
    constexpr int kColumns = Type == device::kElementFP32 ? 32 : 64;
    constexpr int kChunksPerBlock = ChunksPerBlock(kColumns);
    constexpr int kChunks = C::kBlocksM * kChunksPerBlock;
    const bool with_c = scalars_.beta != 0.0f;
    const bool d_by_threads = params_.whole_columns == 0;
#pragma unroll
    for (int chunk = 0; chunk < kChunks; ++chunk) {
      if (chunk % C::kChunkBuffers == 0 && with_c && params_.c_by_threads) LoadByThreads<Type>(tile, chunk);
      const unsigned buffer = Buffer(0);
      unsigned char* at = BufferAt(buffer);
      const float* values = &acc[chunk / kChunksPerBlock][chunk % kChunksPerBlock * (kColumns / 2)];
      if (with_c) {
        if (!params_.c_by_threads) device::ptx::WaitParity(&c_full_[buffer], Phase(0));
        WriteChunk<Type, true>(at, values, Width(chunk, kColumns));
      } else {
        if (device::ptx::ElectOne()) device::ptx::WaitStoresRead<C::kChunkBuffers - 1>();
        __syncwarp();
        WriteChunk<Type, false>(at, values, Width(chunk, kColumns));
      }
      if (!d_by_threads) {
        StoreChunk<Type>(tile, chunk, at);
        if (with_c && !params_.c_by_threads && chunk + C::kChunkBuffers < kChunks && device::ptx::ElectOne()) {
          device::ptx::WaitStoresRead<0>();
          LoadC(tile, chunk + C::kChunkBuffers, kColumns, C::kChunkBuffers);
        }
        __syncwarp();
      } else if ((chunk + 1) % C::kChunkBuffers == 0 || chunk + 1 == kChunks) {
        constexpr int kGroup = kChunks < C::kChunkBuffers ? kChunks : C::kChunkBuffers;
        const int first = chunk / C::kChunkBuffers * C::kChunkBuffers;
        StoreByThreads<Type>(tile, first, chunk + 1 - first);
        if (with_c && !params_.c_by_threads && device::ptx::ElectOne()) {
#pragma unroll 1
          for (int next = chunk + 1; next < min(chunk + 1 + kGroup, kChunks); ++next) {
            LoadC(tile, next, kColumns, next - chunk);
          }
        }
      }
      ++next_;
    }
  }

  // The last tile, whose chunks need not wait for each other: they go where this warp's rows of A have been, a chunk of 16 rows in
  // each stage, and leave together.
  template <int Type>
  __device__ __forceinline__ void StoreAtOnce(const TileAt& tile,
                                              const float (&acc)[C::kBlocksM][C::kTileN / 2]) const {
    constexpr int kColumns = 64;
    constexpr int kChunksPerBlock = ChunksPerBlock(kColumns);
    constexpr int kChunks = C::kBlocksM * kChunksPerBlock;
    // The consumer's other warps have read their rows too.
    if constexpr (!C::kEpilogueInRing) SyncConsumer(consumer_);
#pragma unroll
    for (int chunk = 0; chunk < kChunks; ++chunk) {
      WriteChunk<Type, false>(InRing(chunk, kChunksPerBlock),
                              &acc[chunk / kChunksPerBlock][chunk % kChunksPerBlock * (kColumns / 2)],
                              Width(chunk, kColumns));
    }
    device::ptx::FenceSharedForAsync();
    __syncwarp();
    if (device::ptx::ElectOne()) {
#pragma unroll
      for (int chunk = 0; chunk < kChunks; ++chunk) {
        const int column = Column(tile, chunk, kColumns);
        const TensorMap* map = IsNarrow(chunk, kColumns) ? &params_.d_narrow : &params_.d;
        if (column < params_.whole_columns) {
          device::ptx::StoreTile(map, column, Row(tile, chunk, kColumns), tile.batch,
                                 InRing(chunk, kChunksPerBlock));
        }
      }
      device::ptx::CommitStores();
    }
    __syncwarp();
  }

  // The chunk's place in the ring: rows row_ and on of 64, of the stage that its place among its block's chunks names.
  __device__ __forceinline__ unsigned char* InRing(int chunk, int chunks_per_block) const {
    return shared_.a[chunk % chunks_per_block] + (row_ + chunk / chunks_per_block * C::kWgmmaM) * 128;
  }

  // Hands the chunk at `at`, which this lane has written its part of, to the copy engine.
  template <int Type>
  __device__ __forceinline__ void StoreChunk(const TileAt& tile, int chunk, const unsigned char* at) const {
    constexpr int kColumns = Type == device::kElementFP32 ? 32 : 64;
    const int row = Row(tile, chunk, kColumns);
    const int column = Column(tile, chunk, kColumns);
    const bool has_rest = column <= params_.whole_columns && params_.whole_columns < params_.n &&
                          params_.whole_columns < column + Width(chunk, kColumns);
    if (has_rest) StoreRest<Type>(row, column, tile.batch, at);
    device::ptx::FenceSharedForAsync();
    __syncwarp();
    if (device::ptx::ElectOne()) {
      const TensorMap* map = IsNarrow(chunk, kColumns) ? &params_.d_narrow : &params_.d;
      if (column < params_.whole_columns) device::ptx::StoreTile(map, column, row, tile.batch, at);
      device::ptx::CommitStores();
    }
  }

  // Converts one chunk into the buffer at `at`, where its C lies when WithC. `values` has no more than
  // `columns`, which the compiler knows. Fragments: wgmma.cuh.
  template <int Type, bool WithC>
  __device__ __forceinline__ void WriteChunk(unsigned char* at, const float* values, int columns) const {
    const unsigned g = lane_ / 4;
    const unsigned t = lane_ % 4;
    if constexpr (Type == device::kElementFP32) {
#pragma unroll
      for (int block = 0; block < 4; ++block) {
        if (8 * block >= columns) break;
#pragma unroll
        for (int half = 0; half < 2; ++half) {
          float2* pair =
              reinterpret_cast<float2*>(at + (g + 8 * half) * 128 + ((2 * block + t / 2) ^ g) * 16 + t % 2 * 8);
          float2 c = {0.0f, 0.0f};
          if constexpr (WithC) c = *pair;
          const float* v = values + 4 * block + 2 * half;
          *pair = {Blend<WithC>(v[0], c.x), Blend<WithC>(v[1], c.y)};
        }
      }
    } else {
      unsigned words[16];
#pragma unroll
      for (int i = 0; i < 16; ++i) {
        if (4 * i >= columns) break;
        // Word i: columns 8 (i / 2) + 2 t and the next, row g + 8 (i % 2).
        device::Float2 c = {0.0f, 0.0f};
        if constexpr (WithC) {
          const unsigned char* from = at + (g + i % 2 * 8) * 128 + ((i / 2) ^ g) * 16 + t * 4;
          c = device::Unpack2(Type, *reinterpret_cast<const unsigned*>(from));
        }
        words[i] =
            device::Pack2(Type, Blend<WithC>(values[2 * i], c.low), Blend<WithC>(values[2 * i + 1], c.high));
      }
      // C is read by other lanes than those that overwrite it.
      if constexpr (WithC) __syncwarp();
      // Matrices of one stmatrix: rows 0-7 and 8-15 of 8 columns, then of the next 8.
      const unsigned row = lane_ % 16;
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        if (16 * i >= columns) break;
        const unsigned unit = (2 * i + lane_ / 16) ^ (row % 8);
        const unsigned to = device::ptx::SharedAddress(at) + row * 128 + unit * 16;
        if (16 * i + 8 < columns) {
          device::ptx::StoreMatrix4(to, words[4 * i], words[4 * i + 1], words[4 * i + 2], words[4 * i + 3]);
        } else {
          device::ptx::StoreMatrix2(to, words[4 * i], words[4 * i + 1]);
        }
      }
    }
  }

  // The last columns of D where a row ends within 16 bytes (params.h), from the chunk of (row, column) at `at`.
  template <int Type>
  __device__ __forceinline__ void StoreRest(int row, int column, int batch, const unsigned char* at) const {
    using Element = typename Bits<Type>::Unsigned;
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

  // The word of columns 2 lane and 2 lane + 1 (FP32: of column lane) of row r of the chunk at `at`.
  __device__ __forceinline__ unsigned* Word(unsigned char* at, int r) const {
    return reinterpret_cast<unsigned*>(at + r * 128 + ((lane_ / 4) ^ (r % 8)) * 16 + lane_ % 4 * 4);
  }

  // C's part of the chunks from `first` on into all buffers, or as many as the tile has chunks left; zeros beyond
  // C's edges. Of 16-bit elements both of a word are loaded alone: every second row of an odd stride starts
  // within a word.
  template <int Type>
  __device__ __forceinline__ void LoadByThreads(const TileAt& tile, int first) const {
    using Element = typename Bits<Type>::Unsigned;
    constexpr int kPerWord = 4 / sizeof(Element);
    constexpr int kColumns = 32 * kPerWord;
    constexpr int kChunks = C::kBlocksM * ChunksPerBlock(kColumns);
    if (device::ptx::ElectOne()) device::ptx::WaitStoresRead<0>();
    __syncwarp();
#pragma unroll 1
    for (int chunk = first; chunk < min(first + C::kChunkBuffers, kChunks); ++chunk) {
      unsigned char* const at = BufferAt(Buffer(chunk - first));
      const int row = Row(tile, chunk, kColumns);
      const int end = min(params_.n, Column(tile, chunk, kColumns) + Width(chunk, kColumns));
      const int column = Column(tile, chunk, kColumns) + static_cast<int>(lane_) * kPerWord;
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
  template <int Type>
  __device__ __forceinline__ void StoreByThreads(const TileAt& tile, int first, int count) const {
    using Element = typename Bits<Type>::Unsigned;
    constexpr int kPerWord = 4 / sizeof(Element);
    constexpr int kColumns = 32 * kPerWord;
    const auto is_odd = [](const Element* p) {
      return kPerWord == 2 ? static_cast<int>(reinterpret_cast<unsigned long long>(p) / 2 % 2) : 0;
    };
    __syncwarp();
#pragma unroll 1
    for (int i = 0; i < count; ++i) {
      unsigned char* const at = BufferAt(Buffer(1 + i - count));
      const int row = Row(tile, first + i, kColumns);
      const int column = Column(tile, first + i, kColumns);
      const int rows = params_.m - row;
      const int width = Width(first + i, kColumns);
      const int columns = min(params_.n - column, width);
      Element* const to = static_cast<Element*>(params_.d_address) + tile.batch * params_.d_batch_stride +
                          row * params_.d_row_stride + column;
      Element* to_row = to;
#pragma unroll 4
      for (int r = 0; r < C::kChunkRows; ++r) {
        unsigned word = static_cast<int>(lane_) * kPerWord < width ? *Word(at, r) : 0;
        const int odd = is_odd(to_row);
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
        const int odd = is_odd(row_of_lane);
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

  template <bool WithC>
  __device__ __forceinline__ float Blend(float value, float c) const {
    return WithC ? fmaf(scalars_.beta, c, scalars_.alpha * value) : scalars_.alpha * value;
  }

  const Params& params_;
  device::AlphaBeta scalars_;
  Shared<C>& shared_;
  const unsigned consumer_;
  const unsigned warp_;  // of the consumer's four
  unsigned char* buffers_;
  device::ptx::Barrier* const c_full_;
  const int row_;  // of this warp in its tile
  const unsigned lane_;
  unsigned next_ = 0;  // chunks this warp has stored
};

}  // namespace gemm::hopper
