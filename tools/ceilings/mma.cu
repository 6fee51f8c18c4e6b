// mma.sync m16n8k16 BF16 from registers: what a kernel of the Ampere kind has once its fragments are loaded.
#include "common/device/ptx/mma.cuh"
#include "tools/ceilings/random.cuh"
#include "tools/ceilings/work.h"

using gemm::ceilings::Mma;

extern "C" __global__ void __launch_bounds__(Mma::kThreads, Mma::kBlocksPerSm)
    ceilings_mma_bf16(unsigned turns, float* sink) {
  constexpr int kTile = Mma::kTile;
  const unsigned seed = 6 * kTile * (blockIdx.x * blockDim.x + threadIdx.x);
  unsigned a[kTile][4], b[kTile][2];
  float acc[kTile][kTile][4] = {};
#pragma unroll
  for (int i = 0; i < kTile; ++i) {
#pragma unroll
    for (int r = 0; r < 4; ++r) a[i][r] = gemm::ceilings::NormalBF16x2(seed + 6 * i + r);
#pragma unroll
    for (int r = 0; r < 2; ++r) b[i][r] = gemm::ceilings::NormalBF16x2(seed + 6 * i + 4 + r);
  }
#pragma unroll 1
  for (unsigned turn = 0; turn < turns; ++turn) {
#pragma unroll
    for (int step = 0; step < Mma::kSteps; ++step) {
#pragma unroll
      for (int i = 0; i < kTile; ++i) {
#pragma unroll
        for (int j = 0; j < kTile; ++j)
          gemm::device::ptx::MmaM16N8K16BF16(acc[i][j], a[(i + step) % kTile], b[j]);
      }
    }
  }
  float sum = 0;
#pragma unroll
  for (int i = 0; i < kTile; ++i) {
#pragma unroll
    for (int j = 0; j < kTile; ++j) sum += acc[i][j][0] + acc[i][j][1] + acc[i][j][2] + acc[i][j][3];
  }
  gemm::ceilings::Keep(sum, sink);
}
