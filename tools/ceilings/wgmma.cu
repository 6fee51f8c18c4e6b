// wgmma m64n256k16 BF16 from shared memory that nobody writes meanwhile: what a Hopper kernel's consumers would reach if their
// operands were always there.
#include "common/device/ptx/mbarrier.cuh"
#include "common/device/ptx/tma.cuh"
#include "common/device/ptx/wgmma.cuh"
#include "tools/ceilings/random.cuh"
#include "tools/ceilings/work.h"

namespace ptx = gemm::device::ptx;
using gemm::ceilings::WgmmaRing;

// K-major with 128-byte swizzle: rows of 64 k; 8 rows are 1024 bytes. The order of random values in it is of no interest.
__device__ __forceinline__ cuda::std::uint64_t Descriptor(const void* shared) {
  return ptx::WgmmaDescriptor(ptx::SharedAddress(shared), 16, 1024);
}

extern "C" __global__ void __launch_bounds__(WgmmaRing::kThreads, 1)
    ceilings_wgmma_bf16(unsigned turns, float* sink) {
  extern __shared__ __align__(1024) unsigned char shared[];
  unsigned* const words = reinterpret_cast<unsigned*>(shared);
  constexpr unsigned kWords = WgmmaRing::kSharedBytes / 4;
  for (unsigned i = threadIdx.x; i < kWords; i += blockDim.x)
    words[i] = gemm::ceilings::NormalBF16x2(blockIdx.x * kWords + i);
  ptx::FenceSharedForAsync();
  __syncthreads();

  const unsigned group = threadIdx.x / 128;
  constexpr unsigned kStageUnits = (WgmmaRing::kABytes + WgmmaRing::kBBytes) / 16;
  const cuda::std::uint64_t a = Descriptor(shared + group * (64 * WgmmaRing::kK * 2));
  const cuda::std::uint64_t b = Descriptor(shared + WgmmaRing::kABytes);
  float acc[WgmmaRing::kN / 2] = {};
  ptx::FenceAccumulators(acc);
#pragma unroll 1
  for (unsigned turn = 0; turn < turns; ++turn) {
    const unsigned stage = turn % WgmmaRing::kStages * kStageUnits;
    const bool first = turn % WgmmaRing::kStagesPerTile == 0;
    ptx::WgmmaFence();
#pragma unroll
    for (int k = 0; k < WgmmaRing::kK / 16; ++k) {
      // 16 k further: 32 bytes, 2 of the descriptor's units.
      ptx::Wgmma<WgmmaRing::kN, ptx::WgmmaType::kBF16, false, false>::Run(acc, a + stage + 2 * k,
                                                                          b + stage + 2 * k, k > 0 || !first);
    }
    ptx::WgmmaCommit();
    ptx::WgmmaWait<1>();
  }
  ptx::WgmmaWait<0>();
  ptx::FenceAccumulators(acc);
  float sum = 0;
#pragma unroll
  for (int i = 0; i < WgmmaRing::kN / 2; ++i) sum += acc[i];
  gemm::ceilings::Keep(sum, sink);
}
