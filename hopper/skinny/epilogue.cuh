// The epilogue: D = alpha acc + beta C, of the columns that this CTA stores.
//
// Nothing hides what stands behind the main loop of these kernels, and four warps alone on an SM wait for every
// instruction: types are told apart once, and no warp waits for another. Few columns go from registers to D. More of them go
// through shared memory, as transposed 16-bit elements, of which a warp stages and stores its own rows, 16 that are contiguous in D
// for every 64 of the tile. By barriers of the CTA, with whole columns in a row, it took 0.06 us longer, and up to 0.26 (31 products,
// the median, H200, 2026-11-23; the parameters' order changed with it). C comes the same way, into the same places: ldmatrix takes from
// there what stmatrix writes.
// What that cannot do goes as columns of FP32 sums: by float_store.cuh where D is FP32 and aligned, else by quads.cuh.
//
// An element at a time with a division each took 0.14 us for every element of a thread; the copy engine, a column an
// instruction, 1.4 us for a tile of 64 x 64 (H200, 2026-11-21 and -22).
#pragma once

#include "common/device/convert.cuh"
#include "common/device/ptx/ldmatrix.cuh"
#include "common/device/ptx/mbarrier.cuh"
#include "common/device/ptx/named_barrier.cuh"
#include "common/device/ptx/prefetch.cuh"
#include "common/device/ptx/stmatrix.cuh"
#include "common/device/scalars.cuh"
#include "hopper/skinny/float_store.cuh"
#include "hopper/skinny/fragment.cuh"
#include "hopper/skinny/params.h"
#include "hopper/skinny/quads.cuh"
#include "hopper/skinny/reduction.cuh"
#include "hopper/skinny/shared.cuh"
#include "hopper/skinny/walk.cuh"

namespace gemm::hopper::skinny {

// A consumer thread's.
template <class C>
class Epilogue {
 public:
  // Stores `mine` of every tile.
  __device__ __forceinline__ Epilogue(const Params& params, Shared<C>& shared, const Fragment<C>& fragment,
                                      Blocks mine)
      : params_(params), shared_(shared), fragment_(fragment), mine_(mine) {}

  // After griddepcontrol.wait, before the first Store.
  __device__ __forceinline__ void ReadScalars() { scalars_ = device::ReadScalars(params_.scalars); }

  // Asks for the tile's C, where its wide rows are contiguous, while the main loop runs.
  __device__ __forceinline__ void FetchAhead(const TileAt& tile) const {
    if (__builtin_expect(scalars_.beta == 0.0f, 1) || params_.c_at.wide_stride != 1) return;
    const int lane = static_cast<int>(fragment_.lane());
    const int bytes = device::ElementBytes(params_.output_type);
#pragma unroll 1
    for (int block = 0; block < C::kBlocks; ++block) {
      const int row = static_cast<int>(fragment_.FirstRow(block));
      if (row >= Rows(tile)) continue;
#pragma unroll 1
      for (int column = mine_.first * 8 + lane; column < EndColumn(); column += 32) {
        device::ptx::PrefetchL2(static_cast<const unsigned char*>(params_.c) +
                                params_.c_at.Index(tile.wide + row, tile.narrow + column, tile.batch) * bytes);
      }
    }
  }

  // By all consumers, one tile after the other. May change acc.
  __device__ __forceinline__ void Store(const TileAt& tile, Accumulators<C>& acc) {
    if (mine_.count == 0) return;
    if constexpr (C::kStoresRegisters) {
      ForType([&](auto type) { StoreRegisters<type.kValue>(tile, acc); });
    } else if (params_.whole_units) {
      StoreStaged(tile, acc);
    } else {
      StoreQuads(tile, acc);
    }
  }

 private:
  template <int Type>
  struct TypeOf {
    static constexpr int kValue = Type;
  };

  template <class Body>
  __device__ __forceinline__ void ForType(const Body& body) const {
    if (params_.output_type == device::kElementBF16) {
      body(TypeOf<device::kElementBF16>());
    } else if (params_.output_type == device::kElementFP16) {
      body(TypeOf<device::kElementFP16>());
    } else {
      body(TypeOf<device::kElementFP32>());
    }
  }

  __device__ __forceinline__ void SyncConsumers() const { device::ptx::SyncThreads(1, C::kConsumerThreads); }

  template <int Type>
  __device__ __forceinline__ void StoreRegisters(const TileAt& tile, const Accumulators<C>& acc) const {
    const int rows = Rows(tile);
    const bool with_c = scalars_.beta != 0.0f;
#pragma unroll
    for (int block = 0; block < C::kBlocks; ++block) {
      const int row = static_cast<int>(fragment_.Row(block, 0));
      const int column = static_cast<int>(fragment_.Column(0));
      const long long d = params_.d_at.Index(tile.wide + row, tile.narrow + column, tile.batch);
      const long long c = params_.c_at.Index(tile.wide + row, tile.narrow + column, tile.batch);
      // Value i: 8 (i / 4) + i % 2 columns further, and 8 rows for every second pair.
      const auto right = [](int i) { return i / 4 * 8 + i % 2; };
      const auto down = [](int i) { return i / 2 % 2 * 8; };
      const auto stores = [&](int i) {
        return row + down(i) < rows && column + right(i) < params_.narrow_box && mine_.Has(i / 4) &&
               row + down(i) >= tile.wide_others && column + right(i) >= tile.narrow_others;
      };
      unsigned before[C::kNarrow / 2] = {};
      if (with_c) {
#pragma unroll
        for (int i = 0; i < C::kNarrow / 2; ++i) {
          const long long at = c + right(i) * params_.c_at.narrow_stride + down(i) * params_.c_at.wide_stride;
          if (stores(i)) before[i] = device::LoadBits(Type, params_.c, at);
        }
      }
#pragma unroll
      for (int i = 0; i < C::kNarrow / 2; ++i) {
        if (!stores(i)) continue;
        float value = scalars_.alpha * acc[block][i];
        if (with_c) value = fmaf(scalars_.beta, device::ElementOf(Type, before[i]), value);
        device::StoreElement(Type, params_.d,
                             d + right(i) * params_.d_at.narrow_stride + down(i) * params_.d_at.wide_stride,
                             value);
      }
    }
  }

  // The tile's rows and columns that there are, and this CTA stores.
  __device__ __forceinline__ int Rows(const TileAt& tile) const {
    return min(params_.wide_box, params_.wide_rows - tile.wide);
  }
  __device__ __forceinline__ int EndColumn() const {
    return min((mine_.first + mine_.count) * 8, params_.narrow_box);
  }

  // By each warp its own rows: no warp waits for another.
  __device__ __forceinline__ void StoreStaged(const TileAt& tile, Accumulators<C>& acc) const {
    float alpha = scalars_.alpha;
    // Before all columns, and unlikely. Where C is not read the kernels take 0.05 us longer for having this code, 1.0025 of the time of 48
    // products of decode.txt, and no less with it between the stores (H200, 2026-11-29).
    if (__builtin_expect(scalars_.beta != 0.0f, 0)) {
      AddC(tile, acc);
      alpha = 1.0f;
    }
    __syncwarp();  // what was staged before has been read
    if (params_.output_type == device::kElementBF16) {
      Stage<device::kElementBF16>(alpha, acc);
    } else {
      Stage<device::kElementFP16>(alpha, acc);
    }
    __syncwarp();
    StoreUnits(tile);
  }

  // alpha acc + beta C into acc, through the places where D will be staged.
  __device__ __forceinline__ void AddC(const TileAt& tile, Accumulators<C>& acc) const {
    __syncwarp();  // what was staged before has been read
    StageC(tile);
    __syncwarp();
    AddStaged(acc);
  }

  // Where this lane's matrices are staged, for stmatrix and ldmatrix: rows 0-7 and 8-15 of 8 columns, then of the next 8. Columns lie
  // C::kStagedStride elements apart.
  __device__ __forceinline__ unsigned Matrices(int block) const {
    const unsigned lane = fragment_.lane();
    const unsigned column = lane % 8 + lane / 16 * 8;
    const unsigned row = lane / 8 % 2 * 8;
    return device::ptx::SharedAddress(shared_.staged) +
           (column * C::kStagedStride + fragment_.FirstRow(block) + row) * 2;
  }

  // alpha acc as 16-bit elements.
  template <int Type>
  __device__ __forceinline__ void Stage(float alpha, const Accumulators<C>& acc) const {
#pragma unroll
    for (int block = 0; block < C::kBlocks; ++block) {
      const unsigned first = Matrices(block);
#pragma unroll
      for (int i = 0; i < C::kNarrow / 2; i += 8) {
        if (!mine_.Has(i / 4) && !mine_.Has(i / 4 + 1)) continue;
        const float* v = acc[block] + i;
        device::ptx::StoreMatrix4Transposed(
            first + i * 2 * C::kStagedStride * 2, device::Pack2(Type, alpha * v[0], alpha * v[1]),
            device::Pack2(Type, alpha * v[2], alpha * v[3]), device::Pack2(Type, alpha * v[4], alpha * v[5]),
            device::Pack2(Type, alpha * v[6], alpha * v[7]));
      }
    }
  }

  // The warp's rows of C, 16 columns at a time: what StoreUnits will store, and else zeros, since where C is D others write theirs meanwhile.
  __device__ __forceinline__ void StageC(const TileAt& tile) const {
    const int lane = static_cast<int>(fragment_.lane());
    const int first = lane / 2;
    const unsigned short* const c = static_cast<const unsigned short*>(params_.c) +
                                    params_.c_at.Index(tile.wide, tile.narrow + first, tile.batch);
#pragma unroll
    for (int block = 0; block < C::kBlocks; ++block) {
      const int row = static_cast<int>(fragment_.FirstRow(block)) + lane % 2 * 8;
      uint4 units[C::kNarrow / 16] = {};
#pragma unroll
      for (int i = 0; i < C::kNarrow; i += 16) {
        if (!Stores(tile, row, first + i)) continue;
        units[i / 16] = *reinterpret_cast<const uint4*>(c + i * params_.c_at.narrow_stride + row);
      }
      unsigned char* const staged = shared_.staged + (first * C::kStagedStride + row) * 2;
#pragma unroll
      for (int i = 0; i < C::kNarrow; i += 16) {
        *reinterpret_cast<uint4*>(staged + i * C::kStagedStride * 2) = units[i / 16];
      }
    }
  }

  // alpha acc + beta C into acc, of what StageC has staged.
  __device__ __forceinline__ void AddStaged(Accumulators<C>& acc) const {
#pragma unroll
    for (int block = 0; block < C::kBlocks; ++block) {
      const unsigned first = Matrices(block);
#pragma unroll
      for (int i = 0; i < C::kNarrow / 2; i += 8) {
        if (!mine_.Has(i / 4) && !mine_.Has(i / 4 + 1)) continue;
        float* const v = acc[block] + i;
        unsigned c[4];
        device::ptx::LdmatrixX4Trans(first + i * 2 * C::kStagedStride * 2, c[0], c[1], c[2], c[3]);
#pragma unroll
        for (int j = 0; j < 4; ++j) {
          const device::Float2 pair = device::Unpack2(params_.output_type, c[j]);
          v[2 * j] = fmaf(scalars_.beta, pair.low, scalars_.alpha * v[2 * j]);
          v[2 * j + 1] = fmaf(scalars_.beta, pair.high, scalars_.alpha * v[2 * j + 1]);
        }
      }
    }
  }

  // Whether this CTA stores eight rows of a column.
  __device__ __forceinline__ bool Stores(const TileAt& tile, int row, int column) const {
    return row >= tile.wide_others && row < Rows(tile) && column >= max(mine_.first * 8, tile.narrow_others) &&
           column < EndColumn();
  }

  // The warp's staged rows to D, 16 columns at a time, two lanes for the 16 rows of a column.
  __device__ __forceinline__ void StoreUnits(const TileAt& tile) const {
    const int lane = static_cast<int>(fragment_.lane());
    const int first = lane / 2;
    unsigned short* const d = static_cast<unsigned short*>(params_.d) +
                              params_.d_at.Index(tile.wide, tile.narrow + first, tile.batch);
#pragma unroll
    for (int block = 0; block < C::kBlocks; ++block) {
      const int row = static_cast<int>(fragment_.FirstRow(block)) + lane % 2 * 8;
      const unsigned char* const staged = shared_.staged + (first * C::kStagedStride + row) * 2;
#pragma unroll
      for (int i = 0; i < C::kNarrow; i += 16) {
        if (!Stores(tile, row, first + i)) continue;
        *reinterpret_cast<uint4*>(d + i * params_.d_at.narrow_stride + row) =
            *reinterpret_cast<const uint4*>(staged + i * C::kStagedStride * 2);
      }
    }
  }

  __device__ __forceinline__ void StoreQuads(const TileAt& tile, const Accumulators<C>& acc) const {
    const QuadStore<C> quads(params_, scalars_);
    FloatStore<C> floats(params_, scalars_, tile, Rows(tile), fragment_.thread);
    float* const sums = reinterpret_cast<float*>(shared_.staged);
    const int begin = max(mine_.first * 8, tile.narrow_others);
    const int end = EndColumn();
#pragma unroll 1
    for (int round = 0; round < C::kRounds; ++round) {
      const int first = max(begin, round * C::kRound);
      const int last = min(end, (round + 1) * C::kRound);
      if (first >= last) continue;
      if (floats.Takes()) floats.AskForC(round * C::kRound, first, last);
      SyncConsumers();  // the round before has been read
      WriteSums(sums, acc, round);
      SyncConsumers();
      if (floats.Takes()) {
        floats.Store(sums, round * C::kRound, first, last);
      } else {
        quads.Store({tile.wide, tile.narrow + first, tile.batch, tile.wide_others, 0},
                    sums + (first - round * C::kRound) * C::kColumnStride, static_cast<unsigned>(last - first),
                    fragment_.thread);
      }
    }
  }

  // The columns of `round`, C::kColumnStride floats apart.
  __device__ __forceinline__ void WriteSums(float* sums, const Accumulators<C>& acc, int round) const {
#pragma unroll
    for (int known = 0; known < C::kRounds; ++known) {  // which registers is the compiler's to know
      if (round != known) continue;
#pragma unroll
      for (int block = 0; block < C::kBlocks; ++block) {
#pragma unroll
        for (int i = 0; i < C::kRound / 2; ++i) {
          sums[fragment_.Column(i) * C::kColumnStride + fragment_.Row(block, i)] =
              acc[block][known * (C::kRound / 2) + i];
        }
      }
    }
  }

  const Params& params_;
  Shared<C>& shared_;
  const Fragment<C> fragment_;
  const Blocks mine_;
  device::AlphaBeta scalars_;
};

}  // namespace gemm::hopper::skinny
