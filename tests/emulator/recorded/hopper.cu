// What sm_90a adds: tensor copies, wgmma. One CTA of 128 threads; `data` is the tensor behind `map`.
#include <cuda.h>
#include <cuda/std/cstdint>

namespace {

__device__ unsigned Shared(const void* pointer) { return (unsigned)__cvta_generic_to_shared(pointer); }

__device__ void InitBarrier(cuda::std::uint64_t* barrier) {
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared.b64 [%0], 1;\nfence.mbarrier_init.release.cluster;" ::"r"(Shared(barrier)) : "memory");
  }
  __syncthreads();
}
__device__ void Expect(cuda::std::uint64_t* barrier, unsigned bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(Shared(barrier)), "r"(bytes) : "memory");
}
__device__ void Wait(cuda::std::uint64_t* barrier) {
  asm volatile(
      "{.reg .pred p;\nwait_again:\nmbarrier.try_wait.parity.shared.b64 p, [%0], 0;\n@!p bra wait_again;\n}" ::"r"(Shared(barrier))
      : "memory");
}

}  // namespace

// Loads a box of `bytes` at (x, y) and shows shared memory as it lies. The maps are experiments.cc's.
extern "C" __global__ void tensor_load_2d(const __grid_constant__ CUtensorMap map, unsigned* out, int x, int y, unsigned bytes) {
  __shared__ alignas(1024) unsigned memory[4096];
  __shared__ cuda::std::uint64_t barrier;
  InitBarrier(&barrier);
  for (unsigned i = threadIdx.x; i < 4096; i += 128) memory[i] = 0xdeadbeefu;
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  if (threadIdx.x == 0) {
    Expect(&barrier, bytes);
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(
            Shared(memory)),
        "l"(&map), "r"(x), "r"(y), "r"(Shared(&barrier))
        : "memory");
  }
  Wait(&barrier);
  for (unsigned i = threadIdx.x; i < bytes / 4; i += 128) out[i] = memory[i];
}

// Stores shared memory, whose words hold their index, as the box at (x, y).
extern "C" __global__ void tensor_store_2d(const __grid_constant__ CUtensorMap map, int x, int y) {
  __shared__ alignas(1024) unsigned memory[4096];
  for (unsigned i = threadIdx.x; i < 4096; i += 128) memory[i] = i * 0x00020002u + 0x00010000u;
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  if (threadIdx.x == 0) {
    asm volatile(
        "cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%1, %2}], [%3];\n"
        "cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;" ::"l"(&map),
        "r"(x), "r"(y), "r"(Shared(memory))
        : "memory");
  }
}

extern "C" __global__ void tensor_reduce_2d(const __grid_constant__ CUtensorMap map, int x, int y) {
  __shared__ alignas(1024) unsigned memory[4096];
  for (unsigned i = threadIdx.x; i < 4096; i += 128) memory[i] = i * 3u + 1u;
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  if (threadIdx.x == 0) {
    asm volatile(
        "cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group [%0, {%1, %2}], [%3];\n"
        "cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;" ::"l"(&map),
        "r"(x), "r"(y), "r"(Shared(memory))
        : "memory");
  }
}

// out = A B for 64 x 16 x N, both from shared memory whose 16-bit elements are small integers by their position, so that
// every layout and swizzle of the descriptors gives a result of its own, exactly.
__device__ void FillOperands(unsigned short* memory) {
  for (unsigned i = threadIdx.x; i < 16384; i += 128) {
    const int value = (int)((i * 2654435761u >> 13) % 9u) - 4;
    asm("cvt.rn.f16.s32 %0, %1;" : "=h"(memory[i]) : "r"(value));
  }
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
}

#define WGMMA_N16(name, a_transposed, b_transposed)                                                                     \
  extern "C" __global__ void __launch_bounds__(128) name(unsigned* out, cuda::std::uint64_t a, cuda::std::uint64_t b) { \
    __shared__ alignas(1024) unsigned short memory[16384];                                                              \
    FillOperands(memory);                                                                                               \
    float d[8];                                                                                                         \
    const cuda::std::uint64_t base = Shared(memory) >> 4;                                                               \
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");                                                             \
    asm volatile("wgmma.mma_async.sync.aligned.m64n16k16.f32.f16.f16 {%0, %1, %2, %3, %4, %5, %6, %7}, %8, %9, 0, 1, 1, " \
                 #a_transposed ", " #b_transposed ";"                                                                   \
                 : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3]), "=f"(d[4]), "=f"(d[5]), "=f"(d[6]), "=f"(d[7])       \
                 : "l"(a + base), "l"(b + base));                                                                       \
    asm volatile("wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;" ::: "memory");                    \
    for (int i = 0; i < 8; ++i) asm volatile("" : "+f"(d[i])::"memory");                                                \
    for (int i = 0; i < 8; ++i) out[128 * i + threadIdx.x] = __float_as_uint(d[i]);                                     \
  }
WGMMA_N16(wgmma_n16_kk, 0, 0)
WGMMA_N16(wgmma_n16_kn, 0, 1)
WGMMA_N16(wgmma_n16_mk, 1, 0)
WGMMA_N16(wgmma_n16_mn, 1, 1)

// A from registers.
extern "C" __global__ void __launch_bounds__(128) wgmma_n8_registers(unsigned* out, cuda::std::uint64_t b) {
  __shared__ alignas(1024) unsigned short memory[16384];
  FillOperands(memory);
  unsigned a[4];
  for (unsigned i = 0; i < 4; ++i) a[i] = memory[threadIdx.x * 8 + i * 2] | (unsigned)memory[threadIdx.x * 8 + i * 2 + 1] << 16;
  float d[4] = {1, 2, 3, 4};
  const cuda::std::uint64_t base = Shared(memory) >> 4;
  for (int i = 0; i < 4; ++i) asm volatile("" : "+f"(d[i])::"memory");
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
  asm volatile(
      "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, {%4, %5, %6, %7}, %8, 1, -1, 1, 0;"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b + base));
  asm volatile("wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;" ::: "memory");
  for (int i = 0; i < 4; ++i) asm volatile("" : "+f"(d[i])::"memory");
  for (int i = 0; i < 4; ++i) out[128 * i + threadIdx.x] = __float_as_uint(d[i]);
}
