// The epilogue: D = alpha acc + beta C, from accumulators through shared memory to the copy engine.
//
// Each consumer warp works alone on its rows, a chunk (chunks.cuh) at a time. A chunk of C comes into the buffer that its D will leave
// from, so an update in place is read before it is written, by the same warp. Where the ring fills shared memory (C::kEpilogueInRing) the
// buffers lie in it, and C comes when the last K step has been multiplied.
//
// Tensor maps of C and D (output_maps.cc): dimensions n, m, batch; box 128 bytes x 16, or as wide as the narrow chunks; 128-byte swizzle,
// under which rows lie 128 bytes apart in narrow boxes too (seen on an H200, 2026-11-21). A C or D whose rows do not start at multiples
// of 16 bytes is not for the copy engine: there the warp's threads copy, all buffers in one go (thread_chunks.cuh).
#pragma once

#include "common/device/convert.cuh"
#include "common/device/ptx/elect.cuh"
#include "common/device/ptx/mbarrier.cuh"
#include "common/device/ptx/tma.cuh"
#include "common/device/scalars.cuh"
#include "hopper/chunk_conversion.cuh"
#include "hopper/chunks.cuh"
#include "hopper/panels.cuh"
#include "hopper/panels_of_c.cuh"
#include "hopper/params.h"
#include "hopper/sector_store.cuh"
#include "hopper/shared.cuh"
#include "hopper/thread_chunks.cuh"
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
        lane_(lane),
        chunks_(shared, consumer, warp) {}

  // After griddepcontrol.wait, before all else.
  __device__ __forceinline__ void ReadScalars() { scalars_ = device::ReadScalars(params_.scalars); }

  // Asks for the tile's C while the main loop runs: its first chunks into the buffers, where these are free by now, the rest into
  // the L2.
  __device__ __forceinline__ void FetchAhead(const TileAt& tile) {
    if (scalars_.beta == 0.0f || params_.c_by_threads) return;
    if constexpr (kHasPanels) {
      if (params_.transposed) {
        OfPanels().FetchAhead(tile);
        return;
      }
    }
    if (device::ptx::ElectOne()) {
      device::ptx::WaitStoresRead<0>();
      const int columns = params_.output_type == device::kElementFP32 ? 32 : 64;
      const int chunks = C::kBlocksM * WarpChunks<C>::PerBlock(columns);
      for (int chunk = 0; chunk < chunks; ++chunk) {
        if (chunk < C::kChunkBuffers && !C::kEpilogueInRing) {
          LoadC(tile, chunk, columns);
        } else {
          device::ptx::PrefetchTile(MapOfC(chunk, columns), chunks_.Column(tile, chunk, columns),
                                    chunks_.Row(tile, chunk, columns), tile.batch * params_.c_batch_step);
        }
      }
    }
    __syncwarp();
  }

  // Stores the tile. Returns when the last chunks are handed over, not when they are written. `ring_is_free`: nothing is loaded into
  // the ring any more, and this consumer has rows of A for itself there. May change acc.
  __device__ __forceinline__ void Store(const TileAt& tile, float (&acc)[C::kBlocksM][C::kTileN / 2],
                                        bool ring_is_free) {
    if constexpr (C::kEpilogueInRing) {
      TakeRing(tile);
      ring_is_free = true;
    }
    if constexpr (C::kTransposes) {
      if (params_.transposed) {
        TransposedStore<C>(params_, scalars_, shared_, consumer_, warp_, chunks_.Buffers(), lane_)
            .Store(tile, acc, ring_is_free, &chunks_.next);
        return;
      }
    }
    if constexpr (C::kStoresSectors) {
      if (params_.by_sectors && !ring_is_free && scalars_.beta == 0.0f) {
        SectorStore<C>(params_, scalars_, chunks_.Buffers(), chunks_.FirstRow(), lane_)
            .Store(tile, acc, &chunks_.next);
        return;
      }
    }
    if (ring_is_free && scalars_.beta == 0.0f && params_.whole_columns == params_.n) {
      if (params_.output_type == device::kElementBF16) {
        if (StoreAtOnce<device::kElementBF16>(tile, acc)) return;
      } else if (params_.output_type == device::kElementFP16) {
        if (StoreAtOnce<device::kElementFP16>(tile, acc)) return;
      } else {
        if (StoreAtOnce<device::kElementFP32>(tile, acc)) return;
      }
    }
    if (params_.output_type == device::kElementFP32) {
      StoreAs<unsigned>(device::kElementFP32, tile, acc);
    } else {
      ForNarrowType([&](int type) { StoreAs<unsigned short>(type, tile, acc); });
    }
  }

  // Before the CTA exits: the copy engine has read this warp's buffers. That D is written comes with the end of the grid.
  __device__ __forceinline__ void Finish() {
    if (device::ptx::ElectOne()) device::ptx::WaitStoresRead<0>();
    __syncwarp();
  }

 private:
  static constexpr bool kHasPanels = C::kTransposes && OwnsTiles(C::kSchedule);

  __device__ __forceinline__ PanelsOfC<C> OfPanels() const {
    return PanelsOfC<C>(params_, shared_, consumer_, warp_, lane_, chunks_.next);
  }

  // The buffers in the ring are this warp's when the consumer's other warps have multiplied what lay there. Asks for the first
  // chunks of C.
  __device__ __forceinline__ void TakeRing(const TileAt& tile) {
    SyncConsumer(consumer_);
    if (scalars_.beta == 0.0f || params_.c_by_threads) return;
    if constexpr (kHasPanels) {
      if (params_.transposed) {
        OfPanels().FetchIntoRing(tile);
        return;
      }
    }
    if (device::ptx::ElectOne()) {
      const int columns = params_.output_type == device::kElementFP32 ? 32 : 64;
      for (int chunk = 0; chunk < min(C::kChunkBuffers, C::kBlocksM * WarpChunks<C>::PerBlock(columns));
           ++chunk) {
        LoadC(tile, chunk, columns);
      }
    }
    __syncwarp();
  }

  // The 16-bit output's type: for one code for both, 12% less of the machine code of five kernels (2026-11-29). Stream-K 128x256 spills so
  // where B is MN-major (nvcc 13.0).
  template <class Body>
  __device__ __forceinline__ void ForNarrowType(const Body& body) const {
    if constexpr (C::kSchedule != Schedule::kStreamK || C::kTileN < 256) {
      body(params_.output_type);
    } else if (params_.output_type == device::kElementBF16) {
      body(device::kElementBF16);
    } else {
      body(device::kElementFP16);
    }
  }

  // Here and below `Element` is an integer as wide as an output element.
  template <class Element>
  __device__ __forceinline__ ThreadChunks<C, Element> ByThreads() const {
    return ThreadChunks<C, Element>(params_, chunks_, lane_);
  }

  __device__ __forceinline__ const TensorMap* MapOfC(int chunk, int columns) const {
    return chunks_.IsNarrow(chunk, columns) ? &params_.c_narrow : &params_.c;
  }
  // By the elected lane; the buffer must be free. `ahead` counts from the tile's first chunk when none is stored yet.
  __device__ __forceinline__ void LoadC(const TileAt& tile, int chunk, int columns, unsigned ahead) {
    const unsigned buffer = chunks_.Buffer(ahead);
    device::ptx::ArriveExpectBytes(&c_full_[buffer], C::kChunkBytes / columns * chunks_.Width(chunk, columns));
    device::ptx::LoadTile(chunks_.BufferAt(buffer), MapOfC(chunk, columns),
                          chunks_.Column(tile, chunk, columns), chunks_.Row(tile, chunk, columns),
                          tile.batch * params_.c_batch_step, &c_full_[buffer]);
  }
  __device__ __forceinline__ void LoadC(const TileAt& tile, int chunk, int columns) {
    LoadC(tile, chunk, columns, static_cast<unsigned>(chunk));
  }

  // `type` is the output's, of as many bytes as Element has.
  template <class Element>
  __device__ __forceinline__ void StoreAs(int type, const TileAt& tile,
                                          const float (&acc)[C::kBlocksM][C::kTileN / 2]) {
    constexpr int kColumns = 128 / sizeof(Element);
    constexpr int kChunksPerBlock = WarpChunks<C>::PerBlock(kColumns);
    constexpr int kChunks = C::kBlocksM * kChunksPerBlock;
    const bool with_c = scalars_.beta != 0.0f;
    const bool d_by_threads = params_.whole_columns == 0;
#pragma unroll
    for (int chunk = 0; chunk < kChunks; ++chunk) {
      if (chunk % C::kChunkBuffers == 0 && with_c && params_.c_by_threads)
        ByThreads<Element>().Load(tile, chunk);
      const unsigned buffer = chunks_.Buffer(0);
      unsigned char* at = chunks_.BufferAt(buffer);
      const float* values = &acc[chunk / kChunksPerBlock][chunk % kChunksPerBlock * (kColumns / 2)];
      if (with_c) {
        if (!params_.c_by_threads) device::ptx::WaitParity(&c_full_[buffer], chunks_.Phase(0));
        WriteChunk<Element, true>(type, scalars_, lane_, at, values, chunks_.Width(chunk, kColumns));
      } else {
        if (device::ptx::ElectOne()) device::ptx::WaitStoresRead<C::kChunkBuffers - 1>();
        __syncwarp();
        WriteChunk<Element, false>(type, scalars_, lane_, at, values, chunks_.Width(chunk, kColumns));
      }
      if (!d_by_threads) {
        StoreChunk<Element>(tile, chunk, at);
        if (with_c && !params_.c_by_threads && chunk + C::kChunkBuffers < kChunks && device::ptx::ElectOne()) {
          device::ptx::WaitStoresRead<0>();
          LoadC(tile, chunk + C::kChunkBuffers, kColumns, C::kChunkBuffers);
        }
        __syncwarp();
      } else if ((chunk + 1) % C::kChunkBuffers == 0 || chunk + 1 == kChunks) {
        constexpr int kGroup = kChunks < C::kChunkBuffers ? kChunks : C::kChunkBuffers;
        const int first = chunk / C::kChunkBuffers * C::kChunkBuffers;
        ByThreads<Element>().Store(tile, first, chunk + 1 - first);
        if (with_c && !params_.c_by_threads && device::ptx::ElectOne()) {
#pragma unroll 1
          for (int next = chunk + 1; next < min(chunk + 1 + kGroup, kChunks); ++next) {
            LoadC(tile, next, kColumns, next - chunk);
          }
        }
      }
      ++chunks_.next;
    }
  }

  // The last tile, whose chunks need not wait for each other: they go where this warp's rows of A have been, a chunk of 16 rows in
  // each stage, and leave together. False where the ring has too few stages for that.
  template <int Type>
  __device__ __forceinline__ bool StoreAtOnce(const TileAt& tile,
                                              const float (&acc)[C::kBlocksM][C::kTileN / 2]) const {
    using Element = standard::conditional_t<Type == device::kElementFP32, unsigned, unsigned short>;
    constexpr int kColumns = 128 / sizeof(Element);
    constexpr int kChunksPerBlock = WarpChunks<C>::PerBlock(kColumns);
    constexpr int kChunks = C::kBlocksM * kChunksPerBlock;
    if constexpr (kChunksPerBlock > C::kStages) return false;
    // The consumer's other warps have read their rows too.
    if constexpr (!C::kEpilogueInRing) SyncConsumer(consumer_);
#pragma unroll
    for (int chunk = 0; chunk < kChunks; ++chunk) {
      WriteChunk<Element, false>(Type, scalars_, lane_, InRing(chunk, kChunksPerBlock),
                                 &acc[chunk / kChunksPerBlock][chunk % kChunksPerBlock * (kColumns / 2)],
                                 chunks_.Width(chunk, kColumns));
    }
    device::ptx::FenceSharedForAsync();
    __syncwarp();
    if (device::ptx::ElectOne()) {
#pragma unroll
      for (int chunk = 0; chunk < kChunks; ++chunk) {
        const int column = chunks_.Column(tile, chunk, kColumns);
        const TensorMap* map = chunks_.IsNarrow(chunk, kColumns) ? &params_.d_narrow : &params_.d;
        if (column < params_.whole_columns) {
          device::ptx::StoreTile(map, column, chunks_.Row(tile, chunk, kColumns), tile.batch,
                                 InRing(chunk, kChunksPerBlock));
        }
      }
      device::ptx::CommitStores();
    }
    __syncwarp();
    return true;
  }

  // The chunk's place in the ring: this warp's rows of 64, of the stage that its place among its block's chunks names.
  __device__ __forceinline__ unsigned char* InRing(int chunk, int chunks_per_block) const {
    return shared_.a[chunk % chunks_per_block] +
           (chunks_.FirstRow() + chunk / chunks_per_block * C::kWgmmaM) * 128;
  }

  // Hands the chunk at `at`, which this lane has written its part of, to the copy engine.
  template <class Element>
  __device__ __forceinline__ void StoreChunk(const TileAt& tile, int chunk, const unsigned char* at) const {
    constexpr int kColumns = 128 / sizeof(Element);
    const int row = chunks_.Row(tile, chunk, kColumns);
    const int column = chunks_.Column(tile, chunk, kColumns);
    const bool has_rest = column <= params_.whole_columns && params_.whole_columns < params_.n &&
                          params_.whole_columns < column + chunks_.Width(chunk, kColumns);
    if (has_rest) ByThreads<Element>().StoreRest(row, column, tile.batch, at);
    device::ptx::FenceSharedForAsync();
    __syncwarp();
    if (device::ptx::ElectOne()) {
      const TensorMap* map = chunks_.IsNarrow(chunk, kColumns) ? &params_.d_narrow : &params_.d;
      if (column < params_.whole_columns) device::ptx::StoreTile(map, column, row, tile.batch, at);
      device::ptx::CommitStores();
    }
  }

  const Params& params_;
  device::AlphaBeta scalars_;
  Shared<C>& shared_;
  const unsigned consumer_;
  const unsigned warp_;  // of the consumer's four
  device::ptx::Barrier* const c_full_;
  const unsigned lane_;
  WarpChunks<C> chunks_;
};

}  // namespace gemm::hopper
