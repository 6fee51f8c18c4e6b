// TF32: FP32 with 10 bits of mantissa, in a register of 32 bits of which the lower 13 are ignored. A header of its own, and a target of
// its own in BUILD: only Ampere's kernels use it.
#pragma once

namespace gemm::device::ptx {

// One of the two neighbours of `value` among the numbers with 11 significant bits, in the upper 19 bits of the result: itself where it
// is one, else mostly the nearer one, never more than 1.25 * 2^-11 of it away; Inf and NaN stay what they are. Any thread may call
// it.
//
// mma.sync drops the lower bits, so the value is raised before, by 3/8 of the neighbours' distance at the beginning of a binade and by
// 3/4 at its end: the errors of values of uniform logarithm cancel. cvt.rna.tf32.f32 rounds to the nearest, but ptxas makes three
// instructions of it, with which 4096^3 ran at 181 TFLOP/s instead of 204 (one H200, 2026-11-22).
//
// mul.rn.f32 d, a, 1 + 3 * 2^-13;  Hidden from the compiler, which would multiply long before the result is needed, and spill.
__device__ __forceinline__ unsigned RoundTF32(unsigned value) {
  asm volatile("mul.rn.f32 %0, %0, 0f3F800C00;" : "+r"(value));
  return value;
}

// mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 d, a, b, d;  (PTX ISA 7.0, sm_80)
// The whole warp calls, converged. With g = lane / 4 and t = lane % 4:
//   a[0], a[1], a[2], a[3]   A(g, t), A(g + 8, t), A(g, t + 4), A(g + 8, t + 4)
//   b[0], b[1]               B(t, g), B(t + 4, g)
//   d[0], d[1], d[2], d[3]   D(g, 2t), D(g, 2t + 1), D(g + 8, 2t), D(g + 8, 2t + 1)
// The lower 13 bits of an element of A or B do not count (so recorded on one H200: tests/emulator/recorded, mma_random_tf32).
// Source: PTX ISA, "Matrix fragments for mma.m16n8k8". Registers only: orders no memory.
__device__ __forceinline__ void MmaM16N8K8TF32(float (&d)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {
  asm volatile(
      "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
      "{%0, %1, %2, %3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

}  // namespace gemm::device::ptx
