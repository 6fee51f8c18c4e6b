// The panels in which a kernel that computes D's transpose moves D and C: 64 of its rows, 128 bytes of D, times up to 64 columns.
//
// A consumer has the 64 rows of each of its wgmma tiles; panels go along the columns, then to the next 64 rows. Where kTileN is no multiple
// of 64 the last of the panels side by side is narrower. A panel lies in the chunks of the consumer's four warps, which its panels take in
// turn, or, where the ring is free, where its rows of A have been: unit u of 16 bytes of column c at u ^ (c % 8) of the column's 128 bytes,
// as the copy engine's 128-byte swizzle has it. Each warp has 16 rows, 32 bytes, of every column.
#pragma once

#include "common/device/ptx/mbarrier.cuh"
#include "common/device/ptx/named_barrier.cuh"
#include "hopper/shared.cuh"
#include "hopper/tile_scheduler.cuh"

namespace gemm::hopper {

// Meets the consumer's other warps. By all its threads.
__device__ __forceinline__ void SyncConsumer(unsigned consumer) {
  constexpr unsigned kOfFirst = 4;  // its named barrier; opening.cuh has others
  device::ptx::SyncThreads(kOfFirst + consumer, 128);
}

// As a consumer warp sees them. `panel` is a panel's number in its tile.
template <class C>
class Panels {
 public:
  static constexpr int kColumns = 64;
  static constexpr int kBytes = C::kWgmmaM * 128;
  static constexpr int kAcross = (C::kTileN + kColumns - 1) / kColumns;  // side by side
  static constexpr int kOfTile = C::kBlocksM * kAcross;
  static_assert(kBytes == 4 * C::kChunkBytes, "a chunk of each of a consumer's warps");
  static_assert(kAcross <= C::kStages, "a stage for each panel");

  __device__ __forceinline__ Panels(Shared<C>& shared, unsigned consumer, unsigned warp, unsigned lane)
      : shared_(shared), consumer_(consumer), warp_(warp), lane_(lane) {}

  static __device__ __forceinline__ constexpr bool IsNarrow(int panel) {
    return C::kTileN % kColumns != 0 && panel % kAcross + 1 == kAcross;
  }
  static __device__ __forceinline__ constexpr int Width(int panel) {
    return IsNarrow(panel) ? C::kTileN % kColumns : kColumns;
  }
  // The panel's first row and column of what the kernel computes.
  __device__ __forceinline__ int Row(const TileAt& tile, int panel) const {
    return tile.row + static_cast<int>(consumer_) * C::kConsumerOffset + panel / kAcross * C::kWgmmaM;
  }
  __device__ __forceinline__ int Column(const TileAt& tile, int panel) const {
    return tile.column + panel % kAcross * kColumns;
  }

  // Where a panel lies that is the consumer's `count`-th.
  __device__ __forceinline__ unsigned char* At(int panel, unsigned count) const {
    if constexpr (C::kEpilogueInRing) {
      return InRing(panel);
    } else {
      return shared_.chunks[consumer_ * 4][0] + count % C::kChunkBuffers * kBytes;
    }
  }
  __device__ __forceinline__ unsigned char* InRing(int panel) const {
    return shared_.a[panel % kAcross] + (consumer_ * C::kConsumerOffset + panel / kAcross * C::kWgmmaM) * 128;
  }

  // The address that this lane gives to stmatrix and ldmatrix for the warp's rows of the first 16 columns. The matrices are rows 0-7 and 8-15
  // of 8 columns, then of the next 8.
  __device__ __forceinline__ unsigned Matrices(const unsigned char* at) const {
    const unsigned unit = warp_ * 2 + lane_ / 8 % 2;
    return device::ptx::SharedAddress(at) + (lane_ % 8 + lane_ / 16 * 8) * 128 + (unit ^ lane_ % 8) * 16;
  }

  __device__ __forceinline__ void Sync() const { SyncConsumer(consumer_); }

  // A lane of this warp, elected where it sends, hands the consumer's panels to the copy engine (tests/codegen: kernel.cuh says why so).
  __device__ __forceinline__ bool IsFirstWarp() const { return warp_ == 0; }

 private:
  Shared<C>& shared_;
  const unsigned consumer_;
  const unsigned warp_;  // of the consumer's four
  const unsigned lane_;
};

}  // namespace gemm::hopper
