#include "tests/emulator/recorded/ptx.h"

namespace gemm::recorded {
namespace {

// `body` for every i = t, t + 128, ... below %bytes / 4, with the word's shared address in %b.
std::string EachWord(const std::string& body) {
  return R"(
    shr.u32 %a, %bytes, 2; mov.u32 %i, %t;
  @again:
    setp.ge.u32 %p, %i, %a; @%p bra @over;
    shl.b32 %b, %i, 2; add.u32 %b, %b, %memory;
    )" + body +
         R"(
    add.u32 %i, %i, 128; bra @again;
  @over:
)";
}

std::string Numbered(const std::string& text, const std::string& number) {
  return Replaced(Replaced(text, "@again", "again_" + number), "@over", "over_" + number);
}

constexpr const char* kToAsyncProxy = "fence.proxy.async.shared::cta; bar.sync 0;\n";

// Loads a box of `bytes` at (x, y) and shows the first `shown` bytes of shared memory as they lie.
std::string Load() {
  return CtaKernel(
      "tensor_load_2d",
      ".param .align 64 .b8 map[128], .param .u64 out, .param .u32 x, .param .u32 y, .param .u32 bytes, "
      ".param .u32 shown",
      R"(
    mov.b64 %map, map; cvta.param.u64 %map, %map; ld.param.u64 %out, [out];
    ld.param.u32 %x, [x]; ld.param.u32 %y, [y];
    setp.ne.u32 %p, %t, 0;
    @%p bra initialised;
    mbarrier.init.shared.b64 [%barrier], 1; fence.mbarrier_init.release.cluster;
  initialised:
    mov.u32 %bytes, 16384;
)" + Numbered(EachWord("st.shared.u32 [%b], 0xdeadbeef;"), "1") +
          kToAsyncProxy + R"(
    ld.param.u32 %bytes, [bytes];
    setp.ne.u32 %p, %t, 0;
    @%p bra wait;
    mbarrier.arrive.expect_tx.shared.b64 _, [%barrier], %bytes;
    cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%memory], [%map, {%x, %y}], [%barrier];
  wait:
    mbarrier.try_wait.parity.shared.b64 %p, [%barrier], 0;
    @!%p bra wait;
    ld.param.u32 %bytes, [shown];
)" +
          Numbered(EachWord("ld.shared.u32 %r0, [%b]; mul.wide.u32 %at, %i, 4; add.u64 %at, %at, %out; "
                            "st.global.u32 [%at], %r0;"),
                   "2"));
}

// Stores shared memory, whose words are made of their index, as the box at (x, y).
std::string Store(const std::string& name, const std::string& instruction, const std::string& word) {
  return CtaKernel(
      name, ".param .align 64 .b8 map[128], .param .u32 x, .param .u32 y",
      R"(
    mov.b64 %map, map; cvta.param.u64 %map, %map; ld.param.u32 %x, [x]; ld.param.u32 %y, [y];
    mov.u32 %bytes, 16384;
)" + Numbered(EachWord("mad.lo.u32 %r0, %i, " + word + "; st.shared.u32 [%b], %r0;"), "1") +
          kToAsyncProxy + "setp.ne.u32 %p, %t, 0;\n@%p bra done;\n" + instruction +
          " [%map, {%x, %y}], [%memory];\ncp.async.bulk.commit_group; cp.async.bulk.wait_group 0;\ndone:\n");
}

// 16384 elements of FP16, small integers by their position: every layout and swizzle of descriptors gives a result of its own.
std::string FillOperands() {
  return R"(
    mov.u32 %i, %t;
  fill:
    )" + Small("%a", "%i") +
         R"(
    cvt.rn.f16.s32 %h, %a; shl.b32 %b, %i, 1; add.u32 %b, %b, %memory; st.shared.u16 [%b], %h;
    add.u32 %i, %i, 128; setp.lt.u32 %p, %i, 16384; @%p bra fill;
    ld.param.u64 %out, [out]; mul.wide.u32 %at, %t, 4; add.u64 %at, %at, %out;
    shr.u32 %a, %memory, 4; cvt.u64.u32 %base, %a; ld.param.u64 %db, [b]; add.u64 %db, %db, %base;
)" + kToAsyncProxy;
}

std::string Finish(int registers) {
  std::string text = "wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;\n";
  for (int i = 0; i < registers; ++i) {
    text += "st.global.f32 [%at+" + std::to_string(512 * i) + "], %f" + std::to_string(i) + ";\n";
  }
  return text;
}

// D = A B, 64 x 16 x 16, both from shared memory.
std::string Product(const std::string& name, const std::string& transposed) {
  return CtaKernel(name, ".param .u64 out, .param .u64 a, .param .u64 b",
                   FillOperands() + R"(
    ld.param.u64 %da, [a]; add.u64 %da, %da, %base;
    wgmma.fence.sync.aligned;
    wgmma.mma_async.sync.aligned.m64n16k16.f32.f16.f16 {%f0, %f1, %f2, %f3, %f4, %f5, %f6, %f7}, %da, %db, 0, 1, 1, )" +
                       transposed + ";\n" + Finish(8));
}

// D = -A B + D, 64 x 8 x 16, A from registers.
std::string ProductFromRegisters() {
  return CtaKernel("wgmma_n8_registers", ".param .u64 out, .param .u64 b", FillOperands() + R"(
    shl.b32 %a, %t, 4; add.u32 %a, %a, %memory;
    ld.shared.v4.u32 {%r0, %r1, %r2, %r3}, [%a];
    mov.f32 %f0, 0f3f800000; mov.f32 %f1, 0f40000000; mov.f32 %f2, 0f40400000; mov.f32 %f3, 0f40800000;
    wgmma.fence.sync.aligned;
    wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, {%r0, %r1, %r2, %r3}, %db, 1, -1, 1, 0;
)" + Finish(4));
}

}  // namespace

std::string CtaKernel(const std::string& name, const std::string& params, const std::string& body) {
  return ".visible .entry " + name + "(" + params + R"() .reqntid 128 {
    .reg .pred %p; .reg .b16 %h; .reg .b32 %t, %i, %a, %b, %memory, %barrier, %x, %y, %bytes, %r<128>;
    .reg .f32 %f<128>;
    .reg .b64 %map, %out, %at, %da, %db, %base;
    .shared .align 1024 .b8 memory[32768];
    .shared .align 8 .b64 barrier;
    mov.u32 %t, %tid.x; mov.u32 %memory, memory; mov.u32 %barrier, barrier;
)" + body +
         "    ret;\n}\n";
}

std::string HopperPtx() {
  return kPtxHeader + Load() +
         Store("tensor_store_2d", "cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group",
               "0x00020002, 0x00010000") +
         Store("tensor_reduce_2d", "cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group",
               "3, 1") +
         Product("wgmma_n16_kk", "0, 0") + Product("wgmma_n16_kn", "0, 1") + Product("wgmma_n16_mk", "1, 0") +
         Product("wgmma_n16_mn", "1, 1") + ProductFromRegisters();
}

}  // namespace gemm::recorded
