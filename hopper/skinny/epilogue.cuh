// The epilogue: D = alpha acc + beta C, of the columns that this CTA stores.
//
// Nothing hides what stands behind the main loop of these kernels, and four warps alone on an SM wait for every
// instruction: a thread's way through the tile is prepared before the main loop, and types are told apart once. Few columns go
// from registers to D. More of them go through shared memory, as transposed 16-bit elements, so that the rows which are
// contiguous in D lie together and threads take 16 bytes; what that cannot do (FP32, C, other alignments) goes by
// quads.cuh.
//
// An element at a time with a division each took 0.14 us for every element of a thread; the copy engine, a column an
// instruction, 1.4 us for a tile of 64 x 64 (H200, 2026-11-21 and -22).
#pragma once

#include "common/device/convert.cuh"
#include "common/device/ptx/mbarrier.cuh"
#include "common/device/ptx/named_barrier.cuh"
#include "common/device/ptx/stmatrix.cuh"
#include "common/device/scalars.cuh"
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
      : params_(params),
        shared_(shared),
        fragment_(fragment),
        mine_(mine) {
    if constexpr (!C::kStoresRegisters) {
      units_ = params.wide_box / 8;
      column_ = static_cast<int>(fragment.thread) / units_;
      unit_ = static_cast<int>(fragment.thread) - column_ * units_;
      column_step_ = C::kConsumerThreads / units_;
      unit_step_ = C::kConsumerThreads - column_step_ * units_;
    }
  }

  // After griddepcontrol.wait, before the first Store.
  __device__ __forceinline__ void ReadScalars() { scalars_ = device::ReadScalars(params_.scalars); }

  // By all consumers, one tile after the other.
  __device__ __forceinline__ void Store(const TileAt& tile, const Accumulators<C>& acc) {
    if (mine_.count == 0) return;
    if constexpr (C::kStoresRegisters) {
      ForType([&](auto type) { StoreRegisters<type.kValue>(tile, acc); });
    } else if (params_.whole_units) {
      StoreStaged(tile, acc);
    } else {
      StoreQuads(tile, acc);
    }
    ++tiles_;
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

  __device__ __forceinline__ void SyncConsumers(bool needed) const {
    if (needed) device::ptx::SyncThreads(1, C::kConsumerThreads);
  }

  template <int Type>
  __device__ __forceinline__ void StoreRegisters(const TileAt& tile, const Accumulators<C>& acc) const {
    const int rows = min(params_.wide_box, params_.wide_rows - tile.wide);
    const bool with_c = scalars_.beta != 0.0f;
#pragma unroll
    for (int block = 0; block < C::kBlocks; ++block) {
      const int row = static_cast<int>(fragment_.Row(block, 0));
      const int column = static_cast<int>(fragment_.Column(0));
      const long long d = params_.d_at.Index(tile.wide + row, tile.narrow + column, tile.batch);
      const long long c = params_.c_at.Index(tile.wide + row, tile.narrow + column, tile.batch);
#pragma unroll
      for (int i = 0; i < C::kNarrow / 2; ++i) {
        // Value i: 8 (i / 4) + i % 2 columns further, and 8 rows for every second pair.
        const int right = i / 4 * 8 + i % 2;
        const int down = i / 2 % 2 * 8;
        if (row + down >= rows || column + right >= params_.narrow_box || !mine_.Has(i / 4)) continue;
        if (row + down < tile.wide_others || column + right < tile.narrow_others) continue;
        float value = scalars_.alpha * acc[block][i];
        if (with_c) {
          const long long at = c + right * params_.c_at.narrow_stride + down * params_.c_at.wide_stride;
          value = fmaf(scalars_.beta, device::LoadElement(Type, params_.c, at), value);
        }
        device::StoreElement(Type, params_.d,
                             d + right * params_.d_at.narrow_stride + down * params_.d_at.wide_stride, value);
      }
    }
  }

  // By all consumers, C::kUnitColumns columns at a time.
  __device__ __forceinline__ void StoreStaged(const TileAt& tile, const Accumulators<C>& acc) const {
#pragma unroll
    for (int first = 0; first < C::kNarrow; first += C::kUnitColumns) {
      SyncConsumers(tiles_ != 0 || first != 0);  // what was staged before has been read
      if (params_.output_type == device::kElementBF16) {
        Stage<device::kElementBF16>(acc, first);
      } else {
        Stage<device::kElementFP16>(acc, first);
      }
      SyncConsumers(true);
      StoreUnits(tile, first);
    }
  }

  // alpha acc of C::kUnitColumns columns from first_column on, as 16-bit elements, C::kStagedStride apart.
  template <int Type>
  __device__ __forceinline__ void Stage(const Accumulators<C>& acc, int first_column) const {
    const float alpha = scalars_.alpha;
    const unsigned lane = fragment_.lane();
    // Matrices of one stmatrix: rows 0-7 and 8-15 of 8 columns, then of the next 8.
    const unsigned column = lane % 8 + lane / 16 * 8;
    const unsigned row = lane / 8 % 2 * 8;
#pragma unroll
    for (int block = 0; block < C::kBlocks; ++block) {
      const unsigned first = device::ptx::SharedAddress(shared_.staged) +
                             (column * C::kStagedStride + fragment_.FirstRow(block) + row) * 2;
#pragma unroll
      for (int i = 0; i < C::kUnitColumns / 2; i += 8) {
        const int value = first_column / 2 + i;
        if (!mine_.Has(value / 4) && !mine_.Has(value / 4 + 1)) continue;
        const float* v = acc[block] + value;
        device::ptx::StoreMatrix4Transposed(
            first + i * 2 * C::kStagedStride * 2, device::Pack2(Type, alpha * v[0], alpha * v[1]),
            device::Pack2(Type, alpha * v[2], alpha * v[3]), device::Pack2(Type, alpha * v[4], alpha * v[5]),
            device::Pack2(Type, alpha * v[6], alpha * v[7]));
      }
    }
  }

  // The staged columns to D, a unit of 8 rows a thread.
  __device__ __forceinline__ void StoreUnits(const TileAt& tile, int first_column) const {
    const int units = min(units_, (params_.wide_rows - tile.wide) / 8);
    const int columns =
        min(min((mine_.first + mine_.count) * 8, params_.narrow_box), first_column + C::kUnitColumns);
    const long long first = params_.d_at.Index(tile.wide, tile.narrow, tile.batch);
    unsigned short* const d = static_cast<unsigned short*>(params_.d) + first;
    int column = max(mine_.first * 8, first_column) + column_;
    int unit = unit_;
    while (column < columns) {
      if (unit < units && unit * 8 >= tile.wide_others && column >= tile.narrow_others) {
        *reinterpret_cast<uint4*>(d + column * params_.d_at.narrow_stride + unit * 8) =
            *reinterpret_cast<const uint4*>(shared_.staged +
                                            ((column - first_column) * C::kStagedStride + unit * 8) * 2);
      }
      column += column_step_;
      unit += unit_step_;
      if (unit >= units_) unit -= units_, ++column;
    }
  }

  __device__ __forceinline__ void StoreQuads(const TileAt& tile, const Accumulators<C>& acc) const {
    const QuadStore<C> quads(params_, scalars_);
    float* const sums = reinterpret_cast<float*>(shared_.staged);
    const int begin = max(mine_.first * 8, tile.narrow_others);
    const int end = min((mine_.first + mine_.count) * 8, params_.narrow_box);
#pragma unroll
    for (int round = 0; round < C::kRounds; ++round) {
      const int first = max(begin, round * C::kRound);
      const int last = min(end, (round + 1) * C::kRound);
      if (first >= last) continue;
      SyncConsumers(true);  // the round before has been read
      WriteSums(sums, acc, round);
      SyncConsumers(true);
      quads.Store({tile.wide, tile.narrow + first, tile.batch, tile.wide_others, 0},
                  sums + (first - round * C::kRound) * C::kColumnStride, static_cast<unsigned>(last - first),
                  fragment_.thread);
    }
  }

  // The columns of `round`, C::kColumnStride floats apart.
  __device__ __forceinline__ void WriteSums(float* sums, const Accumulators<C>& acc, int round) const {
#pragma unroll
    for (int block = 0; block < C::kBlocks; ++block) {
#pragma unroll
      for (int i = 0; i < C::kRound / 2; ++i) {
        sums[fragment_.Column(i) * C::kColumnStride + fragment_.Row(block, i)] =
            acc[block][round * (C::kRound / 2) + i];
      }
    }
  }

  const Params& params_;
  Shared<C>& shared_;
  const Fragment<C> fragment_;
  const Blocks mine_;
  device::AlphaBeta scalars_;
  int units_;  // of 8 rows, in a tile
  int unit_;   // this thread's first unit and column, and its way to the next
  int column_;
  int unit_step_;
  int column_step_;
  unsigned tiles_ = 0;  // done so far
};

}  // namespace gemm::hopper::skinny
