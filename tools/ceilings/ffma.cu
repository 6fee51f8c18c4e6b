// FP32 fused multiply-adds from registers, as the inner loop of an FP32 product has them.
#include "tools/ceilings/random.cuh"
#include "tools/ceilings/work.h"

using gemm::ceilings::Ffma;

extern "C" __global__ void __launch_bounds__(Ffma::kThreads, Ffma::kBlocksPerSm)
    ceilings_ffma(unsigned turns, float* sink) {
  constexpr int kTile = Ffma::kTile;
  const unsigned seed = 2 * kTile * (blockIdx.x * blockDim.x + threadIdx.x);
  float a[kTile], b[kTile], acc[kTile][kTile];
#pragma unroll
  for (int i = 0; i < kTile; ++i) {
    a[i] = gemm::ceilings::Normal(seed + i);
    b[i] = gemm::ceilings::Normal(seed + kTile + i);
#pragma unroll
    for (int j = 0; j < kTile; ++j) acc[i][j] = 0;
  }
#pragma unroll 1
  for (unsigned turn = 0; turn < turns; ++turn) {
#pragma unroll
    for (int step = 0; step < Ffma::kSteps; ++step) {
#pragma unroll
      for (int i = 0; i < kTile; ++i) {
#pragma unroll
        // Another pairing each step: a sum that gets the same addend again and again toggles few bits.
        for (int j = 0; j < kTile; ++j) acc[i][j] = fmaf(a[(i + step) % kTile], b[j], acc[i][j]);
      }
    }
  }
  float sum = 0;
#pragma unroll
  for (int i = 0; i < kTile; ++i) {
#pragma unroll
    for (int j = 0; j < kTile; ++j) sum += acc[i][j];
  }
  gemm::ceilings::Keep(sum, sink);
}
