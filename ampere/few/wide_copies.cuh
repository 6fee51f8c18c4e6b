// The longer operand's rows, which start anywhere, on their way into a warp's ring.
#pragma once

#include "ampere/few/steps.cuh"
#include "common/device/ptx/cp_async.cuh"
#include "common/device/ptx/opaque.cuh"

namespace gemm::ampere::few {

// A warp's rows of the longer operand, `period` apart.
struct WarpRows {
  int first;
  int count;  // of them that there are

  __device__ __forceinline__ WarpRows(const Params& params, int wide) {
    const int period = params.period, start = static_cast<int>(blockIdx.x) % period;
    first = static_cast<int>(blockIdx.x) / period * wide * period + start;
    count = first < params.wide_rows ? min((params.wide_rows - 1 - first) / period + 1, wide) : 0;
  }
};

// A warp's copies of its rows of the longer operand: eight lanes a row.
template <class C>
class WideCopies {
 public:
  __device__ __forceinline__ WideCopies(const Params& params, const WarpRows& rows, const Steps<C>& steps)
      : first_(FirstElement(params.wide) + rows.first * params.wide.ld),
        ld_(params.period * params.wide.ld),
        rows_(rows.count),
        steps_(steps),
        from_(first_ + RowOf(0) * ld_ + steps.At(0) + Chunk() * kPiece),
        to_(Offset(RowOf(0), Chunk())) {
    device::ptx::KeepInRegister(from_);
    device::ptx::KeepInRegister(to_);
  }

  __device__ __forceinline__ void Start(unsigned stage, int step) const {
    if (steps_.IsWhole(step)) {
      const unsigned short* from = from_ + step * C::kTileK;
#pragma unroll
      for (int pass = 0; pass < kPasses; ++pass) {
        if (RowOf(pass) < rows_) device::ptx::CpAsync16(stage + to_ + pass * kPassBytes, from, kPieceBytes);
        from += kRowsAPass * ld_;
      }
    } else {
      StartEnd(stage, step);
    }
  }

  // The piece that a lane's row starts in: what Start leaves out of the first step. Loaded before the copies start and stored behind them, zeros
  // in front of the row, so that both wait for memory together. One lane a row: lanes that take several one after the other wait as often.
  struct StartOfRow {
    unsigned elements[kPiece];
  };
  __device__ __forceinline__ StartOfRow LoadStart() const {
    StartOfRow start = {};
#pragma unroll
    for (int i = 1; i < kPiece; ++i) {
      const int at = i - steps_.shift % kPiece;
      if (HasStart() && at >= 0 && at < steps_.k) start.elements[i] = first_[Lane() * ld_ + at];
    }
    return start;
  }
  __device__ __forceinline__ void StoreStart(unsigned stage, const StartOfRow& start) const {
    const unsigned(&e)[kPiece] = start.elements;
    if (HasStart()) {
      Store(stage + Offset(Lane(), steps_.shift / kPiece),
            {e[0] | e[1] << 16, e[2] | e[3] << 16, e[4] | e[5] << 16, e[6] | e[7] << 16});
    }
  }

  // Rows that are missing become zeros for good.
  __device__ __forceinline__ void ClearMissing(unsigned stage) const {
    if (rows_ == C::kWide) return;
#pragma unroll 1
    for (int pass = 0; pass < kPasses; ++pass) {
      if (RowOf(pass) >= rows_) Store(stage + to_ + pass * kPassBytes, {});
    }
  }

  // Where a piece lies in a stage. Eight lanes write a row; eight read every other piece of two rows that are neighbours.
  __device__ __forceinline__ static unsigned Offset(int row, int chunk) {
    return (row * kPieces<C> + (chunk ^ row % 2)) * kPieceBytes;
  }

 private:
  static constexpr int kRowsAPass = kWarpThreads / kPieces<C>;
  static constexpr int kPasses = C::kWide / kRowsAPass;
  static constexpr int kPassBytes = kRowsAPass * kPieces<C> * kPieceBytes;
  static_assert(kRowsAPass % 2 == 0, "a lane's rows are all even or all odd");
  static_assert(C::kWide <= kWarpThreads, "a lane for the start of each row");

  __device__ __forceinline__ static int Lane() { return static_cast<int>(threadIdx.x % kWarpThreads); }
  __device__ __forceinline__ static int Chunk() { return Lane() % kPieces<C>; }
  __device__ __forceinline__ static int RowOf(int pass) { return pass * kRowsAPass + Lane() / kPieces<C>; }
  __device__ __forceinline__ bool HasStart() const { return Lane() < rows_ && steps_.shift % kPiece > 0; }

  // Zeros outside of the rows, and nothing where one starts in the middle of a piece.
  __device__ __forceinline__ void StartEnd(unsigned stage, int step) const {
    const int at = steps_.At(step) + Chunk() * kPiece, left = steps_.k - at;
    if (at > -kPiece && at < 0) return;
#pragma unroll 1
    for (int pass = 0; pass < kPasses; ++pass) {
      const unsigned to = stage + to_ + pass * kPassBytes;
      if (RowOf(pass) >= rows_) return;
      if (at < 0 || left <= 0) {
        Store(to, {});
      } else {
        device::ptx::CpAsync16(to, from_ + step * C::kTileK + pass * kRowsAPass * ld_, min(left, kPiece) * 2);
      }
    }
  }
  __device__ __forceinline__ static void Store(unsigned to, const uint4& piece) {
    *static_cast<uint4*>(__cvta_shared_to_generic(to)) = piece;
  }

  const unsigned short* first_;  // row
  const long long ld_;           // elements from one to the next
  const int rows_;
  const Steps<C> steps_;
  const unsigned short* from_;  // a lane's first piece of the first step
  unsigned to_;                 // in a stage
};

}  // namespace gemm::ampere::few
