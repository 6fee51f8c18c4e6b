// Conversions. Thread t of 256 handles block t: 256 values of 16 bits, or 256 of 32 bits that Pattern makes; what comes out is
// folded into one word by Fold, so that a recording stays small and one wrong bit still shows.
#include <cuda/std/cstdint>

namespace {

// Floats of every exponent, the awkward mantissas more often than not.
__device__ unsigned Pattern(unsigned index) {
  unsigned hash = index * 2654435761u;
  hash ^= hash >> 15;
  hash *= 2246822519u;
  hash ^= hash >> 13;
  const unsigned exponent = index & 0xff;
  const unsigned sign = hash >> 31 << 31;
  unsigned mantissa = hash & 0x7fffff;
  switch (index >> 8 & 7) {
    case 0: mantissa = 0; break;
    case 1: mantissa = 0x7fffff; break;
    case 2: mantissa &= 0x7f8000; break;             // halfway cases of FP16 and BF16 follow
    case 3: mantissa = (mantissa & 0x7f0000) | 0x8000; break;
    case 4: mantissa = (mantissa & 0x7fe000) | 0x1000; break;
    case 5: mantissa = (mantissa & 0x7ffff0) | 1; break;
    default: break;
  }
  return sign | exponent << 23 | mantissa;
}

struct Fold {
  unsigned sum = 0;
  __device__ void Add(unsigned value) {
    sum = (sum ^ value) * 16777619u;
    sum ^= sum >> 16;
  }
};

}  // namespace

#define FROM_HALVES(name, body)                                       \
  extern "C" __global__ void name(unsigned* out) {                    \
    Fold fold;                                                        \
    for (unsigned i = 0; i < 256; ++i) {                              \
      const unsigned short x = (unsigned short)(threadIdx.x << 8 | i); \
      unsigned y;                                                     \
      body;                                                           \
      fold.Add(y);                                                    \
    }                                                                 \
    out[threadIdx.x] = fold.sum;                                      \
  }

#define FROM_WORDS(name, body)                         \
  extern "C" __global__ void name(unsigned* out) {     \
    Fold fold;                                         \
    for (unsigned i = 0; i < 256; ++i) {               \
      const unsigned x = Pattern(threadIdx.x << 8 | i); \
      const unsigned z = Pattern((threadIdx.x << 8 | i) * 7 + 3); \
      unsigned y;                                      \
      (void)z;                                         \
      body;                                            \
      fold.Add(y);                                     \
    }                                                  \
    out[threadIdx.x] = fold.sum;                       \
  }

#define HALF_TO_WORD(name, instruction) FROM_HALVES(name, asm volatile(instruction " %0, %1;" : "=r"(y) : "h"(x)))
#define WORD_TO_WORD(name, instruction) FROM_WORDS(name, asm volatile(instruction " %0, %1;" : "=r"(y) : "r"(x)))
#define WORD_TO_HALF(name, instruction)                              \
  FROM_WORDS(name, unsigned short h;                                 \
             asm volatile(instruction " %0, %1;" : "=h"(h) : "r"(x)); \
             y = h)
#define WORDS_TO_WORD(name, instruction) \
  FROM_WORDS(name, asm volatile(instruction " %0, %1, %2;" : "=r"(y) : "r"(x), "r"(z)))
#define WORDS_TO_HALF(name, instruction)                                     \
  FROM_WORDS(name, unsigned short h;                                         \
             asm volatile(instruction " %0, %1, %2;" : "=h"(h) : "r"(x), "r"(z)); \
             y = h)

HALF_TO_WORD(cvt_f32_f16, "cvt.f32.f16")
HALF_TO_WORD(cvt_f32_bf16, "cvt.f32.bf16")
HALF_TO_WORD(cvt_rni_s32_f16, "cvt.rni.s32.f16")
HALF_TO_WORD(cvt_rzi_u32_f16, "cvt.rzi.u32.f16")
HALF_TO_WORD(cvt_rn_f16x2_e4m3x2, "cvt.rn.f16x2.e4m3x2")
HALF_TO_WORD(cvt_rn_f16x2_e5m2x2, "cvt.rn.f16x2.e5m2x2")
FROM_HALVES(cvt_rn_f16_s16, unsigned short h; asm volatile("cvt.rn.f16.s16 %0, %1;" : "=h"(h) : "h"(x)); y = h)
FROM_HALVES(cvt_rz_f16_u16, unsigned short h; asm volatile("cvt.rz.f16.u16 %0, %1;" : "=h"(h) : "h"(x)); y = h)
FROM_HALVES(fma_rn_f16, unsigned short h; asm volatile("fma.rn.f16 %0, %1, %1, %1;" : "=h"(h) : "h"(x)); y = h)
FROM_HALVES(add_rn_bf16, unsigned short h; asm volatile("add.rn.bf16 %0, %1, %1;" : "=h"(h) : "h"(x)); y = h)

WORD_TO_HALF(cvt_rn_f16_f32, "cvt.rn.f16.f32")
WORD_TO_HALF(cvt_rz_f16_f32, "cvt.rz.f16.f32")
WORD_TO_HALF(cvt_rn_bf16_f32, "cvt.rn.bf16.f32")
WORD_TO_HALF(cvt_rz_bf16_f32, "cvt.rz.bf16.f32")
WORD_TO_HALF(cvt_rn_relu_bf16_f32, "cvt.rn.relu.bf16.f32")
WORDS_TO_WORD(cvt_rn_f16x2_f32, "cvt.rn.f16x2.f32")
WORDS_TO_WORD(cvt_rn_bf16x2_f32, "cvt.rn.bf16x2.f32")
WORDS_TO_HALF(cvt_rn_satfinite_e4m3x2_f32, "cvt.rn.satfinite.e4m3x2.f32")
WORDS_TO_HALF(cvt_rn_satfinite_e5m2x2_f32, "cvt.rn.satfinite.e5m2x2.f32")
WORD_TO_WORD(cvt_rna_tf32_f32, "cvt.rna.tf32.f32")
WORD_TO_WORD(cvt_rn_tf32_f32, "cvt.rn.tf32.f32")
WORD_TO_WORD(cvt_rni_s32_f32, "cvt.rni.s32.f32")
WORD_TO_WORD(cvt_rzi_u32_f32, "cvt.rzi.u32.f32")
WORD_TO_WORD(cvt_rmi_s32_f32, "cvt.rmi.ftz.s32.f32")
WORD_TO_WORD(cvt_rpi_s8_f32, "cvt.rpi.s8.f32")
WORD_TO_WORD(cvt_rni_f32_f32, "cvt.rni.f32.f32")
WORD_TO_WORD(cvt_sat_f32_f32, "cvt.sat.f32.f32")
WORD_TO_WORD(cvt_rn_f32_s32, "cvt.rn.f32.s32")
WORD_TO_WORD(cvt_rz_f32_u32, "cvt.rz.f32.u32")
WORD_TO_WORD(cvt_rp_f32_s32, "cvt.rp.f32.s32")
WORD_TO_WORD(cvt_sat_s8_s32, "cvt.sat.s8.s32")
WORD_TO_WORD(cvt_sat_u16_s32, "cvt.sat.u16.s32")

WORDS_TO_WORD(add_rn_f32, "add.rn.f32")
WORDS_TO_WORD(add_rz_ftz_f32, "add.rz.ftz.f32")
WORDS_TO_WORD(sub_rm_f32, "sub.rm.f32")
WORDS_TO_WORD(mul_rn_f32, "mul.rn.f32")
WORDS_TO_WORD(mul_rp_f32, "mul.rp.f32")
WORDS_TO_WORD(mul_rn_sat_f32, "mul.rn.sat.f32")
WORDS_TO_WORD(mul_rn_ftz_f32, "mul.rn.ftz.f32")
WORDS_TO_WORD(div_rn_f32, "div.rn.f32")
WORDS_TO_WORD(min_f32, "min.f32")
WORDS_TO_WORD(max_nan_f32, "max.NaN.f32")
WORDS_TO_WORD(min_xorsign_abs_f32, "min.xorsign.abs.f32")
WORD_TO_WORD(sqrt_rn_f32, "sqrt.rn.f32")
WORD_TO_WORD(rcp_rn_f32, "rcp.rn.f32")
WORD_TO_WORD(rcp_rz_ftz_f32, "rcp.rz.ftz.f32")
WORDS_TO_WORD(add_f16x2, "add.rn.f16x2")
WORDS_TO_WORD(mul_bf16x2, "mul.rn.bf16x2")
WORDS_TO_WORD(max_nan_f16x2, "max.NaN.f16x2")
WORDS_TO_WORD(min_bf16x2, "min.bf16x2")

#define FMA(name, instruction)                                                       \
  FROM_WORDS(name, const unsigned w = Pattern((threadIdx.x << 8 | i) * 13 + 5);      \
             asm volatile(instruction " %0, %1, %2, %3;" : "=r"(y) : "r"(x), "r"(z), "r"(w)))
FMA(fma_rn_f32, "fma.rn.f32")
FMA(fma_rz_f32, "fma.rz.f32")
FMA(fma_rm_ftz_f32, "fma.rm.ftz.f32")
FMA(fma_rp_sat_f32, "fma.rp.sat.f32")
FMA(fma_rn_f16x2, "fma.rn.f16x2")
FMA(fma_rn_relu_bf16x2, "fma.rn.relu.bf16x2")

// Integers of the same patterns.
WORDS_TO_WORD(mul_hi_s32, "mul.hi.s32")
WORDS_TO_WORD(mul24_lo_u32, "mul24.lo.u32")
WORDS_TO_WORD(div_s32, "div.s32")
WORDS_TO_WORD(rem_u32, "rem.u32")
WORDS_TO_WORD(shl_b32, "shl.b32")
WORDS_TO_WORD(shr_s32, "shr.s32")
WORD_TO_WORD(clz_b32, "clz.b32")
WORD_TO_WORD(popc_b32, "popc.b32")
WORD_TO_WORD(brev_b32, "brev.b32")
WORD_TO_WORD(bfind_s32, "bfind.s32")
WORD_TO_WORD(bfind_shiftamt_u32, "bfind.shiftamt.u32")
FMA(prmt_b32, "prmt.b32")
FMA(prmt_f4e, "prmt.b32.f4e")
FMA(prmt_b4e, "prmt.b32.b4e")
FMA(prmt_rc8, "prmt.b32.rc8")
FMA(prmt_ecl, "prmt.b32.ecl")
FMA(prmt_ecr, "prmt.b32.ecr")
FMA(prmt_rc16, "prmt.b32.rc16")
FMA(bfe_s32, "bfe.s32")
FMA(bfe_u32, "bfe.u32")
FMA(shf_l_wrap, "shf.l.wrap.b32")
FMA(shf_r_clamp, "shf.r.clamp.b32")
FMA(mad_hi_s32, "mad.hi.s32")
FMA(sad_s32, "sad.s32")
FMA(dp4a_s32_u32, "dp4a.s32.u32")
FMA(dp2a_hi_u32_s32, "dp2a.hi.u32.s32")
FROM_WORDS(bfi_b32, asm volatile("bfi.b32 %0, %1, %2, %3, %4;" : "=r"(y) : "r"(x), "r"(z), "r"(x >> 7), "r"(z >> 9)))
FROM_WORDS(lop3_e8, asm volatile("lop3.b32 %0, %1, %2, %3, 0xe8;" : "=r"(y) : "r"(x), "r"(z), "r"(x >> 9)))
FROM_WORDS(setp_lt_f32, asm volatile("{.reg .pred p, q; setp.lt.f32 p|q, %1, %2; selp.u32 %0, 1, 0, p; @q add.u32 %0, %0, 2;}"
                                     : "=r"(y) : "r"(x), "r"(z)))
FROM_WORDS(setp_geu_f32, asm volatile("{.reg .pred p; setp.geu.f32 p, %1, %2; selp.u32 %0, 1, 0, p;}"
                                      : "=r"(y) : "r"(x), "r"(z)))
FROM_WORDS(testp_subnormal, asm volatile("{.reg .pred p; testp.subnormal.f32 p, %1; selp.u32 %0, 1, 0, p;}" : "=r"(y) : "r"(x)))
FROM_WORDS(copysign_f32, asm volatile("copysign.f32 %0, %1, %2;" : "=r"(y) : "r"(x), "r"(z)))
