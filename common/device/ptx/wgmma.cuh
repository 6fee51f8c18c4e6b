// wgmma: a warpgroup multiplies tiles of shared memory into registers. PTX ISA 8.0, sm_90a.
//
// Order of use, by all 128 threads of a warpgroup whose first warp's index is a multiple of 4, converged:
//   FenceAccumulators(acc)  keeps ordinary code on acc on its side of the asm
//   WgmmaFence()            before the first Wgmma and whenever acc was touched by ordinary code since
//   Wgmma...()              any number; in flight from here: nobody may touch acc or overwrite the operands
//   WgmmaCommit()           closes the batch
//   WgmmaWait<n>()          until at most n of the latest batches are in flight
//   FenceAccumulators(acc)  before ordinary code reads acc
// Operands are read through the async proxy: what the copy engine wrote needs no fence, only its mbarrier.
//
// Accumulator layout of m64nNk16 (PTX ISA, "Register Fragments for wgmma.mma_async.m64nNk16", D): with w = warp
// index in the warpgroup, g = lane / 4, t = lane % 4, acc[4 j + 2 h + i] is row 16 w + 8 h + g, column 8 j + 2
// t + i.
#pragma once

#include <cuda/std/cstdint>

namespace gemm::device::ptx {

// The shared-memory matrix descriptor of PTX ISA, "Matrix Descriptor Format", for 128-byte swizzle: bits 0-13
// start address / 16, 16-29 leading byte offset / 16, 32-45 stride byte offset / 16, 49-51 base offset (0: the
// swizzle's 1024-byte atoms lie on multiples of 1024), 62-63 swizzle mode (1: 128 bytes). `address` is a
// shared::cta address.
__device__ __forceinline__ cuda::std::uint64_t WgmmaDescriptor(unsigned address, unsigned leading_bytes,
                                                               unsigned stride_bytes) {
  return static_cast<cuda::std::uint64_t>((address & 0x3ffff) >> 4) |
         static_cast<cuda::std::uint64_t>(leading_bytes >> 4) << 16 |
         static_cast<cuda::std::uint64_t>(stride_bytes >> 4) << 32 | cuda::std::uint64_t{1} << 62;
}

// The descriptor of what lies `units` of 16 bytes further. Adds to the low half alone: the address field never
// overflows into the next, because shared memory ends below 2^18.
__device__ __forceinline__ cuda::std::uint64_t AdvanceDescriptor(cuda::std::uint64_t descriptor,
                                                                 unsigned units) {
  const auto low = static_cast<cuda::std::uint32_t>(descriptor) + units;
  return (descriptor & ~cuda::std::uint64_t{0xffffffff}) | low;
}

// wgmma.fence.sync.aligned
__device__ __forceinline__ void WgmmaFence() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }

// wgmma.commit_group.sync.aligned
__device__ __forceinline__ void WgmmaCommit() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }

// wgmma.wait_group.sync.aligned
template <int Pending>
__device__ __forceinline__ void WgmmaWait() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(Pending) : "memory");
}

// No instruction: the compiler may not move code on acc across it.
template <int Count>
__device__ __forceinline__ void FenceAccumulators(float (&acc)[Count]) {
#pragma unroll
  for (int i = 0; i < Count; ++i) asm volatile("" : "+f"(acc[i])::"memory");
}

enum class WgmmaType { kFP16, kBF16 };

// wgmma.mma_async.sync.aligned.m64nNk16.f32.{f16,bf16}.{f16,bf16}: acc = A B + (accumulate ? acc : 0), A 64 x
// 16 and B 16 x N from shared memory. Transposed (tnspA, tnspB = 1) means MN-major: M of A, N of B, is
// contiguous. Defined for N = 8, the multiples of 16 to 208, 56, 72, 88, 104, 120, 136, 152, 168, 224, 232 and 256.
template <int N, WgmmaType Type, bool ATransposed, bool BTransposed>
struct Wgmma;

// The first accumulator registers of an asm, in its text and as its operands.
#define GEMM_REGISTERS_4 "%0, %1, %2, %3"
#define GEMM_REGISTERS_8 GEMM_REGISTERS_4 ", %4, %5, %6, %7"
#define GEMM_REGISTERS_16 GEMM_REGISTERS_8 ", %8, %9, %10, %11, %12, %13, %14, %15"
#define GEMM_REGISTERS_24 GEMM_REGISTERS_16 ", %16, %17, %18, %19, %20, %21, %22, %23"
#define GEMM_REGISTERS_28 GEMM_REGISTERS_24 ", %24, %25, %26, %27"
#define GEMM_REGISTERS_32 GEMM_REGISTERS_24 ", %24, %25, %26, %27, %28, %29, %30, %31"
#define GEMM_REGISTERS_36 GEMM_REGISTERS_32 ", %32, %33, %34, %35"
#define GEMM_REGISTERS_40 GEMM_REGISTERS_32 ", %32, %33, %34, %35, %36, %37, %38, %39"
#define GEMM_REGISTERS_44 GEMM_REGISTERS_40 ", %40, %41, %42, %43"
#define GEMM_REGISTERS_48 GEMM_REGISTERS_40 ", %40, %41, %42, %43, %44, %45, %46, %47"
#define GEMM_REGISTERS_52 GEMM_REGISTERS_48 ", %48, %49, %50, %51"
#define GEMM_REGISTERS_56 GEMM_REGISTERS_48 ", %48, %49, %50, %51, %52, %53, %54, %55"
#define GEMM_REGISTERS_60 GEMM_REGISTERS_56 ", %56, %57, %58, %59"
#define GEMM_REGISTERS_64 GEMM_REGISTERS_56 ", %56, %57, %58, %59, %60, %61, %62, %63"
#define GEMM_REGISTERS_68 GEMM_REGISTERS_64 ", %64, %65, %66, %67"
#define GEMM_REGISTERS_72 GEMM_REGISTERS_64 ", %64, %65, %66, %67, %68, %69, %70, %71"
#define GEMM_REGISTERS_76 GEMM_REGISTERS_72 ", %72, %73, %74, %75"
#define GEMM_REGISTERS_80 GEMM_REGISTERS_72 ", %72, %73, %74, %75, %76, %77, %78, %79"
#define GEMM_REGISTERS_84 GEMM_REGISTERS_80 ", %80, %81, %82, %83"
#define GEMM_REGISTERS_88 GEMM_REGISTERS_80 ", %80, %81, %82, %83, %84, %85, %86, %87"
#define GEMM_REGISTERS_96 GEMM_REGISTERS_88 ", %88, %89, %90, %91, %92, %93, %94, %95"
#define GEMM_REGISTERS_104 GEMM_REGISTERS_96 ", %96, %97, %98, %99, %100, %101, %102, %103"
#define GEMM_REGISTERS_112 GEMM_REGISTERS_104 ", %104, %105, %106, %107, %108, %109, %110, %111"
#define GEMM_REGISTERS_116 GEMM_REGISTERS_112 ", %112, %113, %114, %115"
#define GEMM_REGISTERS_120 GEMM_REGISTERS_112 ", %112, %113, %114, %115, %116, %117, %118, %119"
#define GEMM_REGISTERS_128 GEMM_REGISTERS_120 ", %120, %121, %122, %123, %124, %125, %126, %127"
#define GEMM_ACC4(i) "+f"(acc[i]), "+f"(acc[i + 1]), "+f"(acc[i + 2]), "+f"(acc[i + 3])
#define GEMM_ACC8(i) GEMM_ACC4(i), GEMM_ACC4(i + 4)
#define GEMM_ACC_4 GEMM_ACC4(0)
#define GEMM_ACC_8 GEMM_ACC8(0)
#define GEMM_ACC_16 GEMM_ACC_8, GEMM_ACC8(8)
#define GEMM_ACC_24 GEMM_ACC_16, GEMM_ACC8(16)
#define GEMM_ACC_28 GEMM_ACC_24, GEMM_ACC4(24)
#define GEMM_ACC_32 GEMM_ACC_24, GEMM_ACC8(24)
#define GEMM_ACC_36 GEMM_ACC_32, GEMM_ACC4(32)
#define GEMM_ACC_40 GEMM_ACC_32, GEMM_ACC8(32)
#define GEMM_ACC_44 GEMM_ACC_40, GEMM_ACC4(40)
#define GEMM_ACC_48 GEMM_ACC_40, GEMM_ACC8(40)
#define GEMM_ACC_52 GEMM_ACC_48, GEMM_ACC4(48)
#define GEMM_ACC_56 GEMM_ACC_48, GEMM_ACC8(48)
#define GEMM_ACC_60 GEMM_ACC_56, GEMM_ACC4(56)
#define GEMM_ACC_64 GEMM_ACC_56, GEMM_ACC8(56)
#define GEMM_ACC_68 GEMM_ACC_64, GEMM_ACC4(64)
#define GEMM_ACC_72 GEMM_ACC_64, GEMM_ACC8(64)
#define GEMM_ACC_76 GEMM_ACC_72, GEMM_ACC4(72)
#define GEMM_ACC_80 GEMM_ACC_72, GEMM_ACC8(72)
#define GEMM_ACC_84 GEMM_ACC_80, GEMM_ACC4(80)
#define GEMM_ACC_88 GEMM_ACC_80, GEMM_ACC8(80)
#define GEMM_ACC_96 GEMM_ACC_88, GEMM_ACC8(88)
#define GEMM_ACC_104 GEMM_ACC_96, GEMM_ACC8(96)
#define GEMM_ACC_112 GEMM_ACC_104, GEMM_ACC8(104)
#define GEMM_ACC_116 GEMM_ACC_112, GEMM_ACC4(112)
#define GEMM_ACC_120 GEMM_ACC_112, GEMM_ACC8(112)
#define GEMM_ACC_128 GEMM_ACC_120, GEMM_ACC8(120)

// COUNT is N / 2, the number of accumulators; B, P, TA, TB are the four numbers after it: of the operands behind them.
#define GEMM_DEFINE_WGMMA(TYPE, NAME, N, COUNT, B, P, TA, TB)                                              \
  template <bool ATransposed, bool BTransposed>                                                            \
  struct Wgmma<N, WgmmaType::TYPE, ATransposed, BTransposed> {                                             \
    static __device__ __forceinline__ void Run(float (&acc)[COUNT], cuda::std::uint64_t a,                 \
                                               cuda::std::uint64_t b, int accumulate) {                    \
      asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %" #P ", 0;\nwgmma.mma_async.sync.aligned.m64n" #N    \
                   "k16.f32." NAME "." NAME "\n{" GEMM_REGISTERS_##COUNT                                   \
                   "},\n"                                                                                  \
                   "%" #COUNT ", %" #B ", p, 1, 1, %" #TA ", %" #TB ";\n}\n"                               \
                   : GEMM_ACC_##COUNT                                                                      \
                   : "l"(a), "l"(b), "r"(accumulate), "n"(ATransposed ? 1 : 0), "n"(BTransposed ? 1 : 0)); \
    }                                                                                                      \
  };
#define GEMM_DEFINE_WGMMA_TYPES(...)           \
  GEMM_DEFINE_WGMMA(kFP16, "f16", __VA_ARGS__) \
  GEMM_DEFINE_WGMMA(kBF16, "bf16", __VA_ARGS__)

GEMM_DEFINE_WGMMA_TYPES(8, 4, 5, 6, 7, 8)
GEMM_DEFINE_WGMMA_TYPES(16, 8, 9, 10, 11, 12)
GEMM_DEFINE_WGMMA_TYPES(32, 16, 17, 18, 19, 20)
GEMM_DEFINE_WGMMA_TYPES(48, 24, 25, 26, 27, 28)
GEMM_DEFINE_WGMMA_TYPES(56, 28, 29, 30, 31, 32)
GEMM_DEFINE_WGMMA_TYPES(64, 32, 33, 34, 35, 36)
GEMM_DEFINE_WGMMA_TYPES(72, 36, 37, 38, 39, 40)
GEMM_DEFINE_WGMMA_TYPES(80, 40, 41, 42, 43, 44)
GEMM_DEFINE_WGMMA_TYPES(88, 44, 45, 46, 47, 48)
GEMM_DEFINE_WGMMA_TYPES(96, 48, 49, 50, 51, 52)
GEMM_DEFINE_WGMMA_TYPES(104, 52, 53, 54, 55, 56)
GEMM_DEFINE_WGMMA_TYPES(112, 56, 57, 58, 59, 60)
GEMM_DEFINE_WGMMA_TYPES(120, 60, 61, 62, 63, 64)
GEMM_DEFINE_WGMMA_TYPES(128, 64, 65, 66, 67, 68)
GEMM_DEFINE_WGMMA_TYPES(136, 68, 69, 70, 71, 72)
GEMM_DEFINE_WGMMA_TYPES(144, 72, 73, 74, 75, 76)
GEMM_DEFINE_WGMMA_TYPES(152, 76, 77, 78, 79, 80)
GEMM_DEFINE_WGMMA_TYPES(160, 80, 81, 82, 83, 84)
GEMM_DEFINE_WGMMA_TYPES(168, 84, 85, 86, 87, 88)
GEMM_DEFINE_WGMMA_TYPES(176, 88, 89, 90, 91, 92)
GEMM_DEFINE_WGMMA_TYPES(192, 96, 97, 98, 99, 100)
GEMM_DEFINE_WGMMA_TYPES(208, 104, 105, 106, 107, 108)
GEMM_DEFINE_WGMMA_TYPES(224, 112, 113, 114, 115, 116)
GEMM_DEFINE_WGMMA_TYPES(232, 116, 117, 118, 119, 120)
GEMM_DEFINE_WGMMA_TYPES(256, 128, 129, 130, 131, 132)

#undef GEMM_DEFINE_WGMMA_TYPES
#undef GEMM_DEFINE_WGMMA
#undef GEMM_REGISTERS_4
#undef GEMM_REGISTERS_8
#undef GEMM_REGISTERS_16
#undef GEMM_REGISTERS_24
#undef GEMM_REGISTERS_28
#undef GEMM_REGISTERS_32
#undef GEMM_REGISTERS_36
#undef GEMM_REGISTERS_40
#undef GEMM_REGISTERS_44
#undef GEMM_REGISTERS_48
#undef GEMM_REGISTERS_52
#undef GEMM_REGISTERS_56
#undef GEMM_REGISTERS_60
#undef GEMM_REGISTERS_64
#undef GEMM_REGISTERS_68
#undef GEMM_REGISTERS_72
#undef GEMM_REGISTERS_76
#undef GEMM_REGISTERS_80
#undef GEMM_REGISTERS_84
#undef GEMM_REGISTERS_88
#undef GEMM_REGISTERS_96
#undef GEMM_REGISTERS_104
#undef GEMM_REGISTERS_112
#undef GEMM_REGISTERS_116
#undef GEMM_REGISTERS_120
#undef GEMM_REGISTERS_128
#undef GEMM_ACC_4
#undef GEMM_ACC_8
#undef GEMM_ACC_16
#undef GEMM_ACC_24
#undef GEMM_ACC_28
#undef GEMM_ACC_32
#undef GEMM_ACC_36
#undef GEMM_ACC_40
#undef GEMM_ACC_44
#undef GEMM_ACC_48
#undef GEMM_ACC_52
#undef GEMM_ACC_56
#undef GEMM_ACC_60
#undef GEMM_ACC_64
#undef GEMM_ACC_68
#undef GEMM_ACC_72
#undef GEMM_ACC_76
#undef GEMM_ACC_80
#undef GEMM_ACC_84
#undef GEMM_ACC_88
#undef GEMM_ACC_96
#undef GEMM_ACC_104
#undef GEMM_ACC_112
#undef GEMM_ACC_116
#undef GEMM_ACC_120
#undef GEMM_ACC_128
#undef GEMM_ACC8
#undef GEMM_ACC4

}  // namespace gemm::device::ptx
