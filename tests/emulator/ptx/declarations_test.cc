// Variables, functions and directives at module scope.
#include <bit>
#include <cstring>

#include "tests/emulator/ptx/parse.h"

namespace emu::ptx {
namespace {

Variable Declared(const std::string& text) { return ParseModule(text)->variables.at(0); }

template <class T>
std::vector<T> Initial(const std::string& text) {
  const Variable variable = Declared(text);
  EXPECT_EQ(variable.bytes.size(), variable.size());
  std::vector<T> values(variable.bytes.size() / sizeof(T));
  std::memcpy(values.data(), variable.bytes.data(), values.size() * sizeof(T));
  return values;
}

std::string Error(const std::string& text) { return ErrorOf(kPrologue + text); }

TEST(Types, NamesAndSizes) {
  int count = 0;
  for (int i = 1; i <= static_cast<int>(Type::kF32x2); ++i, ++count) {
    const Type type = static_cast<Type>(i);
    EXPECT_EQ(ParseType(ToString(type)), type);
    EXPECT_EQ(ParseType(std::string(".") + ToString(type)), type);
  }
  EXPECT_EQ(count, 32);
  EXPECT_EQ(ParseType(""), Type::kNone);
  EXPECT_EQ(ParseType("."), Type::kNone);
  EXPECT_EQ(ParseType("u33"), Type::kNone);
  EXPECT_EQ(SizeOf(Type::kPred), 0u);
  EXPECT_EQ(SizeOf(Type::kB128), 16u);
  EXPECT_EQ(SizeOf(ParseType("bf16x2")), 4u);
  EXPECT_EQ(SizeOf(ParseType("e4m3x2")), 2u);
  EXPECT_EQ(SizeOf(ParseType("e2m1x2")), 1u);
  EXPECT_EQ(SizeOf(ParseType("f32x2")), 8u);
  EXPECT_EQ(SizeOf(ParseType("tf32")), 4u);
}

TEST(Module, VersionAndTarget) {
  const auto module =
      Parse("// comment\n.version 8.7\n.target sm_100a, texmode_independent, debug\n.address_size 64");
  EXPECT_EQ(module->version, 87);
  EXPECT_EQ(module->target, "sm_100a");
  EXPECT_EQ(Parse(std::string(".version 9.0\n.target sm_90a\0\xff", 30))->version, 90)
      << "a final zero ends the text";
}

TEST(Variables, SpacesAndAlignment) {
  const Variable rows = Declared(".visible .global .align 16 .v2 .f32 rows[3][4];");
  EXPECT_EQ(rows.name, "rows");
  EXPECT_EQ(rows.space, Space::kGlobal);
  EXPECT_EQ(rows.type, Type::kF32);
  EXPECT_EQ(rows.vector, 2u);
  EXPECT_EQ(rows.elements, 12u);
  EXPECT_EQ(rows.size(), 96u);
  EXPECT_EQ(rows.align, 16u);
  EXPECT_TRUE(rows.array);
  EXPECT_TRUE(rows.visible);
  EXPECT_TRUE(rows.bytes.empty());
  const Variable dynamic = Declared(".extern .shared .align 1024 .b8 dynamic[];");
  EXPECT_TRUE(dynamic.external);
  EXPECT_EQ(dynamic.space, Space::kShared);
  EXPECT_EQ(dynamic.size(), 0u);
  EXPECT_EQ(dynamic.align, 1024u);
  EXPECT_EQ(Declared(".const .v4 .u32 c;").align, 16u);
  EXPECT_EQ(Declared(".global .attribute(.managed) .u16 m;").align, 2u);
  const auto several = ParseModule(".weak .global .u32 a, b[2] = {1, 2}, c;");
  ASSERT_EQ(several->variables.size(), 3u);
  EXPECT_EQ(several->FindVariable("b")->bytes.size(), 8u);
  EXPECT_EQ(several->FindVariable("d"), nullptr);
}

TEST(Initializers, Numbers) {
  EXPECT_EQ(Initial<std::int32_t>(".global .s32 x[4] = {1, -2, 0x10};"),
            (std::vector<std::int32_t>{1, -2, 16, 0}));
  EXPECT_EQ(Initial<std::uint8_t>(".const .b8 x[3] = {1, 2, 1+2};"), (std::vector<std::uint8_t>{1, 2, 3}));
  EXPECT_EQ(Initial<float>(".const .f32 x[4] = {0f3F800000, -2.5, 3, 0d4008000000000000};"),
            (std::vector<float>{1, -2.5f, 3, 3}));
  EXPECT_EQ(Initial<double>(".global .f64 x = 0d400A000000000000;"), (std::vector<double>{3.25}));
  EXPECT_EQ(Initial<double>(".global .f64 x[] = {0f3F800000, -1};"), (std::vector<double>{1, -1}));
  EXPECT_EQ(Initial<std::uint64_t>(".global .u64 x = 0xffffffffffffffff;"),
            (std::vector<std::uint64_t>{~0ull}));
  EXPECT_EQ(Initial<std::uint16_t>(".global .b16 x = 0x13c00;"), (std::vector<std::uint16_t>{0x3c00}));
  EXPECT_EQ(Initial<std::uint64_t>(".global .b128 x = 5;"), (std::vector<std::uint64_t>{5, 0}));
}

TEST(Initializers, NestedBraces) {
  EXPECT_EQ(Initial<std::int32_t>(".global .s32 x[2][3] = {{1}, {2, 3}};"),
            (std::vector<std::int32_t>{1, 0, 0, 2, 3, 0}));
  EXPECT_EQ(Initial<std::int32_t>(".global .s32 x[2][2] = {1, 2, 3};"),
            (std::vector<std::int32_t>{1, 2, 3, 0}));
  EXPECT_EQ(Initial<std::int32_t>(".global .s32 x[][2] = {{1, 2}, {3, 4}, {5}};"),
            (std::vector<std::int32_t>{1, 2, 3, 4, 5, 0}));
  EXPECT_EQ(Initial<float>(".global .v2 .f32 x[2] = {{1.0, 2.0}, {3.0, 4.0}};"),
            (std::vector<float>{1, 2, 3, 4}));
  EXPECT_EQ(Initial<float>(".global .v4 .f32 x = {1.0, 2.0};"), (std::vector<float>{1, 2, 0, 0}));
}

TEST(Initializers, Strings) {
  const std::string text = R"(.global .b8 x[] = "a\n\x41\102\"";)";
  EXPECT_EQ(Initial<std::uint8_t>(text), (std::vector<std::uint8_t>{'a', '\n', 'A', 'B', '"'}));
  EXPECT_EQ(Initial<std::uint8_t>(".global .b8 x[4] = \"ab\";"), (std::vector<std::uint8_t>{'a', 'b', 0, 0}));
}

TEST(Initializers, Addresses) {
  const auto module = ParseModule(
      ".global .u32 a[4];\n.func f;\n"
      ".global .u64 x[4] = {7, a, generic(a)+8, f};\n.global .u64 y = a - 4;");
  const Variable* x = module->FindVariable("x");
  ASSERT_EQ(x->patches.size(), 3u);
  EXPECT_EQ(x->bytes.size(), 32u);
  EXPECT_EQ(x->bytes[0], 7);
  EXPECT_EQ(x->patches[0].at, 8u);
  EXPECT_EQ(x->patches[0].symbol, "a");
  EXPECT_FALSE(x->patches[0].generic);
  EXPECT_EQ(x->patches[1].at, 16u);
  EXPECT_EQ(x->patches[1].addend, 8);
  EXPECT_TRUE(x->patches[1].generic);
  EXPECT_EQ(x->patches[2].symbol, "f");
  EXPECT_EQ(module->FindVariable("y")->patches.at(0).addend, -4);
}

TEST(Initializers, MaskedAddressesBecomeOne) {
  std::string bytes, words;
  for (int i = 0; i < 8; ++i) bytes += (i ? ", 0xFF" : "0xFF") + std::string(2 * i, '0') + "(generic(a)+4)";
  const auto module = ParseModule(".global .u32 a[4];\n.global .b8 x[11] = {9, 0, 0, " + bytes + "};\n" +
                                  ".global .b32 y[2] = {0xFFFFFFFF(a), 0xFFFFFFFF00000000(a)};");
  const Variable* x = module->FindVariable("x");
  ASSERT_EQ(x->patches.size(), 1u);
  EXPECT_EQ(x->patches[0].at, 3u);
  EXPECT_EQ(x->patches[0].addend, 4);
  EXPECT_TRUE(x->patches[0].generic);
  EXPECT_EQ(x->bytes, (std::vector<std::uint8_t>{9, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}));
  ASSERT_EQ(module->FindVariable("y")->patches.size(), 1u);
  EXPECT_EQ(module->FindVariable("y")->patches[0].at, 0u);
}

TEST(Initializers, Errors) {
  EXPECT_EQ(Error(".global .u8 x[2] = {1, 2, 3};"), "PTX line 4: too many initial values");
  EXPECT_EQ(Error(".global .u8 x[2][2] = {{1, 2, 3}};"), "PTX line 4: too many initial values");
  EXPECT_EQ(Error(".global .u8 x[2] = {{1}, 2};"), "PTX line 4: more braces than dimensions");
  EXPECT_EQ(Error(".global .u8 x[2] = \"abc\";"), "PTX line 4: too many initial values");
  EXPECT_EQ(Error(".global .u32 x = 1.5;"), "PTX line 4: a floating-point value for a variable of type .u32");
  EXPECT_EQ(Error(".global .u64 x[3] = {1,\n2,\ny};"), "PTX line 4: 'y' is not declared");
  EXPECT_EQ(Error(".global .u32 a;\n.global .u32 x = a;"), "PTX line 5: only parts of an address");
  EXPECT_EQ(Error(".global .u32 a; .global .u8 x[2] = {0xFF(a), 0xFF0000(a)};"),
            "PTX line 4: parts of an address that do not follow each other");
  EXPECT_EQ(Error(".global .u32 a; .global .u8 x = 0xF0(a);"),
            "PTX line 4: the mask of an address must select one element's bytes");
  EXPECT_EQ(Error(".shared .u32 x = 1;"),
            "PTX line 4: only .global and .const variables can have an initial value");
}

TEST(Variables, Errors) {
  EXPECT_EQ(Error(".global .u32 x[0x10000000][0x10000000];"), "PTX line 4: the array is too large");
  EXPECT_EQ(Error(".global .u32 x[][0];"), "PTX line 4: only the first dimension of an array can be 0");
  EXPECT_EQ(Error(".global .u32 x[2][];"), "PTX line 4: only the first dimension of an array can be left out");
  EXPECT_EQ(Error(".global .u32 x[-1];"),
            "PTX line 4: the size of an array must be an integer from 0 to 1099511627776");
  EXPECT_EQ(Error(".global .align 3 .u32 x;"), "PTX line 4: an alignment must be a power of two");
  EXPECT_EQ(Error(".global .pred x;"), "PTX line 4: a variable in memory cannot be a predicate");
  EXPECT_EQ(Error(".global .u32 .s32 x;"), "PTX line 4: a variable has two types");
  EXPECT_EQ(Error(".global .q32 x;"), "PTX line 4: '.q32' in the declaration of a variable is not understood");
  EXPECT_EQ(Error(".global x;"), "PTX line 4: a type of a variable is expected, not 'x'");
  EXPECT_EQ(Error(".global .u32 x;\n.global .u32 x;"), "PTX line 5: 'x' is defined twice");
  EXPECT_EQ(Error(".func x;\n.global .u32 x;"), "PTX line 5: 'x' is a function and a variable");
  EXPECT_EQ(Error(".extern .global .u32 x;\n.visible .global .u32 x;"), "");
}

TEST(Functions, ParametersAreLaidOut) {
  const auto module = ParseModule(
      ".visible .entry k(.param .u8 a, .param .align 128 .b8 map[128], .param .u64 .ptr .global .align 16 q,\n"
      ".param .v2 .f32 v, .param .align 8 .b8 s[12]) { ret; }");
  const Function& k = module->functions.at(0);
  ASSERT_EQ(k.params.size(), 5u);
  EXPECT_TRUE(k.entry);
  EXPECT_EQ(k.line, 4);
  const std::uint64_t offsets[] = {0, 128, 256, 264, 272};
  for (int i = 0; i < 5; ++i) EXPECT_EQ(k.params[i].offset, offsets[i]) << i;
  EXPECT_EQ(k.params[2].align, 8u) << "the alignment behind .ptr is that of what it points to";
  EXPECT_EQ(k.params[2].name, "q");
  EXPECT_EQ(k.param_bytes, 284u);
}

TEST(Functions, TuningDirectives) {
  const auto module = ParseModule(
      ".entry a() .maxntid 384, 1, 1 .minnctapersm 2 .maxnreg 168 { ret; }\n"
      ".entry b .reqntid 128, 2 .reqnctapercluster 2 .explicitcluster .maxclusterrank 8 .pragma \"nounroll\"; "
      "{ ret; }\n"
      ".func c .noreturn .abi_preserve 4 { trap; }\n.entry d { }");
  const Function& a = *module->Find("a");
  EXPECT_EQ(a.max_threads, (std::array<std::uint32_t, 3>{384, 1, 1}));
  EXPECT_EQ(a.required_threads, (std::array<std::uint32_t, 3>{0, 0, 0}));
  EXPECT_EQ(a.min_ctas, 2u);
  EXPECT_EQ(a.max_registers, 168u);
  EXPECT_FALSE(a.explicit_cluster);
  const Function& b = *module->Find("b");
  EXPECT_EQ(b.required_threads, (std::array<std::uint32_t, 3>{128, 2, 1}));
  EXPECT_EQ(b.required_cluster, (std::array<std::uint32_t, 3>{2, 1, 1}));
  EXPECT_TRUE(b.explicit_cluster);
  EXPECT_EQ(module->Find("d")->code.at(0).opcode, "ret") << "the end of a body is a return";
  EXPECT_EQ(Error(".entry k .blocksareclusters { ret; }"), "PTX line 4: .blocksareclusters is not supported");
  EXPECT_EQ(Error(".entry k .maxntid 1,2,3,4 { ret; }"), "PTX line 4: .maxntid has more than three dimensions");
  EXPECT_EQ(Error(".entry k\n.fast { ret; }"),
            "PTX line 5: the directive '.fast' of a function is not understood");
}

TEST(Functions, DeclarationsAndAliases) {
  const auto module = ParseModule(
      ".extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);\n.func (.param .b32 r) f(.param "
      ".b32 x)\n;\n"
      ".func (.param .b32 r) f(.param .b32 x) { ret; }\n.visible .func g(.param .b32 x);\n.alias g, f;\n"
      ".func (.reg .u32 out) h(.reg .u32 in, .reg .pred q) { mov.u32 out, in; ret; }");
  EXPECT_TRUE(module->Find("vprintf")->declared_only);
  EXPECT_FALSE(module->Find("f")->declared_only);
  EXPECT_EQ(module->Find("g")->code.size(), 1u);
  EXPECT_EQ(module->Find("nobody"), nullptr);
  const Function& h = *module->Find("h");
  ASSERT_EQ(h.registers.size(), 3u);
  EXPECT_EQ(h.registers[0].name, "out");
  EXPECT_EQ(h.registers[2].type, Type::kPred);
  EXPECT_EQ(h.params.at(0).space, Space::kReg);
  EXPECT_EQ(h.code.at(0).operands.at(1).reg, 1);
  EXPECT_EQ(Error(".func f { ret; }\n.func f { ret; }"), "PTX line 5: 'f' is defined twice");
  EXPECT_EQ(Error(".func f;\n.alias g, f;"), "PTX line 5: 'f' is not defined");
}

// A module whose kernels' bodies are read when they are asked for.
TEST(UnreadBodies, AreReadWhenAskedFor) {
  const std::string text =
      kPrologue +
      ".global .u32 before;\n.func f { ret; }\n"
      ".entry a { .reg .b32 %r<2>; { ld.global.u32 %r0, [before]; } bra End; End: exit; }\n"
      ".entry b { .reg .b32 %r<2>; mov.u32 %r1, before; ret; }\n";
  const auto module = ParseAllButKernels(text);
  const auto at_once = Parse(text);
  EXPECT_FALSE(module->Find("f")->unread);
  for (const char* name : {"b", "a", "b"}) {
    const Function& function = *module->Find(name);
    module->Complete(function);
    EXPECT_FALSE(function.unread);
    const Function& other = *at_once->Find(name);
    ASSERT_EQ(function.registers.size(), other.registers.size());
    ASSERT_EQ(function.code.size(), other.code.size());
    for (std::size_t i = 0; i < other.code.size(); ++i) {
      EXPECT_EQ(function.code[i].Name(), other.code[i].Name());
      EXPECT_EQ(function.code[i].line, other.code[i].line);
    }
  }
}

TEST(UnreadBodies, HideMistakesUntilThen) {
  const std::string text = kPrologue + ".entry a { ret; }\n.entry b { nonsense }\n.entry c { bra Nowhere; }\n";
  const auto module = ParseAllButKernels(text);
  for (const char* name : {"a", "b", "c"}) {
    EXPECT_TRUE(module->Find(name)->unread);
    EXPECT_TRUE(module->Find(name)->code.empty());
  }
  for (int time = 0; time < 2; ++time) {
    EXPECT_THROW(module->Complete(*module->Find("b")), SyntaxError);
    EXPECT_THROW(module->Complete(*module->Find("c")), SyntaxError);
  }
  EXPECT_NO_THROW(module->Complete(*module->Find("a")));
  EXPECT_EQ(module->Find("a")->code.size(), 1u);
  EXPECT_THROW(ParseAllButKernels(kPrologue + ".entry a { { ret; }\n"), SyntaxError);
  EXPECT_THROW(ParseAllButKernels(kPrologue + ".entry a { ret; }\n.alias b, a;\n"), SyntaxError);
}

TEST(UnreadBodies, AreNotThoseWithVariablesOfTheModule) {
  for (const std::string before :
       {"", "bar.sync 0; ", "L: ", "L:", "{ } ", ".loc 1 2 3 ", ".loc 1 2 3, function_name L "}) {
    for (const std::string variable :
         {".global .u32 inner;", ".const .u32 inner = 5;", ".extern .global .u32 inner;"}) {
      SCOPED_TRACE(before + variable);
      const auto module = ParseAllButKernels(kPrologue + ".entry a { " + before + variable + " ret; }\n");
      EXPECT_FALSE(module->Find("a")->unread);
      EXPECT_NE(module->FindVariable("inner"), nullptr);
    }
  }
}

TEST(Directives, DebugInformationIsSkipped) {
  const auto module = ParseModule(
      ".file 1 \"a b.cu\", 12345, 99\n.pragma \"x\";\n"
      ".entry k() {\n.loc 1 2 3\n.pragma \"nounroll\";\n.loc 1 2 3, function_name $L__info + 7, inlined_at 1 5 "
      "6\nret;\n$L__end:\n}\n"
      "$L__end2:\n.section .debug_str {\n$L__info:\n.b8 1, 2\n.b32 .debug_str+4\n}\n@@DWARF .byte 0x1, "
      "foo\n.global .u32 z;");
  EXPECT_EQ(module->functions.at(0).code.at(0).line, 10);
  EXPECT_NE(module->FindVariable("z"), nullptr);
}

TEST(Module, Errors) {
  EXPECT_EQ(ErrorOf(""), "PTX line 1: there is no .version");
  EXPECT_EQ(ErrorOf("\n\n.target sm_90"), "PTX line 3: '.version' is expected, not '.target'");
  EXPECT_EQ(ErrorOf(".version 9"), "PTX line 1: a version, as 9.0, is expected, not '9'");
  EXPECT_EQ(Error(".address_size 32"), "PTX line 4: only an address size of 64 bits is supported");
  EXPECT_EQ(Error("nonsense"), "PTX line 4: a directive is expected, not 'nonsense'");
  EXPECT_EQ(Error(".nonsense"), "PTX line 4: the directive '.nonsense' is not understood");
  EXPECT_EQ(Error("\n/* no\nend"), "PTX line 5: a comment that begins here has no end");
  EXPECT_EQ(Error(".pragma \"no end\n\";"), "PTX line 4: a string has no end in its line");
  EXPECT_EQ(Error("\x01"), "PTX line 4: a character that PTX has not");
  EXPECT_EQ(Error(".section .debug { {"), "PTX line 4: '}' is expected, not the end of the text");
  EXPECT_EQ(Error(".entry k(.param .u32 a,"), "PTX line 4: '.param' is expected, not the end of the text");
  EXPECT_EQ(Error(".entry k(.param .u32 a, .param .u64 a) {}"), "PTX line 4: two parameters have the name 'a'");
}

}  // namespace
}  // namespace emu::ptx
