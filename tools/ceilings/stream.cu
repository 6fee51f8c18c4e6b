// Reading and copying large pieces of memory, neighbours together. Loads go past the L1 (ld.global.cg), so that of a piece that
// fits the L2 it is the L2 that is measured.
#include "tools/ceilings/random.cuh"
#include "tools/ceilings/work.h"

using gemm::ceilings::Stream;

// `chunks` chunks of normal deviates in BF16, what products have in memory.
extern "C" __global__ void __launch_bounds__(Stream::kThreads) ceilings_fill(uint4* data, unsigned chunks) {
  for (unsigned chunk = blockIdx.x; chunk < chunks; chunk += gridDim.x) {
#pragma unroll
    for (int u = 0; u < Stream::kUnroll; ++u) {
      const unsigned long long i =
          static_cast<unsigned long long>(chunk) * Stream::kChunk + u * Stream::kThreads + threadIdx.x;
      const unsigned word = 4 * static_cast<unsigned>(i);
      data[i] = make_uint4(gemm::ceilings::NormalBF16x2(word), gemm::ceilings::NormalBF16x2(word + 1),
                           gemm::ceilings::NormalBF16x2(word + 2), gemm::ceilings::NormalBF16x2(word + 3));
    }
  }
}

// Loads a chunk's vectors of this thread.
__device__ __forceinline__ void Load(const uint4* data, unsigned chunk, uint4 (&values)[Stream::kUnroll]) {
  const uint4* const first = data + static_cast<unsigned long long>(chunk) * Stream::kChunk + threadIdx.x;
#pragma unroll
  for (int u = 0; u < Stream::kUnroll; ++u) values[u] = __ldcg(first + u * Stream::kThreads);
}

// Scatters the numbers of turns.
__device__ __forceinline__ unsigned Scatter(unsigned turn) {
  turn = (turn ^ (turn >> 16)) * 0x7feb352du;
  turn = (turn ^ (turn >> 15)) * 0x846ca68bu;
  return turn ^ (turn >> 16);
}

// Each turn reads all chunks. Blocks take others every turn, so that an SM reads from all of the L2, not from the part that is
// near to it; and in no order that another block could follow, as reads of the same lines by several SMs at a time are answered
// together. Where a block's chunk was its neighbour's of the turn before, an H200 gave 11 to 16 TB/s, and ncu counted 83 million
// sectors from the L2 where 108 million came to the SMs. In this order it gives 9.1 to 9.4 TB/s, and 98.5% of the sectors are
// the L2's own: 56 bytes a clock from each of 96 slices, of 64 at most. Blocks that keep their chunks give 8.6 TB/s (2026-11-22).
extern "C" __global__ void __launch_bounds__(Stream::kThreads)
    ceilings_read(unsigned turns, const uint4* data, unsigned chunks, float* sink) {
  unsigned mixed = 0;
#pragma unroll 1
  for (unsigned turn = 0; turn < turns; ++turn) {
#pragma unroll 1
    for (unsigned chunk = (blockIdx.x + Scatter(turn) % gridDim.x) % gridDim.x; chunk < chunks;
         chunk += gridDim.x) {
      uint4 values[Stream::kUnroll];
      Load(data, chunk, values);
#pragma unroll
      for (int u = 0; u < Stream::kUnroll; ++u) mixed ^= values[u].x ^ values[u].y ^ values[u].z ^ values[u].w;
    }
  }
  gemm::ceilings::Keep(__uint_as_float(mixed), sink);
}

extern "C" __global__ void __launch_bounds__(Stream::kThreads)
    ceilings_copy(unsigned turns, const uint4* from, uint4* to, unsigned chunks) {
#pragma unroll 1
  for (unsigned turn = 0; turn < turns; ++turn) {
#pragma unroll 1
    for (unsigned chunk = blockIdx.x; chunk < chunks; chunk += gridDim.x) {
      uint4 values[Stream::kUnroll];
      Load(from, chunk, values);
      uint4* const first = to + static_cast<unsigned long long>(chunk) * Stream::kChunk + threadIdx.x;
#pragma unroll
      for (int u = 0; u < Stream::kUnroll; ++u) first[u * Stream::kThreads] = values[u];
    }
  }
}
