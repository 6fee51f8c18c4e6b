// cvt: FP32 to FP16 and BF16 and back. Pure functions of registers; they order nothing and any thread may call them.
//
// To 16 bits: .rn rounds to nearest, ties to even; a magnitude that rounds beyond the largest finite value becomes Inf
// of its sign; Inf stays Inf; NaN becomes the canonical NaN (0x7fff); subnormals of the narrow type are produced, never
// flushed. To FP32: exact, NaN stays NaN.
#pragma once

namespace gemm::device::ptx {

// cvt.rn.f16.f32 d, a;  (PTX ISA 1.0)
__device__ __forceinline__ unsigned short CvtF16F32(float value) {
  unsigned short result;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(result) : "f"(value));
  return result;
}

// cvt.rn.bf16.f32 d, a;  (PTX ISA 7.0, sm_80)
__device__ __forceinline__ unsigned short CvtBF16F32(float value) {
  unsigned short result;
  asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(result) : "f"(value));
  return result;
}

// cvt.rn.f16x2.f32 d, a, b;  (PTX ISA 7.0, sm_80): `low` goes to bits 0..15, the lower address of a pair in memory.
__device__ __forceinline__ unsigned CvtF16x2F32(float low, float high) {
  unsigned result;
  asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(result) : "f"(high), "f"(low));
  return result;
}

// cvt.rn.bf16x2.f32 d, a, b;  (PTX ISA 7.0, sm_80): `low` goes to bits 0..15.
__device__ __forceinline__ unsigned CvtBF16x2F32(float low, float high) {
  unsigned result;
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(result) : "f"(high), "f"(low));
  return result;
}

// cvt.f32.f16 d, a;  (PTX ISA 1.0)
__device__ __forceinline__ float CvtF32F16(unsigned short value) {
  float result;
  asm("cvt.f32.f16 %0, %1;" : "=f"(result) : "h"(value));
  return result;
}

}  // namespace gemm::device::ptx
