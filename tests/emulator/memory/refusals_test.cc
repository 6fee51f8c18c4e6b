// What is no PTX, or not known, is refused with its name, its line and a reason, and never ignored.
#include <gtest/gtest.h>

#include <string>

#include "tests/emulator/support/run_ptx.h"

namespace emu::testing {
namespace {

struct Refusal {
  const char* instruction;
  const char* reason;
};

TEST(Refusals, NameTheInstructionTheLineAndTheReason) {
  const Refusal refusals[] = {
      {"ld.global.nonsense.u32 %w1, [%d1];", "not known: .nonsense"},
      {"ld.global %w1, [%d1];", "a type is missing"},
      {"ld.relaxed.global.u32 %w1, [%d1];", "a scope is missing"},
      {"ld.gpu.global.u32 %w1, [%d1];", "a scope without an order"},
      {"ld.release.gpu.global.u32 %w1, [%d1];", "a load does not release"},
      {"ld.global.u64 %w1, [%d1];", "the register is too small"},
      {"ld.global.u32 %p, [%d1];", "a predicate where a value is wanted"},
      {"ld.global.v2.u32 {%w1, %w2, %w3}, [%d1];", "not a vector of 2 values"},
      {"ld.global.v2.u32 %w1, [%d1];", "not a vector of 2 values"},
      {"ld.global.u32 {%w1, %w2}, [%d1];", "a vector where one value is wanted"},
      {"ld.global.v8.u64 {%d2, %d2, %d2, %d2, %d2, %d2, %d2, %d2}, [%d1];", "an access of 64 bytes"},
      {"ld.global.u32 %w1, [s];", "the operand is not in .global"},
      {"ld.shared.u32 %w1, [l];", "the operand is not in .shared"},
      {"ld.global.L2::cache_hint.u32 %w1, [%d1];", "2 operands instead of 3"},
      {"ld.global.u32 %w1, [%d1], %d2;", "3 operands instead of 2"},
      {"ldu.shared.u32 %w1, [s];", "ldu reads global memory"},
      {"st.acquire.gpu.global.u32 [%d1], %w1;", "a store does not acquire"},
      {"st.param.u64 [out], %d1;", "this space is only read"},
      {"st.global.nc.u32 [%d1], %w1;", "not known: .nc"},
      {"st.global.u64 [%d1], %w1;", "the register is too small"},
      {"st.bulk.weak.shared::cta [s], %d1, 1;", "the value is not 0"},
      {"atom.global.u32 %w1, [%d1], %w2;", "no operation is named"},
      {"atom.global.add.b32 %w1, [%d1], %w2;", ".add of "},
      {"atom.global.add.f16x2 %w1, [%d1], %w2;", ".add of "},
      {"atom.global.min.f32 %f1, [%d1], %f1;", ".min of "},
      {"atom.global.min.noftz.f16x2 %w1, [%d1], %w2;", "this operation is for vectors"},
      {"atom.global.add.v2.u32 {%w1, %w2}, [%d1], {%w1, %w2};", "this operation has no vectors"},
      {"atom.shared.add.v2.f32 {%f1, %f2}, [s], {%f1, %f2};", "vectors are for global memory"},
      {"atom.local.add.u32 %w1, [l], %w2;", "atomics are for global and shared memory"},
      {"atom.volatile.global.add.u32 %w1, [%d1], %w2;", "an atomic operation is never weak"},
      {"red.global.cas.b32 [%d1], %w1, %w2;", "red has no such operation"},
      {"red.global.exch.b32 [%d1], %w1;", "red has no such operation"},
      {"red.acquire.gpu.global.add.u32 [%d1], %w1;", "a reduction does not acquire"},
      {"multimem.red.relaxed.sys.global.add.u32 [%d1], %w1;", "no multicast objects"},
      {"cvta.u64 %d1, %d2;", "a state space is missing"},
      {"cvta.shared.u32 %w1, %w2;", "generic addresses have 64 bits"},
      {"isspacep.nonsense %p, %d1;", "not known: .nonsense"},
      {"istypep.texref %p, %d1;", "textures are not known"},
      {"mapa.shared::cta.u32 %w1, %w2, 0;", "only .shared::cluster is allowed"},
      {"getctarank.shared::cluster %w1, %w2;", "a type is missing"},
      {"fence.nonsense.gpu;", "no such fence is known"},
      {"fence.sc;", "no such fence is known"},
      {"fence.proxy.nonsense;", "no such fence is known"},
      {"membar.gpu;", "no such fence is known"},
      {"fence.proxy.tensormap::generic.acquire.gpu [%d1], 64;", "the size is not 128"},
      {"prefetch.global.L3 [%d1];", "not known: .global.L3"},
      {"discard.global.L2 [%d1], 64;", "the size is not 128"},
      {"createpolicy.fractional.L1::evict_first.b64 %d2;", "not known: "},
      {"createpolicy.nonsense.b64 %d2;", "not known: "},
      {"alloca.u64 %d2, 8, 3;", "a bad alignment"},
      {"alloca.u16 %d2, 8;", "the type is .u32 or .u64"},
  };
  for (const Refusal& refusal : refusals) {
    const std::string declarations =
        ".reg .b32 %w<4>; .reg .b64 %d<4>; .reg .f32 %f<4>; .reg .pred %p; .shared .align 8 .b8 s[64]; .local "
        ".u32 l;\n";
    const std::string text = PtxModule(".param .u64 out", declarations + refusal.instruction + "\nret;");
    PtxLaunch launch;
    launch.arguments = {Buffer(std::vector<std::uint32_t>(8))};
    const PtxResult result = RunPtx(text, "", launch);
    ASSERT_FALSE(result.ok()) << refusal.instruction;
    EXPECT_EQ(result.finding->kind, FindingKind::kUnsupported) << refusal.instruction;
    EXPECT_NE(result.message().find(refusal.reason), std::string::npos) << refusal.instruction << "\n"
                                                                        << result.message();
    const auto before = text.find(refusal.instruction);
    EXPECT_EQ(result.finding->line,
              1 + std::count(text.begin(), text.begin() + static_cast<long>(before), '\n'));
  }
}

}  // namespace
}  // namespace emu::testing
