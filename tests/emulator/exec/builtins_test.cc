// Functions that the driver provides: printf, assertions, the heap.
#include <gtest/gtest.h>

#include "tests/emulator/exec/calls.h"

namespace emu::testing {
namespace {

using Builtins = Calls;

constexpr char kPrintf[] = R"(
.extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);
.global .align 1 .b8 format[30] = {37, 100, 32, 37, 48, 56, 46, 51, 102, 32, 37, 115, 32, 37, 108, 108, 117, 32, 37, 53, 99, 124, 37, 37, 10, 0};
.global .align 1 .b8 word[3] = {104, 105, 0};
)";

TEST_P(Builtins, Printf) {
  ::testing::internal::CaptureStdout();
  const auto out = Out(kPrintf, R"(
    .local .align 8 .b8 arguments[40];
    mov.u64 %rd5, arguments;
    cvta.local.u64 %rd6, %rd5;
    st.local.u32 [%rd5], -7;
    mov.b64 %rd7, 0d400921FB54442D18;
    st.local.u64 [%rd5+8], %rd7;
    mov.u64 %rd8, word;
    cvta.global.u64 %rd8, %rd8;
    st.local.u64 [%rd5+16], %rd8;
    st.local.u64 [%rd5+24], -1;
    st.local.u32 [%rd5+32], 120;
    mov.u64 %rd9, format;
    cvta.global.u64 %rd9, %rd9;
    setp.eq.u32 %p1, %r1, 40;
    @!%p1 bra DONE;
    {
    .param .b64 f; .param .b64 a; .param .b32 r;
    st.param.b64 [f], %rd9;
    st.param.b64 [a], %rd6;
    call.uni (r), vprintf, (f, a);
    ld.param.b32 %r3, [r];
    STORE %r3;
    }
  DONE:
    ret;)");
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), "-7 0003.142 hi 18446744073709551615     x|%\n");
  EXPECT_EQ(out[39], 0xffffffff);
}

TEST_P(Builtins, FailedAssertion) {
  const PtxResult result = Try(R"(
.extern .func __assertfail(.param .b64 m, .param .b64 f, .param .b32 l, .param .b64 n, .param .b64 s);
.global .align 1 .b8 message[6] = {120, 32, 62, 32, 48, 0};
.global .align 1 .b8 file[5] = {97, 46, 99, 117, 0};
)",
                               R"(
    setp.ne.u32 %p1, %r1, 33;
    @%p1 bra DONE;
    mov.u64 %rd5, message;
    mov.u64 %rd6, file;
    {
    .param .b64 m; .param .b64 f; .param .b32 l; .param .b64 n; .param .b64 s;
    st.param.b64 [m], %rd5;
    st.param.b64 [f], %rd6;
    st.param.b32 [l], 77;
    st.param.b64 [n], %rd6;
    st.param.b64 [s], 1;
    call.uni __assertfail, (m, f, l, n, s);
    }
  DONE:
    ret;)");
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.finding->kind, FindingKind::kTrap);
  EXPECT_NE(result.finding->message.find("a.cu:77"), std::string::npos) << result.message();
  EXPECT_NE(result.finding->message.find("x > 0"), std::string::npos) << result.message();
  EXPECT_NE(result.finding->message.find("thread (33, 0, 0)"), std::string::npos) << result.message();
}

TEST_P(Builtins, HeapOnTheDevice) {
  const auto out = Out(R"(
.extern .func (.param .b64 r) malloc(.param .b64 n);
.extern .func free(.param .b64 p);
)",
                       R"(
    {
    .param .b64 n; .param .b64 r;
    st.param.b64 [n], 64;
    call.uni (r), malloc, (n);
    ld.param.b64 %rd5, [r];
    }
    st.u32 [%rd5+60], %r1;
    ld.u32 %r3, [%rd5+60];
    STORE %r3;
    {
    .param .b64 p;
    st.param.b64 [p], %rd5;
    call.uni free, (p);
    }
    ret;)");
  for (std::uint32_t t = 0; t < 64; ++t) EXPECT_EQ(out[t], t);
}

INSTANTIATE_TEST_SUITE_P(Seeds, Builtins, ::testing::Range(0, 4));

}  // namespace
}  // namespace emu::testing
