#include "common/driver/ptx_numbers.h"

#include <gtest/gtest.h>

#include <string>

namespace gemm::driver {
namespace {

// What both make of it; "refused" where it cannot be undone.
std::string ThereAndBack(const std::string& ptx) {
  std::string back;
  return WithAbsoluteNumbers(WithRelativeNumbers(ptx), &back) ? back : "refused";
}

TEST(PtxNumbers, OfRegistersAreCountedFromTheLastOfTheirKind) {
  EXPECT_EQ(WithRelativeNumbers("add.s32 %r7, %r5, %r6; mov.b64 %rd9, %rd9; @%p1 bra"),
            "add.s32 %r~7, %r~-2, %r~1; mov.b64 %rd~9, %rd~0; @%p~1 bra");
}

TEST(PtxNumbers, OfLabelsAreCountedFromTheLastOfAnyFunction) {
  EXPECT_EQ(WithRelativeNumbers("$L__BB0_12: bra $L__BB0_14; $L__BB3_1:"),
            "$L__BB0_~12: bra $L__BB0_~2; $L__BB3_~-13:");
}

TEST(PtxNumbers, AreUndone) {
  for (const char* ptx :
       {"", "%", "$", "%r", "%r1", "$L__BB", "$L__BB1_", "$L__BB1_2", "%%r1$%r2", "a%r1b%r2",
        "%r1%r0%r999999999%r0",
        "mov.u32 %r1, %tid.x; .reg .b32 %r<12>; ld.param.u64 %rd1, [f_param_0+72]; %envreg3"}) {
    EXPECT_EQ(ThereAndBack(ptx), ptx);
  }
}

TEST(PtxNumbers, OthersStay) {
  for (const char* ptx : {"%tid.x", "%r<12>", "%r01", "%r1000000000", "%SP1", "%abcdefghi1", "$L_BB0_1",
                          "$L__BB_1", "%r", "12 + 3", "r1"}) {
    EXPECT_EQ(WithRelativeNumbers(ptx), ptx);
    EXPECT_EQ(ThereAndBack(ptx), ptx);
  }
}

TEST(PtxNumbers, OfMoreKindsThanThereIsRoomForStay) {
  std::string ptx;
  for (char a = 'a'; a <= 'z'; ++a) ptx += std::string("%") + a + "1 %" + a + "x2 ";
  const std::string text = WithRelativeNumbers(ptx);
  EXPECT_NE(text.find("%a~1"), std::string::npos);
  EXPECT_NE(text.find("%z1"), std::string::npos);
  EXPECT_EQ(ThereAndBack(ptx), ptx);
}

TEST(PtxNumbers, RefuseWhatIsNotTheirs) {
  std::string ptx;
  for (const char* text :
       {"%r~", "%r~-", "%r~x", "%r~01", "%r~1000000000", "%r~-1", "%r~1 %r~-2", "$L__BB0_~", "$L__BB0_~-1"}) {
    EXPECT_FALSE(WithAbsoluteNumbers(text, &ptx)) << text;
  }
  // So a text that has such names of its own does not come back, which the tool that packs reports.
  EXPECT_EQ(ThereAndBack("%r~5"), "%r5");
}

}  // namespace
}  // namespace gemm::driver
