// wgmma of random numbers: more widths and types than the layouts' experiments have.
#include "tests/emulator/recorded/ptx.h"

namespace gemm::recorded {
namespace {

// Random words of operands: the bits of `mask`, and those of `one`.
struct RandomProduct {
  const char* name;
  int n, k;
  const char* types;
  const char* mask;
  const char* one;
  double tolerance;
  const char* rest;  // operands behind scale-d
};

// Every product is below 1 with 16-bit types and TF32, below 4 with 8. The chip cuts the terms where it aligns them: in
// 16-bit types and TF32 far below 17 * 2^-21, in FP8 below 2^-12 for each of 32 terms (about 14 bits are kept).
constexpr double kFine = 1e-5, kCoarse = 0x1p-7;
constexpr const char *kMask16 = "0x83ff83ff", *kOne16 = "0x38003800", *kMajor = ", 1, 1, 0, 0",
                     *kScales = ", 1, 1";

const RandomProduct kProducts[] = {
    {"wgmma_random_n8_f16", 8, 16, "f32.f16.f16", kMask16, kOne16, kFine, kMajor},
    {"wgmma_random_n24_f16", 24, 16, "f32.f16.f16", kMask16, kOne16, kFine, kMajor},
    {"wgmma_random_n96_f16", 96, 16, "f32.f16.f16", kMask16, kOne16, kFine, kMajor},
    {"wgmma_random_n160_f16", 160, 16, "f32.f16.f16", kMask16, kOne16, kFine, kMajor},
    {"wgmma_random_n16_bf16", 16, 16, "f32.bf16.bf16", "0x807f807f", "0x3f003f00", kFine, kMajor},
    {"wgmma_random_n16_tf32", 16, 8, "f32.tf32.tf32", "0x807fffff", "0x3f000000", kFine, kScales},
    {"wgmma_random_n16_e4m3", 16, 32, "f32.e4m3.e4m3", "0xbfbfbfbf", "0", kCoarse, kScales},
    {"wgmma_random_n16_e5m2", 16, 32, "f32.e5m2.e5m2", "0xbfbfbfbf", "0", kCoarse, kScales},
    {"wgmma_random_n16_s8", 16, 32, "s32.s8.s8", "0xffffffff", "0", 0, ""},
};

bool IsInteger(const RandomProduct& product) { return product.types[0] == 's'; }
int Registers(const RandomProduct& product) { return product.n / 2; }

std::string Kernel(const RandomProduct& product) {
  const std::string file = IsInteger(product) ? "%r" : "%f";
  std::string accumulators, show;
  for (int i = 0; i < Registers(product); ++i) {
    accumulators += (i == 0 ? "" : ", ") + file + std::to_string(i);
    show += "st.global.b32 [%at+" + std::to_string(512 * i) + "], " + file + std::to_string(i) + ";\n";
  }
  return CtaKernel(product.name, ".param .u64 out, .param .u64 a, .param .u64 b",
                   R"(
    mov.u32 %i, %t;
  fill:
    mad.lo.u32 %a, %i, 2654435761, 12345; shr.u32 %b, %a, 15; xor.b32 %a, %a, %b; mul.lo.u32 %a, %a, 2246822519;
    shr.u32 %b, %a, 13; xor.b32 %a, %a, %b; and.b32 %a, %a, )" +
                       std::string(product.mask) + "; or.b32 %a, %a, " + product.one + R"(;
    shl.b32 %b, %i, 2; add.u32 %b, %b, %memory; st.shared.u32 [%b], %a;
    add.u32 %i, %i, 128; setp.lt.u32 %p, %i, 8192; @%p bra fill;
    fence.proxy.async.shared::cta; bar.sync 0;
    ld.param.u64 %out, [out]; mul.wide.u32 %at, %t, 4; add.u64 %at, %at, %out; shr.u32 %a, %memory, 4; cvt.u64.u32 %base, %a;
    ld.param.u64 %da, [a]; add.u64 %da, %da, %base; ld.param.u64 %db, [b]; add.u64 %db, %db, %base;
    wgmma.fence.sync.aligned;
    wgmma.mma_async.sync.aligned.m64n)" +
                       std::to_string(product.n) + "k" + std::to_string(product.k) + "." + product.types +
                       " {" + accumulators + "}, %da, %db, 0" + product.rest +
                       ";\nwgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;\n" + show);
}

}  // namespace

std::vector<OneCta> RandomProductNames() {
  std::vector<OneCta> names;
  for (const RandomProduct& product : kProducts) {
    names.push_back({product.name, static_cast<std::size_t>(128 * Registers(product)), product.tolerance});
  }
  return names;
}

std::string RandomProductPtx() {
  std::string text = kPtxHeader;
  for (const RandomProduct& product : kProducts) text += Kernel(product);
  return text;
}

}  // namespace gemm::recorded
