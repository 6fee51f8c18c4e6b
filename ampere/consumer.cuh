// The consumer: a warp's share of a tile, from shared memory through ldmatrix into mma.sync.
#pragma once

#include "ampere/config.h"
#include "ampere/swizzle.cuh"
#include "common/device/ptx/ldmatrix.cuh"
#include "common/device/ptx/mma.cuh"
#include "common/device/ptx/opaque.cuh"
#include "common/device/ptx/tf32.cuh"

namespace gemm::ampere {

// Reads one operand's fragments for one step of mma.sync along K, 16 elements of 2 bytes or 8 of 4.
//
// ldmatrix fills the four registers from four 8x8 blocks. In the order of the registers, as (outer block, K
// block):
//   A, 16 x 16:   (0, 0) (1, 0) (0, 1) (1, 1)      the fragment of one mma
//   B, 16 x 16:   (0, 0) (0, 1) (1, 0) (1, 1)      the fragments of two mma, 8 columns each
// Stored MN-major, each block is transposed on the way. A block of 8x8 elements of 2 bytes is one of 8x4 elements of 4 bytes, where it
// need not be transposed; where it must, the threads read for themselves.
template <typename Config, bool kIsA>
class FragmentReader {
 public:
  using Shape = OperandShape<Config, kIsA>;
  using Layout = typename Shape::Layout;
  static constexpr int kWarpOuter = kIsA ? Config::kWarpM : Config::kWarpN;
  static constexpr int kBlocks = kWarpOuter / 16;

  // first: where the warp's share starts along M or N, a multiple of kWarpOuter.
  __device__ __forceinline__ explicit FragmentReader(int first) {
    unsigned lane = threadIdx.x % 32;
    device::ptx::KeepInRegister(lane);
    const int low = lane & 7;
    const int bit3 = lane >> 3 & 1;
    const int bit4 = lane >> 4;
    const int outer = kIsA ? bit3 : bit4;  // which of the two blocks of 8
    const int k = kIsA ? bit4 : bit3;
    // Row lane % 4 and element lane / 4 of the first block.
    const unsigned threads_own =
        Layout::Offset(lane % 4, first / Config::kChunk + lane / 16) + lane / 4 % 4 * 4;
    const unsigned offset = Shape::kByThreads   ? threads_own
                            : Shape::kIsMnMajor ? Layout::Offset(k * 8 + low, first / Config::kChunk + outer)
                                                : Layout::Offset(first + outer * 8 + low, k);
#pragma unroll
    for (int i = 0; i < kOffsets; ++i) {
      offsets_[i] = offset ^ (i << 5);
      device::ptx::KeepInRegister(offsets_[i]);
    }
  }

  // The fragments of K step `step` of the tile at shared address `tile`.
  template <int kStep>
  __device__ __forceinline__ void Read(unsigned tile, unsigned (&fragments)[kBlocks][4]) const {
#pragma unroll
    for (int i = 0; i < kBlocks; ++i) ReadBlock<kStep>(tile, i, fragments[i]);
  }
  // Of those the i-th 16 rows or columns.
  template <int kStep>
  __device__ __forceinline__ void ReadBlock(unsigned tile, int i, unsigned (&f)[4]) const {
    if constexpr (Shape::kByThreads) {
      // Blocks of 8 elements along M or N are two chunks apart, four to a panel; 4 rows further the exchange is the same.
#pragma unroll
      for (int e = 0; e < 4; ++e) {
        const int outer = 2 * i + (kIsA ? e % 2 : e / 2);
        const int row = kStep * Config::kMmaK + (kIsA ? e / 2 : e % 2) * 4;
        f[e] = *static_cast<const unsigned*>(__cvta_shared_to_generic(tile + offsets_[outer % kOffsets] +
                                                                      outer / kOffsets * Layout::kPanelBytes +
                                                                      row * Layout::kRowBytes));
        f[e] = device::ptx::RoundTF32(f[e]);
      }
    } else if constexpr (Shape::kIsMnMajor) {
      device::ptx::LdmatrixX4Trans(tile + offsets_[i] + kStep * Config::kMmaK * Layout::kRowBytes, f[0], f[1],
                                   f[2], f[3]);
    } else {
      device::ptx::LdmatrixX4(tile + offsets_[kStep] + i * 16 * Layout::kRowBytes, f[0], f[1], f[2], f[3]);
    }
  }

 private:
  // Of the steps of two chunks along a row: MN-major the warp's blocks, K-major the tile's K steps. Two chunks further is an exclusive
  // or, because the steps start at a multiple of their number and do not leave their panel.
  static constexpr int kOffsets = Shape::kByThreads   ? 4
                                  : Shape::kIsMnMajor ? kBlocks
                                                      : Config::kTileK / Config::kMmaK;
  static_assert(kOffsets == 1 || kOffsets == 2 || kOffsets == 4, "the steps along a row lie in one panel");
  unsigned offsets_[kOffsets];
};

// Makes TF32 of FP32 elements; others are multiplied as they are.
template <typename Config, bool kIsA, int kBlocks>
__device__ __forceinline__ void RoundFragments(unsigned (&fragments)[kBlocks][4]) {
  if constexpr (Config::kElement == Element::kTF32 && !OperandShape<Config, kIsA>::kByThreads) {
#pragma unroll
    for (int i = 0; i < kBlocks; ++i) {
#pragma unroll
      for (int e = 0; e < 4; ++e) fragments[i][e] = device::ptx::RoundTF32(fragments[i][e]);
    }
  }
}

// The FP32 sums of a warp: [m16 block][n8 block][as mma.cuh says of d].
template <typename Config>
struct Accumulators {
  static constexpr int kBlocksM = Config::kWarpM / kMmaM;
  static constexpr int kBlocksN = Config::kWarpN / kMmaN;
  float values[kBlocksM][kBlocksN][4];

  __device__ __forceinline__ void Clear() {
#pragma unroll
    for (int i = 0; i < kBlocksM; ++i) {
#pragma unroll
      for (int j = 0; j < kBlocksN; ++j) {
#pragma unroll
        for (int e = 0; e < 4; ++e) values[i][j][e] = 0;
      }
    }
  }

  // Adds the product of one K step; b is rounded (RoundFragments). Neighbouring products share an operand's registers: rows forth and back. (Bare mma.sync
  // with random operands takes 5% more joules if no neighbours share one, 2026-11-22.)
  __device__ __forceinline__ void Add(const unsigned (&a)[kBlocksM][4], const unsigned (&b)[kBlocksN / 2][4]) {
#pragma unroll
    for (int i = 0; i < kBlocksM; ++i) AddRow(i, a[i], b);
  }
  // Of that the i-th 16 rows.
  __device__ __forceinline__ void AddRow(int i, const unsigned (&a)[4], const unsigned (&b)[kBlocksN / 2][4]) {
    unsigned row[1][4] = {{a[0], a[1], a[2], a[3]}};
    RoundFragments<Config, true>(row);
#pragma unroll
    for (int step = 0; step < kBlocksN; ++step) {
      const int j = i % 2 == 0 ? step : kBlocksN - 1 - step;
      const unsigned pair[2] = {b[j / 2][j % 2 * 2], b[j / 2][j % 2 * 2 + 1]};
      if (Config::kElement == Element::kTF32) {
        device::ptx::MmaM16N8K8TF32(values[i][j], row[0], pair);
      } else if (Config::kElement == Element::kBF16) {
        device::ptx::MmaM16N8K16BF16(values[i][j], a, pair);
      } else {
        device::ptx::MmaM16N8K16F16(values[i][j], a, pair);
      }
    }
  }
};

}  // namespace gemm::ampere
