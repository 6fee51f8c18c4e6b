// setmaxnreg.
#include <gtest/gtest.h>

#include "tests/emulator/exec/kernel.h"

namespace emu::testing {
namespace {

// 384 threads and one CTA per multiprocessor: 65536 / 384 is 170, 168 in units of 8.
std::string Text(const std::string& body, const std::string& directives = ".maxntid 384 .minnctapersm 1") {
  std::string text = Kernel(body);
  text.insert(text.find("\n{\n") + 1, directives + "\n");
  return text;
}

class RegisterPool : public ::testing::TestWithParam<int> {
 protected:
  PtxResult Try(const std::string& text, std::uint32_t threads = 384) {
    return RunKernel(text, {.threads = threads, .seed = static_cast<std::uint64_t>(GetParam())});
  }
};

std::string Roles(const std::string& producer, const std::string& consumer) {
  return "setp.lt.u32 %p1, %r2, 128;\n @%p1 bra PRODUCER;\n" + consumer + "\n STORE %r1;\n ret;\n PRODUCER:\n" +
         producer + "\n STORE %r1;\n ret;\n";
}

TEST_P(RegisterPool, WhatOneReleasesAnotherMayHave) {
  // 168 * 3 = 504 = 24 + 2 * 240
  const PtxResult result =
      Try(Text(Roles("setmaxnreg.dec.sync.aligned.u32 24;", "setmaxnreg.inc.sync.aligned.u32 240;")));
  ASSERT_TRUE(result.ok()) << result.message();
  EXPECT_EQ(result.Buffer<std::uint32_t>(0)[383], 383u);
}

TEST_P(RegisterPool, MoreThanTheCtaHas) {
  const PtxResult result =
      Try(Text(Roles("setmaxnreg.dec.sync.aligned.u32 40;", "setmaxnreg.inc.sync.aligned.u32 240;")));
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.finding->kind, FindingKind::kRegisterBudget) << result.message();
  EXPECT_NE(result.finding->message.find("setmaxnreg.inc"), std::string::npos) << result.message();
}

TEST_P(RegisterPool, MoreThanItCouldEverHave) {
  const PtxResult result =
      Try(Text("setmaxnreg.inc.sync.aligned.u32 256;\n ret;", ".maxnreg 32 .maxntid 64"), 64);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.finding->kind, FindingKind::kRegisterBudget) << result.message();
}

TEST_P(RegisterPool, IncreaseToLessAndDecreaseToMore) {
  for (const char* body :
       {"setmaxnreg.inc.sync.aligned.u32 40;\n ret;", "setmaxnreg.dec.sync.aligned.u32 200;\n ret;"}) {
    const PtxResult result = Try(Text(body));
    ASSERT_FALSE(result.ok());
    EXPECT_EQ(result.finding->kind, FindingKind::kRegisterBudget) << result.message();
  }
}

TEST_P(RegisterPool, NoEffectWhenTheNumberAtEntryIsUnknown) {
  const PtxResult result =
      Try(Text(Roles("setmaxnreg.dec.sync.aligned.u32 40;", "setmaxnreg.inc.sync.aligned.u32 240;"), ""));
  ASSERT_TRUE(result.ok()) << result.message();
}

TEST_P(RegisterPool, NumbersThatTheInstructionDoesNotTake) {
  for (const char* count : {"16", "28", "264"}) {
    const PtxResult result = Try(Text(std::string("setmaxnreg.dec.sync.aligned.u32 ") + count + ";\n ret;"));
    ASSERT_FALSE(result.ok());
    EXPECT_EQ(result.finding->kind, FindingKind::kUnsupported) << result.message();
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RegisterPool, ::testing::Range(0, 4));

}  // namespace
}  // namespace emu::testing
