#include "tests/emulator/recorded/ptx.h"

namespace gemm::recorded {
namespace {

// %t: the lane; %at: out + 4 t. r0 ... r15 are free.
std::string Kernel(const std::string& name, const std::string& body, const std::string& variables = "") {
  return ".visible .entry " + name + R"((.param .u64 out) {
    .reg .pred %p, %q, %more; .reg .b16 %h0, %h1; .reg .b32 %t, %i, %a, %b, %r<16>; .reg .b64 %out, %at, %from;
)" + variables +
         R"(    ld.param.u64 %out, [out]; mov.u32 %t, %tid.x; mul.wide.u32 %at, %t, 4; add.u64 %at, %at, %out;
)" + body +
         "    ret;\n}\n";
}

std::string Register(int number) { return "%r" + std::to_string(number); }

// "{%r0, %r1}"
std::string List(int first, int count) {
  std::string list;
  for (int i = 0; i < count; ++i) list += (i == 0 ? "" : ", ") + Register(first + i);
  return "{" + list + "}";
}

std::string Show(int first, int count) {
  std::string text;
  for (int i = 0; i < count; ++i) {
    text += "st.global.u32 [%at+" + std::to_string(128 * i) + "], " + Register(first + i) + ";\n";
  }
  return text;
}

std::string Shuffle(const std::string& name, const std::string& mode, const std::string& b,
                    const std::string& c) {
  return Kernel(name, "mad.lo.u32 %a, %t, 3, 1; mad.lo.u32 %b, %t, 5, 1;\nshfl.sync." + mode +
                          ".b32 %r0|%p, %a, " + b + ", " + c + ", -1; selp.u32 %r1, 1, 0, %p;\n" + Show(0, 2));
}

std::string Votes() {
  return Kernel("votes", R"(
    mul.lo.u32 %a, %t, 2654435761; shr.u32 %a, %a, 28;
    setp.gt.u32 %p, %a, 6; vote.sync.ballot.b32 %r0, %p, -1;
    setp.gt.u32 %p, %a, 14; vote.sync.any.pred %q, %p, -1; selp.u32 %r1, 1, 0, %q;
    setp.le.u32 %p, %a, 15; vote.sync.all.pred %q, %p, -1; selp.u32 %r2, 1, 0, %q;
    setp.gt.u32 %p, %a, 6; vote.sync.uni.pred %q, %p, -1; selp.u32 %r3, 1, 0, %q;
    match.any.sync.b32 %r4, %a, -1;
    match.all.sync.b32 %r5|%p, %a, -1; selp.u32 %r6, 1, 0, %p;
    sub.u32 %b, %a, 7;
    redux.sync.add.s32 %r7, %b, -1; redux.sync.min.s32 %r8, %b, -1; redux.sync.max.u32 %r9, %b, -1;
    rem.u32 %b, %t, 7; shl.b32 %b, %a, %b; redux.sync.xor.b32 %r10, %b, -1;
)" + Show(0, 11));
}

std::string Redux() {
  std::string text = "mad.lo.u32 %a, %t, 2654435761, 77;\n";
  int number = 0;
  for (const char* operation :
       {"add.u32", "add.s32", "min.u32", "min.s32", "max.u32", "max.s32", "and.b32", "or.b32", "xor.b32"}) {
    text += std::string("redux.sync.") + operation + " " + Register(number++) + ", %a, -1;\n";
  }
  // By the odd lanes only.
  text +=
      "mov.u32 %r9, -1; and.b32 %b, %t, 1; setp.ne.u32 %p, %b, 0; @%p redux.sync.add.u32 %r9, %a, "
      "0xaaaaaaaa;\n";
  return Kernel("redux", text + Show(0, 10));
}

// memory[i] for i = t, t + 32, ... below `count`: `body` has i in %i and the element's shared address in %b.
std::string Each(int count, int bytes, const std::string& body) {
  return Replaced(Replaced(Replaced(R"(
    mov.u32 %i, %t;
  @again:
    mul.lo.u32 %b, %i, @bytes; mov.u32 %a, memory; add.u32 %b, %b, %a;
    )" + body + R"(
    add.u32 %i, %i, 32; setp.lt.u32 %more, %i, @count; @%more bra @again;
    bar.warp.sync -1;
)",
                                    "@bytes", std::to_string(bytes)),
                           "@count", std::to_string(count)),
                  "@again", "again_" + std::to_string(count) + "_" + std::to_string(body.size()));
}

constexpr const char* kMemory = ".shared .align 16 .b8 memory[8192];\n";

// Words of shared memory to out, in order.
std::string ShowMemory() {
  return Each(256, 4,
              "ld.shared.u32 %a, [%b]; mul.wide.u32 %from, %i, 4; add.u64 %from, %from, %out; st.global.u32 "
              "[%from], %a;");
}

// Each 16-bit element holds its own index.
std::string LoadMatrix(const std::string& name, const std::string& form, int count) {
  return Kernel(
      name,
      Each(4096, 2, "cvt.u16.u32 %h0, %i; st.shared.u16 [%b], %h0;") +
          "mul.lo.u32 %a, %t, 37; and.b32 %a, %a, 63; shl.b32 %a, %a, 7;\n"
          "and.b32 %b, %t, 7; shl.b32 %b, %b, 4; add.u32 %a, %a, %b; mov.u32 %b, memory; add.u32 %a, %a, %b;\n"
          "ldmatrix.sync.aligned.m8n8." +
          form + ".shared.b16 " + List(0, count) + ", [%a];\n" + Show(0, count),
      kMemory);
}

std::string StoreMatrix(const std::string& name, const std::string& form, int count) {
  return Kernel(
      name,
      Each(256, 4, "st.shared.u32 [%b], -1;") +
          "mul.lo.u32 %r0, %t, 65537; add.u32 %r1, %r0, 32; add.u32 %r2, %r0, 64; add.u32 %r3, %r0, 96;\n"
          "mul.lo.u32 %a, %t, 11; and.b32 %a, %a, 31; shl.b32 %a, %a, 4; mov.u32 %b, memory; add.u32 %a, %a, "
          "%b;\n"
          "stmatrix.sync.aligned.m8n8." +
          form + ".shared.b16 [%a], " + List(0, count) + ";\nbar.warp.sync -1;\n" + ShowMemory(),
      kMemory);
}

// cp.async with less source than destination, and the zeros that come instead. The source is out[256] and what follows.
std::string Copy(const std::string& name, const std::string& kind, int bytes) {
  const std::string size = std::to_string(bytes);
  return Kernel(
      name,
      Each(256, 4,
           "st.shared.u32 [%b], -1; mad.lo.u32 %a, %i, 0x01010101, 0x03020100;\n"
           "mul.wide.u32 %from, %i, 4; add.u64 %from, %from, %out; st.global.u32 [%from+1024], %a;") +
          "rem.u32 %r0, %t, " + std::to_string(bytes + 1) + "; mul.lo.u32 %a, %t, " + size +
          "; cvt.u64.u32 %from, %a; add.u64 %from, %from, %out; mov.u32 %b, memory; add.u32 %a, %a, %b;\n"
          "cp.async." +
          kind + ".shared.global [%a], [%from+1024], " + size +
          ", %r0;\ncp.async.wait_all;\nbar.warp.sync -1;\n" + ShowMemory(),
      kMemory);
}

// Fills a register from the seed in %a; %a may change.
using Element = std::string (*)(const std::string& to);

std::string Halves(const std::string& to) {
  return Small("%b", "%a") + "cvt.rn.f16.s32 %h0, %b; add.u32 %a, %a, 1;\n" + Small("%b", "%a") +
         "cvt.rn.f16.s32 %h1, %b; mov.b32 " + to + ", {%h0, %h1};\n";
}
std::string BFloats(const std::string& to) {
  return Small("%b", "%a") + "cvt.rn.f32.s32 %b, %b; cvt.rn.bf16.f32 %h0, %b; add.u32 %a, %a, 1;\n" +
         Small("%b", "%a") + "cvt.rn.f32.s32 %b, %b; cvt.rn.bf16.f32 %h1, %b; mov.b32 " + to +
         ", {%h0, %h1};\n";
}
std::string Single(const std::string& to) { return Small("%b", "%a") + "cvt.rn.f32.s32 " + to + ", %b;\n"; }
// Bytes of e4m3: 0x38 is 1, 0x40 is 2, with 0x80 for the sign.
std::string Bytes(const std::string& to) {
  std::string text = "mov.u32 " + to + ", 0;\n";
  for (int i = 0; i < 4; ++i) {
    text +=
        Small("%b", "%a") +
        "div.s32 %b, %b, 2; setp.lt.s32 %p, %b, 0; abs.s32 %b, %b; shl.b32 %i, %b, 3; setp.ne.u32 %q, %b, 0;\n"
        "add.u32 %i, %i, 48; selp.u32 %i, %i, 0, %q; @%p or.b32 %i, %i, 128; shl.b32 %i, %i, " +
        std::to_string(8 * i) + "; or.b32 " + to + ", " + to + ", %i; add.u32 %a, %a, 1;\n";
  }
  return text;
}

// Products of small integers: exact whatever the order of summation. Registers are filled by their own number, so that a
// fragment layout that is not the hardware's shows. r0-3: D, r4-7: A, r8-9: B.
std::string Mma(const std::string& name, const std::string& shape, int a_count, int b_count, Element element) {
  std::string text;
  for (int i = 0; i < 4; ++i) {
    text += "mad.lo.u32 %a, %t, 64, " + std::to_string(4 * i) + ";\n" + element(Register(4 + i));
    if (i < 2)
      text += "mad.lo.u32 %a, %t, 64, " + std::to_string(4 * i + 32) + ";\n" + element(Register(8 + i));
    text += "mad.lo.u32 %a, %t, 4, " + std::to_string(5000 + i) + ";\n" + Small("%b", "%a") +
            "cvt.rn.f32.s32 " + Register(i) + ", %b;\n";
  }
  return Kernel(name, text + "mma.sync.aligned." + shape + " " + List(0, 4) + ", " + List(4, a_count) + ", " +
                          List(8, b_count) + ", " + List(0, 4) + ";\n" + Show(0, 4));
}

std::string MmaBytes() {
  std::string text = "mov.u32 %r0, %t; sub.u32 %r1, %t, 1; sub.u32 %r2, %t, 2; sub.u32 %r3, %t, 3;\n";
  const char* const factors[] = {"0x01030507", "0x11131517", "0x21232527",
                                 "0x31333537", "0x41434547", "0x51535557"};
  for (int i = 0; i < 6; ++i) text += "mul.lo.u32 " + Register(4 + i) + ", %t, " + factors[i] + ";\n";
  return Kernel("mma_m16n8k32_s8", text + "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 " + List(0, 4) +
                                       ", " + List(4, 4) + ", " + List(8, 2) + ", " + List(0, 4) + ";\n" +
                                       Show(0, 4));
}

// Random values of magnitude [0.5, 1): compared within a tolerance, because the chip's order of summation is its own. Of a
// random word's bits `mask` are kept and `one` is set.
std::string MmaRandom(const std::string& name, const std::string& shape, const std::string& mask,
                      const std::string& one) {
  std::string text =
      "mov.u32 %r0, 0x3f800000; mov.u32 %r1, 0x40000000; mov.u32 %r2, 0x40400000; mov.u32 %r3, 0x40800000;\n";
  for (int i = 0; i < 6; ++i) {
    text += "mad.lo.u32 %a, %t, 6, " + std::to_string(i + 1) +
            "; mul.lo.u32 %a, %a, 2654435761; shr.u32 %b, %a, 15; xor.b32 %a, %a, %b;\nand.b32 %a, %a, " +
            mask + "; or.b32 " + Register(4 + i) + ", %a, " + one + ";\n";
  }
  return Kernel(name, text + "mma.sync.aligned." + shape + " " + List(0, 4) + ", " + List(4, 4) + ", " +
                          List(8, 2) + ", " + List(0, 4) + ";\n" + Show(0, 4));
}

}  // namespace

std::string WarpPtx() {
  return kPtxHeader + Shuffle("shfl_idx", "idx", "%b", "0x1f") + Shuffle("shfl_idx_8", "idx", "9", "0x181f") +
         Shuffle("shfl_up", "up", "3", "0") + Shuffle("shfl_up_16", "up", "5", "0x1000") +
         Shuffle("shfl_down", "down", "7", "0x1f") + Shuffle("shfl_bfly", "bfly", "13", "0x1f") +
         Shuffle("shfl_bfly_8", "bfly", "9", "0x181f") + Votes() + LoadMatrix("ldmatrix_x1", "x1", 1) +
         LoadMatrix("ldmatrix_x2", "x2", 2) + LoadMatrix("ldmatrix_x4", "x4", 4) +
         LoadMatrix("ldmatrix_x1_trans", "x1.trans", 1) + LoadMatrix("ldmatrix_x2_trans", "x2.trans", 2) +
         LoadMatrix("ldmatrix_x4_trans", "x4.trans", 4) + StoreMatrix("stmatrix_x1", "x1", 1) +
         StoreMatrix("stmatrix_x2", "x2", 2) + StoreMatrix("stmatrix_x4", "x4", 4) +
         StoreMatrix("stmatrix_x1_trans", "x1.trans", 1) + StoreMatrix("stmatrix_x4_trans", "x4.trans", 4) +
         Kernel("movmatrix_trans",
                "mad.lo.u32 %a, %t, 65537, 0x400000; movmatrix.sync.aligned.m8n8.trans.b16 %r0, %a;\n" +
                    Show(0, 1)) +
         Copy("cp_async_4", "ca", 4) + Copy("cp_async_8", "ca", 8) + Copy("cp_async_16", "cg", 16) +
         Mma("mma_m16n8k16_f16", "m16n8k16.row.col.f32.f16.f16.f32", 4, 2, Halves) +
         Mma("mma_m16n8k16_bf16", "m16n8k16.row.col.f32.bf16.bf16.f32", 4, 2, BFloats) +
         Mma("mma_m16n8k8_f16", "m16n8k8.row.col.f32.f16.f16.f32", 2, 1, Halves) +
         Mma("mma_m16n8k8_tf32", "m16n8k8.row.col.f32.tf32.tf32.f32", 4, 2, Single) +
         Mma("mma_m16n8k4_tf32", "m16n8k4.row.col.f32.tf32.tf32.f32", 2, 1, Single) +
         Mma("mma_m16n8k32_e4m3", "m16n8k32.row.col.f32.e4m3.e4m3.f32", 4, 2, Bytes) + MmaBytes() +
         MmaRandom("mma_random_f16", "m16n8k16.row.col.f32.f16.f16.f32", "0x83ff83ff", "0x38003800") +
         MmaRandom("mma_random_bf16", "m16n8k16.row.col.f32.bf16.bf16.f32", "0x807f807f", "0x3f003f00") +
         MmaRandom("mma_random_tf32", "m16n8k8.row.col.f32.tf32.tf32.f32", "0x807fffff", "0x3f000000") +
         Redux();
}

}  // namespace gemm::recorded
