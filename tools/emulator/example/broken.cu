// Multiplies a row of 1024 floats for each block: in by the bulk copy engine, out by it. One line is missing.
#include <cuda/ptx>

namespace ptx = cuda::ptx;

constexpr int kFloats = 1024;
constexpr int kBytes = kFloats * 4;

extern "C" __global__ void scale(const float* from, float* to, float factor) {
  __shared__ alignas(128) float row[kFloats];
  __shared__ cuda::std::uint64_t full;
  if (threadIdx.x == 0) {
    ptx::mbarrier_init(&full, 1);
    ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full, kBytes);
    ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, row, from + blockIdx.x * kFloats, kBytes, &full);
  }
  __syncthreads();
  while (!ptx::mbarrier_try_wait_parity(&full, 0)) continue;

  for (int i = threadIdx.x; i < kFloats; i += blockDim.x) row[i] *= factor;

  __syncthreads();
  if (threadIdx.x == 0) {
    ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, to + blockIdx.x * kFloats, row, kBytes);
    ptx::cp_async_bulk_commit_group();
    ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
  }
}
