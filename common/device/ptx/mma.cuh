// mma.sync m16n8k16: D += A B in a warp's registers, FP32 accumulation (PTX ISA 7.0, sm_80).
//
// The whole warp calls, converged. With g = lane / 4 and t = lane % 4, each register of A and B holding two
// neighbours along K, the lower one in the lower half:
//   a[0], a[1], a[2], a[3]   A(g, 2t), A(g + 8, 2t), A(g, 2t + 8), A(g + 8, 2t + 8)
//   b[0], b[1]               B(2t, g), B(2t + 8, g)
//   d[0], d[1], d[2], d[3]   D(g, 2t), D(g, 2t + 1), D(g + 8, 2t), D(g + 8, 2t + 1)
// Source: PTX ISA, "Matrix fragments for mma.m16n8k16 with floating point type". Registers only: orders no
// memory.
#pragma once

namespace gemm::device::ptx {

// mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 d, a, b, d;
__device__ __forceinline__ void MmaM16N8K16BF16(float (&d)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
      "{%0, %1, %2, %3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

// mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 d, a, b, d;
__device__ __forceinline__ void MmaM16N8K16F16(float (&d)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
      "{%0, %1, %2, %3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

}  // namespace gemm::device::ptx
