// The producer where rows start at multiples of 16 bytes.
#pragma once

#include "ampere/config.h"
#include "ampere/copy_share.cuh"
#include "ampere/params.h"
#include "common/device/ptx/cp_async.cuh"
#include "common/device/ptx/opaque.cuh"

namespace gemm::ampere {

// Copy::kAligned: every chunk is one cp.async of 16 bytes. Counts and 64-bit addresses for each were a fifth of the main
// loop's instructions; what is left is one address that advances, an offset that does not, and a count that is all or
// nothing (one comparison) or does not change from tile to tile. For that, K's last tile, where it is a part of one, is
// copied first. (Rows beyond the last one are zeros rather than that row again: many CTAs that each read one row 64 times took
// 36 us where zeros took 27, at M = 1 with 64x64 tiles, 2026-11-22.)
template <typename Config, bool kIsA>
class AlignedCopy {
 public:
  using Share = CopyShare<Config, kIsA>;
  using Shape = typename Share::Shape;
  static constexpr int kBytes = Config::kElementBytes;

  // outer: first row of the tile along M or N; outer_left: rows of the matrix from there on, at most the tile's.
  __device__ __forceinline__ AlignedCopy(const OperandParams& operand, long long batch, long long outer,
                                         int outer_left, const KRange& range)
      : tile_(static_cast<const char*>(operand.base) +
              kBytes * (batch * operand.batch_stride + (Shape::kIsMnMajor ? outer + range.begin * operand.ld
                                                                          : outer * operand.ld + range.begin))),
        tile_stride_(static_cast<long long>(kBytes) * Config::kTileK * (Shape::kIsMnMajor ? operand.ld : 1)),
        pass_stride_(kBytes * Share::kRowsPerPass * static_cast<unsigned>(operand.ld)),
        to_(Share::Layout::Offset(Share::Row(), Share::Chunk())),
        outer_left_(Shape::kIsMnMajor ? outer_left : outer_left - Share::Row()) {
    device::ptx::KeepInRegister(to_);
#pragma unroll
    for (int i = 0; i < kOffsets; ++i) {
      const unsigned row = Share::Row() + i * Share::kRowsPerPass;
      from_[i] = kBytes * (row * static_cast<unsigned>(operand.ld) + Share::Chunk() * Config::kChunk);
      device::ptx::KeepInRegister(from_[i]);
    }
  }

  // Start copies to `tile` from here on.
  __device__ __forceinline__ void Aim(unsigned tile) {
    at_ = tile + to_;
    device::ptx::KeepInRegister(at_);
  }

  // Copies the first tile of K's k elements, k > 0: their tail, or a whole tile where there is none.
  __device__ __forceinline__ void StartFirst(int k) {
    const int tail = k % Config::kTileK;
    const int elements = tail == 0 ? Config::kTileK : tail;
    const char* tile = tile_ + (tail == 0 ? 0 : k / Config::kTileK) * tile_stride_;
#pragma unroll
    for (int pass = 0; pass < Share::kPasses; ++pass) {
      const int row = pass * Share::kRowsPerPass;
      const bool row_is_in = Shape::kIsMnMajor ? Share::Row() + row < elements : row < outer_left_;
      const int count = Share::Count(Shape::kIsMnMajor ? outer_left_ : elements);
      device::ptx::CpAsync16(at_ + pass * Share::kPassBytes, Source(tile, pass),
                             row_is_in ? kBytes * count : 0);
    }
    if (tail == 0) tile_ += tile_stride_;
  }

  // Copies the passes from kBegin to kEnd of the next tile.
  template <int kBegin, int kEnd>
  __device__ __forceinline__ void Start() {
#pragma unroll
    for (int pass = kBegin; pass < kEnd; ++pass) {
      const bool row_is_in = Shape::kIsMnMajor || pass * Share::kRowsPerPass < outer_left_;
      const int count = Shape::kIsMnMajor ? Share::Count(outer_left_) : Config::kChunk;
      device::ptx::CpAsync16(at_ + pass * Share::kPassBytes, Source(tile_, pass),
                             row_is_in ? kBytes * count : 0);
    }
    if (kBegin < kEnd && kEnd == Share::kPasses) tile_ += tile_stride_;
  }
  // Nothing passes through registers.
  __device__ __forceinline__ void Finish() {}

 private:
  // The passes' offsets differ by multiples of ld. One register for all of them takes an addition more for each copy, and is
  // for MN-major operands and TF32, whose kernels lack registers.
  static constexpr int kOffsets = Shape::kIsMnMajor || kBytes == 4 ? 1 : Share::kPasses;
  __device__ __forceinline__ const char* Source(const char* tile, int pass) const {
    if constexpr (Shape::kIsMnMajor) {
      return tile + pass * (tile_stride_ / Share::kPasses) + from_[0];
    } else if constexpr (kOffsets == 1) {
      return tile + (from_[0] + pass * pass_stride_);
    } else {
      return tile + from_[pass];
    }
  }

  const char* tile_;  // the next tile, of all threads
  long long tile_stride_;
  unsigned pass_stride_;     // bytes, K-major
  unsigned from_[kOffsets];  // bytes from tile_ to the thread's chunks; reject.cc keeps ld small enough
  unsigned to_;              // byte offset of its first chunk in a tile in shared memory
  unsigned at_ = 0;          // that chunk's shared address
  int outer_left_;  // K-major: rows from the thread's first one on, may be negative; MN-major: elements of the tile's rows
};

}  // namespace gemm::ampere
