// A tile's part of an operand whose rows start anywhere, on its way into the ring: as pieces of 16 bytes, which a warp shifts.
#pragma once

#include <cuda/std/cstdint>

#include "common/device/ptx/cp_async.cuh"
#include "hopper/params.h"
#include "hopper/raw.h"

namespace gemm::hopper {

// In the ring it lies as the copy engine would lay it out (shared.cuh), 128 bytes a row: of a K-major operand TileRows rows of 64 k, of an
// MN-major one 64 rows of k in blocks of 64 m or n. A warp takes every eighth of these rows, which all start alike beside multiples of 16
// bytes, whatever the leading dimension.
//
// The pieces that a row's 128 bytes lie in, at most nine, are copied as they are into the warp's own raw stages. From there the warp takes two
// at a time, shifts them by its rows' distance from such a multiple, and stores one into the ring. Copies of 4 and 8 bytes straight into the
// ring, and vectors loaded into registers, took as long while one group of warps did all steps (docs/perf/unaligned.md).
//
// Nothing outside of the rows is read, but for what lies in the same 16 bytes in front of one, within the matrix. Rows of M or N that the
// operand has not are left out of the ring: they only meet rows or columns of D that do not exist. Beyond K, and an MN-major row's end,
// the ring gets zeros.
template <bool Transposed, int TileRows>
class ShiftedOperand {
 public:
  static constexpr int kRows = TileRows / kRawWarps;  // of a warp

  // `rows` is M of A or N of B.
  __device__ __forceinline__ ShiftedOperand(const RowsInMemory& memory, int rows, int k, unsigned warp)
      : memory_(memory), rows_(rows), k_(k), warp_(static_cast<int>(warp)), row_bytes_(2 * memory.ld) {}

  // `first` is the tile's first row of M or N.
  __device__ __forceinline__ void SetTile(int first, int batch) {
    matrix_ = static_cast<Bytes>(memory_.address) + 2 * batch * memory_.batch_stride;
    const long long outer = Transposed ? k_ : rows_, inner = Transposed ? rows_ : k_;
    end_ = matrix_ + (outer - 1) * row_bytes_ + 2 * inner;
    const Bytes row =
        matrix_ + (Transposed ? warp_ : first + warp_) * row_bytes_ + (Transposed ? 2 * first : 0);
    shift_ = static_cast<int>(reinterpret_cast<cuda::std::uintptr_t>(row) % kPieceBytes);
    from_ = row - shift_;
    left_ = rows_ - first;
    starts_matrix_ = first == 0;
    own_from_ = from_ + PassOffset(0, Lane() / 8) + Lane() % 8 * kPieceBytes;
    passes_ = min(kPasses, (Present() - Lane() / 8 + kRowsAPass - 1) / kRowsAPass);
    last_from_ = from_ + PassOffset(Lane() / kRowsAPass, Lane() % kRowsAPass) + 8 * kPieceBytes;
    has_last_ = shift_ != 0 && Lane() < Present();
  }

  // Starts the copies of the K step at `k`.
  __device__ __forceinline__ void Start(unsigned raw, int k) const {
    const long long step = 2 * (Transposed ? k * memory_.ld : k);
    if (MayLeaveMatrix(k)) return StartEdge(raw, from_ + step, k);
    const unsigned to = raw + (Lane() / 8 * kRawPieces + Lane() % 8) * kPieceBytes;
#pragma unroll
    for (int pass = 0; pass < kPasses; ++pass) {
      if (pass < passes_) {
        device::ptx::CpAsync16(to + pass * kPassBytes, own_from_ + step + PassOffset(pass, 0),
                               BytesOf(k, pass * kRowsAPass + Lane() / 8, Lane() % 8));
      }
    }
    if (has_last_) {
      device::ptx::CpAsync16(raw + (Lane() * kRawPieces + 8) * kPieceBytes, last_from_ + step,
                             BytesOf(k, Lane(), 8));
    }
  }

  // What has come, into the ring's stage.
  __device__ __forceinline__ void Store(const unsigned char* raw, unsigned char* stage) const {
    switch (shift_ / 4) {
      case 0:
        return StoreShifted<0>(raw, stage);
      case 1:
        return StoreShifted<1>(raw, stage);
      case 2:
        return StoreShifted<2>(raw, stage);
      default:
        return StoreShifted<3>(raw, stage);
    }
  }

 private:
  // Addresses stay pointers all along, so that the compiler knows them to be of global memory.
  using Bytes = const unsigned char*;
  static constexpr int kPieceBytes = 16;
  static constexpr int kRowsAPass = 4;
  static constexpr int kPasses = kRows / kRowsAPass;
  static constexpr int kPassBytes = kRowsAPass * kRawRowBytes;  // in a raw stage
  static_assert(TileRows % 64 == 0 && kRows <= 32, "a lane for the last piece of each row");

  __device__ __forceinline__ static int Lane() { return static_cast<int>(threadIdx.x % 32); }
  // Of the tile, in the ring's order.
  __device__ __forceinline__ int RowOf(int own) const { return warp_ + own * kRawWarps; }

  // Rows of the warp's that the ring gets.
  __device__ __forceinline__ int Present() const {
    if (Transposed) return left_ > 64 ? kRows : 8;
    return max(0, min((left_ - warp_ + kRawWarps - 1) / kRawWarps, kRows));
  }
  // Bytes from the warp's first row to another: of an MN-major operand eight are in a block.
  __device__ __forceinline__ long long PassOffset(int pass, int row) const {
    const int own = pass * kRowsAPass + row;
    return (Transposed ? own % 8 : own) * (kRawWarps * row_bytes_) + (Transposed ? own / 8 * 128 : 0);
  }

  // Whether a piece of which something is there may begin in front of the matrix or end behind it: the same for all threads. Of a tile of the
  // last rows of M or N this is so in its last steps alone: when all of them took StartEdge's way, the rest of the grid waited for that tile
  // (docs/perf/unaligned.md).
  __device__ __forceinline__ bool MayLeaveMatrix(int k) const {
    return (k == 0 && starts_matrix_) || (k + 72 > k_ && left_ < TileRows + 8);
  }

  // Of piece `piece` of the warp's row `own`, those that the row has, from the piece's beginning on.
  __device__ __forceinline__ int BytesOf(int k, int own, int piece) const {
    const int block = Transposed ? own / 8 * 64 : 0;
    const int in_row = piece * kPieceBytes - shift_;  // bytes from the row's 128
    const int along = 2 * min(Transposed ? left_ - block : k_ - k, 128);
    const bool there = !Transposed || k + warp_ + own % 8 * kRawWarps < k_;
    return there ? max(0, min(along - in_row, kPieceBytes)) : 0;
  }

  __device__ __forceinline__ void StartEdge(unsigned raw, Bytes from, int k) const {
#pragma unroll 1
    for (int pass = 0; pass < kPasses; ++pass) Copy(raw, from, k, pass * kRowsAPass + Lane() / 8, Lane() % 8);
    if (shift_ != 0 && Lane() < kRows) Copy(raw, from, k, Lane(), 8);
  }

  // Piece `piece` of the warp's row `own`. What the row has not of it becomes zeros.
  __device__ __forceinline__ void Copy(unsigned raw, Bytes from, int k, int own, int piece) const {
    if (own >= Present()) return;
    const int bytes = BytesOf(k, own, piece);
    const Bytes at = from + PassOffset(0, own) + piece * kPieceBytes;
    const unsigned to = raw + (own * kRawPieces + piece) * kPieceBytes;
    if (bytes > 0 && (at < matrix_ || at + kPieceBytes > end_)) {
      CopyElements(to, at, bytes);
    } else {
      device::ptx::CpAsync16(to, at, bytes);
    }
  }

  // Of the first `bytes` of a piece those that lie behind the matrix's beginning. A copy reads no more than its bytes, but compute-sanitizer
  // takes it for one of 16.
  __device__ __forceinline__ void CopyElements(unsigned to, Bytes at, int bytes) const {
    auto* const elements = static_cast<unsigned short*>(__cvta_shared_to_generic(to));
#pragma unroll 1
    for (int i = 0; i < 8; ++i) {
      const bool there = at + 2 * i >= matrix_ && 2 * i < bytes;
      elements[i] = there ? *reinterpret_cast<const unsigned short*>(at + 2 * i) : 0;
    }
  }

  // kWords: shift_ / 4.
  template <int kWords>
  __device__ __forceinline__ void StoreShifted(const unsigned char* raw, unsigned char* stage) const {
    const int unit = Lane() % 8, first = Lane() / 8;
    const unsigned bits = shift_ % 4 * 8;
    const uint4* const from = reinterpret_cast<const uint4*>(raw) + first * kRawPieces + unit;
    unsigned char* const to = stage + RowOf(first) * 128 + (unit ^ warp_) * kPieceBytes;
    // All loads before the first store, so that they wait for shared memory together.
    uint4 low[kPasses], high[kPasses];
#pragma unroll
    for (int pass = 0; pass < kPasses; ++pass) {
      const bool there = pass < passes_;
      low[pass] = there ? from[pass * kRowsAPass * kRawPieces] : uint4{};
      high[pass] = there && (kWords > 0 || bits > 0) ? from[pass * kRowsAPass * kRawPieces + 1] : uint4{};
    }
#pragma unroll
    for (int pass = 0; pass < kPasses; ++pass) {
      const uint4 &l = low[pass], &h = high[pass];
      const unsigned words[8] = {l.x, l.y, l.z, l.w, h.x, h.y, h.z, h.w};
      const auto shifted = [&](int i) {
        return __funnelshift_r(words[kWords + i], words[(kWords + i + 1) % 8], bits);
      };
      if (pass < passes_) {
        *reinterpret_cast<uint4*>(to + pass * (kRowsAPass * kRawWarps * 128)) = {shifted(0), shifted(1),
                                                                                 shifted(2), shifted(3)};
      }
    }
  }

  const RowsInMemory& memory_;
  const int rows_;
  const int k_;
  const int warp_;
  const long long row_bytes_;
  Bytes matrix_;
  Bytes end_;   // of the matrix
  Bytes from_;  // the piece in which the warp's first row of the tile begins, at k = 0
  int shift_;
  int left_;            // rows of M or N from the tile's first on
  bool starts_matrix_;  // the tile's first row is the operand's
  Bytes own_from_;      // the lane's first piece of the tile at k = 0, and the row's last that the lane copies
  Bytes last_from_;
  int passes_;  // in which the lane has a row that there is
  bool has_last_;
};

}  // namespace gemm::hopper
