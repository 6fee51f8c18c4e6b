// Broken PTX: a SyntaxError with a line of the text, or a module that can be worked with; never anything else.
#include <algorithm>
#include <string_view>

#include "tests/emulator/ptx/parse.h"
#include "tests/emulator/ptx/real_files.h"
#include "tools/emulator/base/random.h"

namespace emu::ptx {
namespace {

// What the kernels do not have.
const char* const kRareForms = R"(.version 9.0
.target sm_90a
.address_size 64
.extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);
.global .align 8 .u64 table[3] = {0, generic(text)+2, f};
.global .b8 text[] = "ab\n\x41\101";
.const .v2 .f32 c[2][2] = {{{1.0, 0f3F800000}, {2, 3}}, {{.5}}};
.global .b8 packed[9] = {1, 0xFF(text), 0xFF00(text), 0xFF0000(text), 0xFF000000(text), 0xFF00000000(text),
  0xFF0000000000(text), 0xFF000000000000(text), 0xFF00000000000000(text)};
.func (.reg .u32 out) f(.reg .u32 in, .param .align 8 .b8 s[16]) .noreturn { mov.u32 out, in; ret; }
.alias g, f;
.visible .entry k(.param .u64 .ptr .global .align 16 p, .param .b8 q[8]) .maxntid 32, 2 .reqnctapercluster 2 .pragma "x";
{
  .reg .b32 %r<9>, x; .reg .v4 .f32 v<2>; .reg .pred p0, p1; .reg .b64 %rd<4>;
  .shared .align 16 .b8 sm[(4+4)*2]; .local .u32 l[2][3];
  T: .branchtargets A, B; P: .callprototype (.param .b32 _) _ (.param .b32 _, .param .b8 _[3]) .noreturn; C: .calltargets f;
  .loc 1 2 3, function_name N + 4, inlined_at 1 2 3
A: @!p0 bra B; { .reg .b32 x; A: add.s32 x, -x, (1 << 3 > 2 ? WARP_SZ : ~0x7fU) % 5; @p1 bra A; }
  setp.lt.and.f32 p0|p1, v0.x, -1.5, !p1; ld.v4.f32 v1, [%rd1 + -(.s64)16]; mov.u32 x, sm + 4; ld.u32 x, l[3];
  vadd.s32.s32.s32.sat x, %r1.b0, %r2.h1; tex.2d.v4.f32.f32 {v0.x, _, v0.z, v0.w}, [table, {%r1, 2}], 0f00000000;
  { .param .b32 a; st.param.b32 [a+0], x; call.uni (a), f, (a, 1), P; call vprintf; } brx.idx x, T; B: trap;
}
.section .debug_str { N: .b8 1, 2 { } }
)";

void Try(const std::string& text, int* errors) {
  const int lines = 1 + static_cast<int>(std::count(text.begin(), text.end(), '\n'));
  try {
    const auto module = Parse(text);
    for (const Function& function : module->functions) {
      EXPECT_EQ(Reconvergence(function).size(), function.code.size());
      EXPECT_EQ(AllocateRegisters(function).slots.size(), function.registers.size());
    }
  } catch (const SyntaxError& error) {
    ++*errors;
    EXPECT_GE(error.line(), 1) << error.what();
    EXPECT_LE(error.line(), lines) << error.what();
  }
}

std::string Mutated(std::string text, Random& random) {
  static constexpr std::string_view kPieces[] = {"{",         "}",
                                                 "(",         ")",
                                                 "[",         "]",
                                                 ",",         ";",
                                                 ":",         "@",
                                                 "%",         "|",
                                                 "-",         "!",
                                                 "<",         ">",
                                                 ".",         "\"",
                                                 "0",         "0x",
                                                 "_",         " ",
                                                 "\n",        "9999999999999999999",
                                                 "0f",        ".reg .pred p0;",
                                                 ".v4",       "bra",
                                                 "call",      "brx.idx",
                                                 "/*",        "//",
                                                 "WARP_SZ",   "\x80",
                                                 "<<",        "?",
                                                 ".param",    "=",
                                                 "generic(",  ".b8 y[0x7fffffffffffffff]",
                                                 "<1000000>", ".entry"};
  for (std::uint32_t count = 1 + random.Below(3); count > 0; --count) {
    if (text.empty()) return text;
    const auto size = static_cast<std::uint32_t>(text.size());
    const std::size_t at = random.Below(size);
    const std::size_t length = 1 + random.Below(12);
    switch (random.Below(6)) {
      case 0:
        text.erase(at, length);
        break;
      case 1:
        text.insert(at, kPieces[random.Below(std::size(kPieces))]);
        break;
      case 2:
        text.replace(at, length, kPieces[random.Below(std::size(kPieces))]);
        break;
      case 3:
        text.insert(random.Below(size), text.substr(at, length));
        break;
      case 4:
        text[at] = static_cast<char>(random.Next());
        break;
      default:
        std::swap(text[at], text[random.Below(size)]);
    }
  }
  return text;
}

// The begin of the file and some of its lines, so that a round is short.
std::string Excerpt(const std::string& text, Random& random) {
  const std::size_t body = text.find("\n{\n");
  if (body == std::string::npos) return text;
  std::string excerpt = text.substr(0, text.find("\n\n\n", body));
  const auto rest = static_cast<std::uint32_t>(text.size() - excerpt.size());
  std::size_t at = text.find('\n', excerpt.size() + random.Below(rest));
  for (int line = 0; line < 60 && at != std::string::npos; ++line) {
    const std::size_t next = text.find('\n', at + 1);
    excerpt += text.substr(at, next == std::string::npos ? next : next - at);
    at = next;
  }
  return excerpt + "\nret;\n}\n";
}

TEST(Fuzz, RareFormsAreUnderstoodAsTheyAre) {
  int errors = 0;
  Try(kRareForms, &errors);
  EXPECT_EQ(errors, 0) << ErrorOf(kRareForms);
}

TEST(Fuzz, EveryTruncation) {
  const std::string text = kRareForms;
  int errors = 0;
  for (std::size_t size = 0; size < text.size(); ++size) Try(text.substr(0, size), &errors);
  EXPECT_GT(errors, 1200) << "every text that ends in the kernel, at least";
}

TEST(Fuzz, Mutations) {
  Random random(11);
  int errors = 0;
  for (int round = 0; round < 3000; ++round) Try(Mutated(kRareForms, random), &errors);
  EXPECT_GT(errors, 1500);
  EXPECT_LT(errors, 3000);
}

TEST(Fuzz, RealPtx) {
  Random random(12);
  int errors = 0, rounds = 0;
  for (const RealFile& file : RealFiles()) {
    for (int round = 0; round < 10; ++round, ++rounds)
      Try(Mutated(Excerpt(file.text, random), random), &errors);
    const auto size = static_cast<std::uint32_t>(file.text.size());
    Try(file.text.substr(0, random.Below(std::min(size, 50000u))), &errors);
  }
  EXPECT_GT(errors, rounds / 4);
}

}  // namespace
}  // namespace emu::ptx
