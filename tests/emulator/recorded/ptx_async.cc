// Stores and reductions that the async proxy makes.
#include "tests/emulator/recorded/ptx.h"

namespace gemm::recorded {
namespace {

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
  return {{"bulk_reduce_add_u32", 256},           {"bulk_reduce_min_s32", 256},  {"bulk_reduce_add_f32", 256},
          {"bulk_reduce_add_f32_subnormal", 256}, {"bulk_reduce_add_bf16", 256}, {"bulk_reduce_add_f16", 256}};
}

std::string AsyncPtx() {
  return kPtxHeader +
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
