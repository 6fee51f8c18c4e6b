// Stores and reductions that the async proxy makes.
#include "tests/emulator/recorded/ptx.h"

namespace gemm::recorded {
namespace {

// st.async and red.async: `instruction` of every thread moves `bytes` to its place in the CTA's own shared memory, whose words
// were 100 + the thread, and the CTA's own mbarrier counts them. `mapped`: both addresses through mapa.
std::string StoreAsync(const std::string& name, unsigned bytes, const std::string& instruction, bool mapped) {
  const std::string map = mapped ? "mov.u32 %x, %cluster_ctarank; mapa.shared::cluster.u32 %a, %a, %x; "
                                   "mapa.shared::cluster.u32 %barrier, %barrier, %x;\n"
                                 : "";
  std::string text = R"(
    add.u32 %r4, %t, 100; shl.b32 %a, %t, 4; add.u32 %a, %a, %memory; st.shared.v4.u32 [%a], {%r4, %r4, %r4, %r4};
    setp.ne.u32 %p, %t, 0;
    @%p bra initialised;
    mbarrier.init.shared.b64 [%barrier], 1; fence.mbarrier_init.release.cluster;
    mbarrier.arrive.expect_tx.shared.b64 _, [%barrier], @bytes;
  initialised:
    fence.proxy.async.shared::cta; bar.sync 0;
    mov.u32 %y, %barrier; mov.u32 %b, %a; mad.lo.u32 %r0, %t, 4, 1; add.u32 %r1, %r0, 1; add.u32 %r2, %r0, 2;
    add.u32 %r3, %r0, 3; mov.b64 %da, {%r0, %r1};
    @map @instruction
  wait:
    mbarrier.try_wait.parity.shared.b64 %p, [%y], 0;
    @!%p bra wait;
    ld.shared.v4.u32 {%r0, %r1, %r2, %r3}, [%b];
    ld.param.u64 %out, [out]; mul.wide.u32 %at, %t, 16; add.u64 %at, %at, %out;
    st.global.v4.u32 [%at], {%r0, %r1, %r2, %r3};
)";
  text = Replaced(Replaced(text, "@map", map), "@instruction", instruction);
  return CtaKernel(name, ".param .u64 out", Replaced(text, "@bytes", std::to_string(128 * bytes)));
}

std::string ToOwn(const std::string& operation, const std::string& value) {
  return operation + " [%a], " + value + ", [%barrier];";
}

// cp.reduce.async.bulk of 256 words of shared memory into as many of global memory. `there` and `here` make them of %i, in %r0.
std::string BulkReduce(const std::string& name, const std::string& operation, const std::string& there,
                       const std::string& here) {
  std::string text = R"(
    ld.param.u64 %out, [out]; mov.u32 %i, %t;
  fill:
    @there mul.wide.u32 %at, %i, 4; add.u64 %at, %at, %out; st.global.u32 [%at], %r0;
    @here shl.b32 %b, %i, 2; add.u32 %b, %b, %memory; st.shared.u32 [%b], %r0;
    add.u32 %i, %i, 128; setp.lt.u32 %p, %i, 256; @%p bra fill;
    fence.proxy.async; bar.sync 0;
    setp.ne.u32 %p, %t, 0;
    @%p bra done;
    cp.reduce.async.bulk.global.shared::cta.bulk_group.@operation [%out], [%memory], 1024;
    cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;
  done:
)";
  text = Replaced(Replaced(text, "@there", there), "@here", here);
  return CtaKernel(name, ".param .u64 out", Replaced(text, "@operation", operation));
}

// Numbers whose sums must be rounded.
std::string Single(const std::string& factor) {
  return "mad.lo.u32 %r0, %i, " + factor + ", 99; cvt.rn.f32.s32 %f0, %r0; mov.b32 %r0, %f0;\n    ";
}
std::string Halves(const std::string& type, const std::string& factor) {
  return "mad.lo.u32 %r0, %i, " + factor +
         ", 99; shr.s32 %r0, %r0, 16; cvt.rn.f32.s32 %f0, %r0; cvt.rn.f32.u32 %f1, %i;\n" + "    cvt.rn." +
         type + ".f32 %r0, %f0, %f1;\n    ";
}

}  // namespace

std::vector<OneCta> AsyncNames() {
  return {{"st_async_b32", 512},         {"st_async_v2", 512},
          {"st_async_v4", 512},          {"st_async_b64", 512},
          {"st_async_mapped", 512},      {"red_async_add_u32", 512},
          {"bulk_reduce_add_u32", 256},  {"bulk_reduce_min_s32", 256},
          {"bulk_reduce_add_f32", 256},  {"bulk_reduce_add_f32_subnormal", 256},
          {"bulk_reduce_add_bf16", 256}, {"bulk_reduce_add_f16", 256}};
}

std::string AsyncPtx() {
  const std::string store = "st.async.shared::cluster.mbarrier::complete_tx::bytes";
  const std::string four = "{%r0, %r1, %r2, %r3}";
  return kPtxHeader + StoreAsync("st_async_b32", 4, ToOwn(store + ".b32", "%r0"), false) +
         StoreAsync("st_async_v2", 8, ToOwn(store + ".v2.b32", "{%r0, %r1}"), false) +
         StoreAsync("st_async_v4", 16, ToOwn(store + ".v4.b32", four), false) +
         StoreAsync("st_async_b64", 8, ToOwn(store + ".b64", "%da"), false) +
         StoreAsync("st_async_mapped", 16, ToOwn(store + ".v4.b32", four), true) +
         StoreAsync(
             "red_async_add_u32", 4,
             ToOwn("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32", "%r0"),
             false) +
         BulkReduce("bulk_reduce_add_u32", "add.u32", "mul.lo.u32 %r0, %i, 2654435761;\n    ",
                    "mul.lo.u32 %r0, %i, 2246822519;\n    ") +
         BulkReduce("bulk_reduce_min_s32", "min.s32", "mul.lo.u32 %r0, %i, 2654435761;\n    ",
                    "mul.lo.u32 %r0, %i, 2246822519;\n    ") +
         BulkReduce("bulk_reduce_add_f32", "add.f32", Single("7654321"), Single("2246822519")) +
         BulkReduce("bulk_reduce_add_f32_subnormal", "add.f32", "mul.lo.u32 %r0, %i, 3001;\n    ",
                    "mad.lo.u32 %r0, %i, 30011, 5;\n    ") +
         BulkReduce("bulk_reduce_add_bf16", "add.noftz.bf16", Halves("bf16x2", "7654321"),
                    Halves("bf16x2", "2246822519")) +
         BulkReduce("bulk_reduce_add_f16", "add.noftz.f16", Halves("f16x2", "7654321"),
                    Halves("f16x2", "2246822519"));
}

}  // namespace gemm::recorded
