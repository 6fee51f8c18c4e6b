#include <gtest/gtest.h>

#include "tests/emulator/exec/calls.h"

namespace emu::testing {
namespace {

TEST_P(Calls, ParametersInMemory) {
  const auto out = Out(R"(
.func (.param .b32 result) scale(.param .align 8 .b8 pair[16], .param .b8 factor)
{
  .reg .b32 %r<5>; .reg .b16 %h<2>; .reg .b64 %rd<3>;
  ld.param.u32 %r1, [pair];
  ld.param.u64 %rd1, [pair+8];
  ld.param.u8 %h1, [factor];
  cvt.u32.u64 %r2, %rd1;
  cvt.u32.u16 %r3, %h1;
  mad.lo.u32 %r4, %r2, %r3, %r1;
  st.param.b32 [result], %r4;
  ret;
}
)",
                       R"(
    {
    .param .align 8 .b8 a[16];
    .param .b8 b;
    .param .b32 c;
    st.param.b32 [a], %r1;
    cvt.u64.u32 %rd5, %r2;
    st.param.b64 [a+8], %rd5;
    mov.u16 %h1, 7;
    st.param.b8 [b], %h1;
    call.uni (c), scale, (a, b);
    ld.param.b32 %r3, [c];
    }
    STORE %r3;
    ret;)");
  for (std::uint32_t t = 0; t < 64; ++t) EXPECT_EQ(out[t], 8 * t);
}

TEST_P(Calls, ParametersInRegisters) {
  const auto out = Out(R"(
.func (.reg .b32 %x, .reg .b64 %y) both(.reg .b32 %a, .reg .b64 %b)
{
  .reg .b64 %t;
  cvt.u64.u32 %t, %a;
  add.u64 %y, %b, %t;
  add.u32 %x, %a, 1;
  ret;
}
)",
                       R"(
    cvt.u64.u32 %rd5, %r2;
    call (%r3, %rd6), both, (%r1, %rd5);
    call (%r3, %rd6), both, (%r3, 1000);
    cvt.u32.u64 %r4, %rd6;
    add.u32 %r3, %r3, %r4;
    STORE %r3;
    ret;)");
  for (std::uint32_t t = 0; t < 64; ++t) EXPECT_EQ(out[t], t + 2 + t + 1 + 1000);
}

TEST_P(Calls, SomeLanesCallAndReturnEarly) {
  const auto out = Out(R"(
.func (.reg .b32 %x) step(.reg .b32 %a)
{
  .reg .pred %p<3>;
  mov.u32 %x, 1;
  setp.lt.u32 %p1, %a, 20;
  @%p1 ret;
  setp.gt.u32 %p2, %a, 40;
  @%p2 bra MORE;
  mov.u32 %x, 2;
  ret;
MORE:
  mov.u32 %x, 3;
}
)",
                       R"(
    mov.u32 %r3, 9;
    and.b32 %r4, %r1, 1;
    setp.eq.u32 %p1, %r4, 0;
    @%p1 call (%r3), step, (%r1);
    add.u32 %r3, %r3, 10;
    STORE %r3;
    ret;)");
  for (std::uint32_t t = 0; t < 64; ++t) {
    EXPECT_EQ(out[t], t % 2 != 0 ? 19u : t < 20 ? 11u : t <= 40 ? 12u : 13u) << t;
  }
}

// The address of the caller's own array goes down, so that frames must not lie upon each other.
TEST_P(Calls, Recursion) {
  const auto out = Out(R"(
.func (.param .b32 result) sum(.param .b32 n, .param .b64 above)
{
  .local .align 8 .b8 mine[8];
  .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .pred %p<3>;
  ld.param.u32 %r1, [n];
  ld.param.u64 %rd1, [above];
  mov.u64 %rd2, mine;
  st.local.u32 [%rd2], %r1;
  mov.u32 %r4, 0;
  setp.eq.u64 %p1, %rd1, 0;
  @!%p1 ld.local.u32 %r4, [%rd1];
  setp.eq.u32 %p2, %r1, 0;
  @%p2 bra DONE;
  {
  .param .b32 a; .param .b64 b; .param .b32 c;
  add.u32 %r2, %r1, -1;
  st.param.b32 [a], %r2;
  st.param.b64 [b], %rd2;
  call (c), sum, (a, b);
  ld.param.b32 %r3, [c];
  }
  add.u32 %r4, %r4, %r3;
DONE:
  ld.local.u32 %r5, [%rd2];
  add.u32 %r4, %r4, %r5;
  st.param.b32 [result], %r4;
  ret;
}
)",
                       R"(
    {
    .param .b32 a; .param .b64 b; .param .b32 c;
    rem.u32 %r3, %r1, 9;
    st.param.b32 [a], %r3;
    mov.u64 %rd5, 0;
    st.param.b64 [b], %rd5;
    call (c), sum, (a, b);
    ld.param.b32 %r3, [c];
    }
    STORE %r3;
    ret;)");
  for (std::uint32_t t = 0; t < 64; ++t) {
    const std::uint32_t n = t % 9;
    // Each level adds its own number and, but for the first, the one above it.
    EXPECT_EQ(out[t], n * (n + 1) / 2 + n * (n + 1) / 2) << t;
  }
}

TEST_P(Calls, RecursionWithoutAnEnd) {
  const PtxResult result = Try(R"(
.func down()
{
  .local .b8 much[256];
  call down;
  ret;
}
)",
                               "call down;\n ret;");
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.finding->kind, FindingKind::kOutOfBounds) << result.message();
}

constexpr char kTwoFunctions[] = R"(
.func (.reg .b32 %x) triple(.reg .b32 %a)
{
  mul.lo.u32 %x, %a, 3;
  ret;
}
.func (.reg .b32 %x) square(.reg .b32 %a)
{
  mul.lo.u32 %x, %a, %a;
  ret;
}
.global .align 8 .u64 table[2] = {triple, square};
)";

TEST_P(Calls, ThroughAddresses) {
  const auto out = Out(kTwoFunctions, R"(
    proto: .callprototype (.reg .b32 _) _ (.reg .b32 _);
    and.b32 %r3, %r1, 1;
    setp.eq.u32 %p1, %r3, 0;
    mul.wide.u32 %rd5, %r3, 8;
    mov.u64 %rd6, table;
    add.u64 %rd5, %rd5, %rd6;
    ld.global.u64 %rd7, [%rd5];
    mov.u64 %rd8, square;
    setp.gt.u32 %p2, %r1, 40;
    @%p2 mov.u64 %rd7, %rd8;
    mov.u32 %r4, 0;
    setp.ne.u32 %p3, %r1, 13;
    @%p3 call (%r4), %rd7, (%r1), proto;
    STORE %r4;
    ret;)");
  for (std::uint32_t t = 0; t < 64; ++t) {
    EXPECT_EQ(out[t], t == 13 ? 0 : t > 40 || t % 2 == 1 ? t * t : 3 * t) << t;
  }
}

TEST_P(Calls, OfAnAddressThatIsNoFunction) {
  const PtxResult result = Try(kTwoFunctions, R"(
    proto: .callprototype (.reg .b32 _) _ (.reg .b32 _);
    mov.u64 %rd7, triple;
    setp.eq.u32 %p1, %r1, 5;
    @%p1 add.u64 %rd7, %rd7, 4;
    call (%r4), %rd7, (%r1), proto;
    ret;)");
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.finding->kind, FindingKind::kOutOfBounds);
  EXPECT_NE(result.finding->message.find("thread (5, 0, 0)"), std::string::npos) << result.message();
}

INSTANTIATE_TEST_SUITE_P(Seeds, Calls, ::testing::Range(0, 4));

TEST(Call, OfAFunctionWithoutABody) {
  const PtxResult result = RunKernel(WithFunctions(".extern .func mystery();\n", "call mystery;\n ret;"));
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.finding->kind, FindingKind::kUnsupported);
  EXPECT_NE(result.finding->message.find("mystery"), std::string::npos) << result.message();
}

}  // namespace
}  // namespace emu::testing
