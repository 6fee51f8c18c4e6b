// FP32 fused multiply-adds from registers, at the rate of the units. Each sum goes on by itself, and the other two operands stay
// for kSums instructions, so that a register's bank is never asked twice: on an H200 that gives 65.9 TFLOP/s of 66.9, where
// nvcc's registers for 8 x 8 sums, an FP32 product's inner loop, gave 45 to 59 by the number of steps that were unrolled (ncu:
// dispatch stalls; 2026-11-22).
#include "tools/ceilings/random.cuh"
#include "tools/ceilings/work.h"

using gemm::ceilings::Ffma;

extern "C" __global__ void __launch_bounds__(Ffma::kThreads, Ffma::kBlocksPerSm)
    ceilings_ffma(unsigned turns, float* sink) {
  constexpr int kSums = Ffma::kSums;
  const unsigned seed = (kSums + 2) * (blockIdx.x * blockDim.x + threadIdx.x);
  // Every second step takes back what the first did: sums neither grow nor settle, and their bits toggle.
  const float scale = 1.25f + 0.1f * gemm::ceilings::Normal(seed);
  const float shift = gemm::ceilings::Normal(seed + 1);
  const float a[2] = {scale, 1 / scale}, b[2] = {shift, -shift / scale};
  float acc[kSums];
#pragma unroll
  for (int i = 0; i < kSums; ++i) acc[i] = gemm::ceilings::Normal(seed + 2 + i);
#pragma unroll 1
  for (unsigned turn = 0; turn < turns; ++turn) {
#pragma unroll
    for (int step = 0; step < Ffma::kSteps; ++step) {
#pragma unroll
      for (int i = 0; i < kSums; ++i) acc[i] = fmaf(acc[i], a[step % 2], b[step % 2]);
    }
  }
  float sum = 0;
#pragma unroll
  for (int i = 0; i < kSums; ++i) sum += acc[i];
  gemm::ceilings::Keep(sum, sink);
}
