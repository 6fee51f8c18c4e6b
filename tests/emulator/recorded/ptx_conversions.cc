#include "tests/emulator/recorded/ptx.h"

namespace gemm::recorded {
namespace {

// x, z, w: words; hx: 16 bits; wx, wz: 64 bits to work with; the result in y.
struct Conversion {
  const char* name;
  const char* text;
  bool halves = false;  // the operand is hx
};

// The result is hy, 16 bits.
#define HALF_RESULT(text) text " cvt.u32.u16 %y, %hy;"

const Conversion kConversions[] = {
    {"cvt_f32_f16", "cvt.f32.f16 %y, %hx;", true},
    {"cvt_f32_bf16", "cvt.f32.bf16 %y, %hx;", true},
    {"cvt_rni_s32_f16", "cvt.rni.s32.f16 %y, %hx;", true},
    {"cvt_rzi_u32_f16", "cvt.rzi.u32.f16 %y, %hx;", true},
    {"cvt_rn_f16x2_e4m3x2", "cvt.rn.f16x2.e4m3x2 %y, %hx;", true},
    {"cvt_rn_f16x2_e5m2x2", "cvt.rn.f16x2.e5m2x2 %y, %hx;", true},
    {"cvt_rn_f16_s16", HALF_RESULT("cvt.rn.f16.s16 %hy, %hx;"), true},
    {"cvt_rz_f16_u16", HALF_RESULT("cvt.rz.f16.u16 %hy, %hx;"), true},
    {"fma_rn_f16", HALF_RESULT("fma.rn.f16 %hy, %hx, %hx, %hx;"), true},
    {"add_rn_bf16", HALF_RESULT("add.rn.bf16 %hy, %hx, %hx;"), true},
    {"cvt_rn_f16_f32", HALF_RESULT("cvt.rn.f16.f32 %hy, %x;")},
    {"cvt_rz_f16_f32", HALF_RESULT("cvt.rz.f16.f32 %hy, %x;")},
    {"cvt_rn_bf16_f32", HALF_RESULT("cvt.rn.bf16.f32 %hy, %x;")},
    {"cvt_rz_bf16_f32", HALF_RESULT("cvt.rz.bf16.f32 %hy, %x;")},
    {"cvt_rn_relu_bf16_f32", HALF_RESULT("cvt.rn.relu.bf16.f32 %hy, %x;")},
    {"cvt_rn_f16x2_f32", "cvt.rn.f16x2.f32 %y, %x, %z;"},
    {"cvt_rn_bf16x2_f32", "cvt.rn.bf16x2.f32 %y, %x, %z;"},
    {"cvt_rn_satfinite_e4m3x2_f32", HALF_RESULT("cvt.rn.satfinite.e4m3x2.f32 %hy, %x, %z;")},
    {"cvt_rn_satfinite_e5m2x2_f32", HALF_RESULT("cvt.rn.satfinite.e5m2x2.f32 %hy, %x, %z;")},
    {"cvt_rna_tf32_f32", "cvt.rna.tf32.f32 %y, %x;"},
    {"cvt_rn_tf32_f32", "cvt.rn.tf32.f32 %y, %x;"},
    {"cvt_rni_s32_f32", "cvt.rni.s32.f32 %y, %x;"},
    {"cvt_rzi_u32_f32", "cvt.rzi.u32.f32 %y, %x;"},
    {"cvt_rmi_s32_f32", "cvt.rmi.ftz.s32.f32 %y, %x;"},
    {"cvt_rpi_s8_f32", "cvt.rpi.s8.f32 %y, %x;"},
    {"cvt_rni_f32_f32", "cvt.rni.f32.f32 %y, %x;"},
    {"cvt_sat_f32_f32", "cvt.sat.f32.f32 %y, %x;"},
    {"cvt_rn_f32_s32", "cvt.rn.f32.s32 %y, %x;"},
    {"cvt_rz_f32_u32", "cvt.rz.f32.u32 %y, %x;"},
    {"cvt_rp_f32_s32", "cvt.rp.f32.s32 %y, %x;"},
    {"cvt_sat_s8_s32", "cvt.sat.s8.s32 %y, %x;"},
    {"cvt_sat_u16_s32", "cvt.sat.u16.s32 %y, %x;"},
    {"add_rn_f32", "add.rn.f32 %y, %x, %z;"},
    {"add_rz_ftz_f32", "add.rz.ftz.f32 %y, %x, %z;"},
    {"sub_rm_f32", "sub.rm.f32 %y, %x, %z;"},
    {"mul_rn_f32", "mul.rn.f32 %y, %x, %z;"},
    {"mul_rp_f32", "mul.rp.f32 %y, %x, %z;"},
    {"mul_rn_sat_f32", "mul.rn.sat.f32 %y, %x, %z;"},
    {"mul_rn_ftz_f32", "mul.rn.ftz.f32 %y, %x, %z;"},
    {"div_rn_f32", "div.rn.f32 %y, %x, %z;"},
    {"min_f32", "min.f32 %y, %x, %z;"},
    {"max_nan_f32", "max.NaN.f32 %y, %x, %z;"},
    {"min_xorsign_abs_f32", "min.xorsign.abs.f32 %y, %x, %z;"},
    {"sqrt_rn_f32", "sqrt.rn.f32 %y, %x;"},
    {"rcp_rn_f32", "rcp.rn.f32 %y, %x;"},
    {"rcp_rz_ftz_f32", "rcp.rz.ftz.f32 %y, %x;"},
    {"add_f16x2", "add.rn.f16x2 %y, %x, %z;"},
    {"mul_bf16x2", "mul.rn.bf16x2 %y, %x, %z;"},
    {"max_nan_f16x2", "max.NaN.f16x2 %y, %x, %z;"},
    {"min_bf16x2", "min.bf16x2 %y, %x, %z;"},
    {"fma_rn_f32", "fma.rn.f32 %y, %x, %z, %w;"},
    {"fma_rz_f32", "fma.rz.f32 %y, %x, %z, %w;"},
    {"fma_rm_ftz_f32", "fma.rm.ftz.f32 %y, %x, %z, %w;"},
    {"fma_rp_sat_f32", "fma.rp.sat.f32 %y, %x, %z, %w;"},
    {"fma_rn_f16x2", "fma.rn.f16x2 %y, %x, %z, %w;"},
    {"fma_rn_relu_bf16x2", "fma.rn.relu.bf16x2 %y, %x, %z, %w;"},
    {"mul_hi_s32", "mul.hi.s32 %y, %x, %z;"},
    {"mul24_lo_u32", "mul24.lo.u32 %y, %x, %z;"},
    {"div_s32", "div.s32 %y, %x, %z;"},
    {"rem_u32", "rem.u32 %y, %x, %z;"},
    {"shl_b32", "shl.b32 %y, %x, %z;"},
    {"shr_s32", "shr.s32 %y, %x, %z;"},
    {"clz_b32", "clz.b32 %y, %x;"},
    {"popc_b32", "popc.b32 %y, %x;"},
    {"brev_b32", "brev.b32 %y, %x;"},
    {"bfind_s32", "bfind.s32 %y, %x;"},
    {"bfind_shiftamt_u32", "bfind.shiftamt.u32 %y, %x;"},
    {"prmt_b32", "prmt.b32 %y, %x, %z, %w;"},
    {"prmt_f4e", "prmt.b32.f4e %y, %x, %z, %w;"},
    {"prmt_b4e", "prmt.b32.b4e %y, %x, %z, %w;"},
    {"prmt_rc8", "prmt.b32.rc8 %y, %x, %z, %w;"},
    {"prmt_ecl", "prmt.b32.ecl %y, %x, %z, %w;"},
    {"prmt_ecr", "prmt.b32.ecr %y, %x, %z, %w;"},
    {"prmt_rc16", "prmt.b32.rc16 %y, %x, %z, %w;"},
    {"bfe_s32", "bfe.s32 %y, %x, %z, %w;"},
    {"bfe_u32", "bfe.u32 %y, %x, %z, %w;"},
    {"shf_l_wrap", "shf.l.wrap.b32 %y, %x, %z, %w;"},
    {"shf_r_clamp", "shf.r.clamp.b32 %y, %x, %z, %w;"},
    {"mad_hi_s32", "mad.hi.s32 %y, %x, %z, %w;"},
    {"sad_s32", "sad.s32 %y, %x, %z, %w;"},
    {"dp4a_s32_u32", "dp4a.s32.u32 %y, %x, %z, %w;"},
    {"dp2a_hi_u32_s32", "dp2a.hi.u32.s32 %y, %x, %z, %w;"},
    {"bfi_b32", "shr.u32 %a, %x, 7; shr.u32 %b, %z, 9; bfi.b32 %y, %x, %z, %a, %b;"},
    {"lop3_e8", "shr.u32 %a, %x, 9; lop3.b32 %y, %x, %z, %a, 0xe8;"},
    {"setp_lt_f32", "setp.lt.f32 %p|%q, %x, %z; selp.u32 %y, 1, 0, %p; @%q add.u32 %y, %y, 2;"},
    {"setp_geu_f32", "setp.geu.f32 %p, %x, %z; selp.u32 %y, 1, 0, %p;"},
    {"testp_subnormal", "testp.subnormal.f32 %p, %x; selp.u32 %y, 1, 0, %p;"},
    {"copysign_f32", "copysign.f32 %y, %x, %z;"},
    {"dp4a_s32_s32", "dp4a.s32.s32 %y, %x, %z, %w;"},
    {"dp4a_u32_u32", "dp4a.u32.u32 %y, %x, %z, %w;"},
    {"dp2a_lo_s32_s32", "dp2a.lo.s32.s32 %y, %x, %z, %w;"},
    {"cvt_rz_tf32_f32", "cvt.rz.tf32.f32 %y, %x;"},
    {"cvt_rn_relu_tf32_f32", "cvt.rn.relu.tf32.f32 %y, %x;"},
};

// Of few operands, every result shown: NaN and what little is left of it, ties, division by zero.
const Conversion kRaw[] = {
    {"raw_cvt_f32_f16", "cvt.f32.f16 %y, %hx;", true},
    {"raw_cvt_f32_bf16", "cvt.f32.bf16 %y, %hx;", true},
    {"raw_cvt_rn_f16_f32", HALF_RESULT("cvt.rn.f16.f32 %hy, %x;")},
    {"raw_cvt_rn_bf16_f32", HALF_RESULT("cvt.rn.bf16.f32 %hy, %x;")},
    {"raw_cvt_rna_tf32_f32", "cvt.rna.tf32.f32 %y, %x;"},
    {"raw_cvt_rn_tf32_f32", "cvt.rn.tf32.f32 %y, %x;"},
    {"raw_cvt_rz_tf32_f32", "cvt.rz.tf32.f32 %y, %x;"},
    {"raw_cvt_rn_relu_tf32_f32", "cvt.rn.relu.tf32.f32 %y, %x;"},
    {"raw_cvt_f32_f32", "cvt.rni.f32.f32 %y, %x;"},
    {"raw_add_f32", "add.rn.f32 %y, %x, %z;"},
    {"raw_max_f32", "max.f32 %y, %x, %z;"},
    {"raw_add_bf16x2", "add.rn.bf16x2 %y, %x, %z;"},
    {"raw_div_u32", "div.u32 %y, %x, %z;"},
    {"raw_div_s32", "div.s32 %y, %x, %z;"},
    {"raw_rem_u32", "rem.u32 %y, %x, %z;"},
    {"raw_rem_s32", "rem.s32 %y, %x, %z;"},
    {"raw_div_u16", "cvt.u16.u32 %hx, %x; cvt.u16.u32 %hy, %z; div.u16 %hy, %hx, %hy; cvt.u32.u16 %y, %hy;"},
    {"raw_rem_u16", "cvt.u16.u32 %hx, %x; cvt.u16.u32 %hy, %z; rem.u16 %hy, %hx, %hy; cvt.u32.u16 %y, %hy;"},
    {"raw_rem_s16", "cvt.u16.u32 %hx, %x; cvt.u16.u32 %hy, %z; rem.s16 %hy, %hx, %hy; cvt.u32.u16 %y, %hy;"},
    {"raw_div_u64",
     "mov.b64 %wx, {%x, %x}; cvt.u64.u32 %wz, %z; div.u64 %wx, %wx, %wz; mov.b64 {%y, %a}, %wx;"},
    {"raw_rem_u64",
     "mov.b64 %wx, {%x, %x}; cvt.u64.u32 %wz, %z; rem.u64 %wx, %wx, %wz; mov.b64 {%y, %a}, %wx;"},
    {"raw_rem_s64",
     "mov.b64 %wx, {%x, %x}; cvt.s64.s32 %wz, %z; rem.s64 %wx, %wx, %wz; mov.b64 {%y, %a}, %wx;"},
};

#undef HALF_RESULT

// %to by %index: its low byte is the exponent, the next three bits choose the mantissa: nothing, everything, ties of BF16 and
// FP16 and what lies beside them, or any.
std::string Pattern(const std::string& to) {
  return Replaced(R"(
    mul.lo.u32 %a, %index, 2654435761; shr.u32 %b, %a, 15; xor.b32 %a, %a, %b;
    mul.lo.u32 %a, %a, 2246822519; shr.u32 %b, %a, 13; xor.b32 %a, %a, %b;
    and.b32 %b, %a, 0x7fffff; and.b32 %a, %a, 0x80000000; bfe.u32 %c, %index, 8, 3;
    setp.eq.u32 %p, %c, 0; @%p mov.u32 %b, 0;
    setp.eq.u32 %p, %c, 1; @%p mov.u32 %b, 0x7fffff;
    setp.eq.u32 %p, %c, 2; @%p and.b32 %b, %b, 0x7f8000;
    setp.eq.u32 %p, %c, 3; @%p and.b32 %b, %b, 0x7f0000; @%p or.b32 %b, %b, 0x8000;
    setp.eq.u32 %p, %c, 4; @%p and.b32 %b, %b, 0x7fe000; @%p or.b32 %b, %b, 0x1000;
    setp.eq.u32 %p, %c, 5; @%p and.b32 %b, %b, 0x7ffff0; @%p or.b32 %b, %b, 1;
    and.b32 %c, %index, 0xff; shl.b32 %c, %c, 23; or.b32 %b, %b, %c; or.b32 @to, %b, %a;
)",
                  "@to", to);
}

// Eight exponents by 16 mantissas and two signs, thread by thread, in %x and its upper half in %hx; %z is 0 for every fourth.
constexpr const char* kRawTables = R"(
.global .align 4 .b32 exponents[8] = {0x7f800000, 0x7f800000, 0, 0x800000, 0x3f800000, 0x7f000000, 0x42000000, 0x4e800000};
.global .align 4 .b32 mantissas[16] = {0, 1, 2, 0x800, 0xfff, 0x1000, 0x1001, 0x1800, 0x2000, 0x2fff, 0x3000, 0x10000,
  0x3fffff, 0x400000, 0x400001, 0x7fffff};
)";

std::string RawKernel(const Conversion& conversion) {
  return std::string(".visible .entry ") + conversion.name + R"((.param .u64 out) {
    .reg .b16 %hx, %hy; .reg .b64 %out, %at, %wx, %wz; .reg .b32 %x, %y, %z, %a, %thread;
    ld.param.u64 %out, [out]; mov.u32 %thread, %tid.x;
    and.b32 %a, %thread, 15; mul.wide.u32 %at, %a, 4; mov.u64 %wx, mantissas; add.u64 %at, %at, %wx; ld.global.u32 %x, [%at];
    bfe.u32 %a, %thread, 4, 3; mul.wide.u32 %at, %a, 4; mov.u64 %wx, exponents; add.u64 %at, %at, %wx; ld.global.u32 %z, [%at];
    or.b32 %x, %x, %z; shr.u32 %a, %thread, 7; shl.b32 %a, %a, 31; or.b32 %x, %x, %a;
    shr.u32 %a, %x, 16; cvt.u16.u32 %hx, %a; and.b32 %z, %thread, 3; mul.lo.u32 %z, %z, 1000003;
    )" + conversion.text +
         R"(
    mul.wide.u32 %at, %thread, 4; add.u64 %at, %at, %out; st.global.u32 [%at], %y; ret;
}
)";
}

std::string Kernel(const Conversion& conversion) {
  const std::string operands = conversion.halves ? "cvt.u16.u32 %hx, %number;\n"
                                                 : "mov.u32 %index, %number;" + Pattern("%x") +
                                                       "mad.lo.u32 %index, %number, 7, 3;" + Pattern("%z") +
                                                       "mad.lo.u32 %index, %number, 13, 5;" + Pattern("%w");
  return std::string(".visible .entry ") + conversion.name + R"((.param .u64 out) {
    .reg .pred %p, %q, %more; .reg .b16 %hx, %hy; .reg .b64 %out, %at;
    .reg .b32 %x, %y, %z, %w, %a, %b, %c, %i, %index, %number, %sum, %thread;
    ld.param.u64 %out, [out]; mov.u32 %thread, %tid.x; mov.u32 %sum, 0; mov.u32 %i, 0;
  again:
    shl.b32 %number, %thread, 8; or.b32 %number, %number, %i;
    )" + operands +
         conversion.text +
         R"(
    xor.b32 %sum, %sum, %y; mul.lo.u32 %sum, %sum, 16777619; shr.u32 %a, %sum, 16; xor.b32 %sum, %sum, %a;
    add.u32 %i, %i, 1; setp.lt.u32 %more, %i, 256; @%more bra again;
    mul.wide.u32 %at, %thread, 4; add.u64 %at, %at, %out; st.global.u32 [%at], %sum; ret;
}
)";
}

}  // namespace

std::vector<std::string> ConversionNames() {
  std::vector<std::string> names;
  for (const Conversion& conversion : kConversions) names.push_back(conversion.name);
  for (const Conversion& conversion : kRaw) names.push_back(conversion.name);
  return names;
}

std::string ConversionPtx() {
  std::string text = std::string(kPtxHeader) + kRawTables;
  for (const Conversion& conversion : kConversions) text += Kernel(conversion);
  for (const Conversion& conversion : kRaw) text += RawKernel(conversion);
  return text;
}

std::string Replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) {
    text.replace(at, from.size(), to);
  }
  return text;
}

std::string Small(const std::string& to, const std::string& seed) {
  return "mul.lo.u32 " + to + ", " + seed + ", 2654435761; shr.u32 " + to + ", " + to + ", 13; rem.u32 " + to +
         ", " + to + ", 9; sub.u32 " + to + ", " + to + ", 4;\n";
}

}  // namespace gemm::recorded
