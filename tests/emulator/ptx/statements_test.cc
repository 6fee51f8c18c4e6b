// Instructions, operands, scopes and labels.
#include "tests/emulator/ptx/parse.h"

namespace emu::ptx {
namespace {

using Kind = Operand::Kind;

// Registers of ParseStatements.
constexpr int kR = 0, kRd = 10, kF = 20, kP = 30;

std::string Error(const std::string& statements) {
  try {
    ParseStatements(statements);
  } catch (const SyntaxError& error) {
    EXPECT_GE(error.line(), kFirstStatementLine) << error.what();
    const std::string text = error.what();
    return std::to_string(error.line() - kFirstStatementLine) + text.substr(text.find(':'));
  }
  return "";
}

TEST(Instructions, NamesAndModifiers) {
  const Instruction instruction =
      One("cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes\n.L2::cache_hint [%r1], "
          "[%rd2, {%r3, %r4, 0}], [%r5], %rd6;");
  EXPECT_EQ(instruction.opcode, "cp");
  EXPECT_EQ(instruction.modifiers,
            (std::vector<std::string>{"async", "bulk", "tensor", "3d", "shared::cluster", "global",
                                      "mbarrier::complete_tx::bytes", "L2::cache_hint"}));
  EXPECT_EQ(instruction.Name(),
            "cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint");
  EXPECT_TRUE(instruction.Has("3d"));
  EXPECT_FALSE(instruction.Has("3"));
  EXPECT_EQ(instruction.line, kFirstStatementLine);
  ASSERT_EQ(instruction.operands.size(), 4u);
  const Operand& map = instruction.operands[1];
  EXPECT_EQ(map.kind, Kind::kAddress);
  ASSERT_EQ(map.elements.size(), 2u);
  EXPECT_EQ(map.elements[0].reg, kRd + 2);
  EXPECT_EQ(map.elements[1].kind, Kind::kVector);
  EXPECT_EQ(map.elements[1].elements.at(1).reg, kR + 4);
  EXPECT_EQ(map.elements[1].elements.at(2).kind, Kind::kInteger);
}

TEST(Instructions, GuardsAndLines) {
  const Function f = Statements("@%p1 mov.u32 %r0, 1;\n\n@!%p2\nmov.u32 %r0, /* 2 */ 3; ret;");
  ASSERT_EQ(f.code.size(), 3u);
  EXPECT_EQ(f.code[0].guard, kP + 1);
  EXPECT_FALSE(f.code[0].guard_negated);
  EXPECT_EQ(f.code[1].guard, kP + 2);
  EXPECT_TRUE(f.code[1].guard_negated);
  EXPECT_EQ(f.code[1].line, kFirstStatementLine + 3);
  EXPECT_EQ(f.code[1].operands.at(1).bits, 3u);
  EXPECT_EQ(f.code[2].guard, -1);
}

TEST(Operands, Registers) {
  const auto operands = One("setp.lt.and.f32 %p0|%p1, %f2, -%f3, !%p4;").operands;
  ASSERT_EQ(operands.size(), 4u);
  EXPECT_EQ(operands[0].kind, Kind::kPair);
  EXPECT_EQ(operands[0].elements.at(0).reg, kP);
  EXPECT_EQ(operands[0].elements.at(1).reg, kP + 1);
  EXPECT_EQ(operands[1].reg, kF + 2);
  EXPECT_TRUE(operands[2].negated);
  EXPECT_EQ(operands[2].reg, kF + 3);
  EXPECT_TRUE(operands[3].negated);
  EXPECT_EQ(operands[3].reg, kP + 4);
  const auto sinks = One("elect.sync _|%p1, -1;").operands;
  EXPECT_EQ(sinks[0].elements.at(0).kind, Kind::kSink);
  EXPECT_EQ(sinks[1].bits, ~0ull);
  const Operand part = One("vadd.s32.s32.s32 %r0, %r1.b0, %r2.h1;").operands.at(2);
  EXPECT_EQ(part.reg, kR + 2);
  EXPECT_EQ(part.name, "h1");
}

TEST(Operands, SpecialRegisters) {
  for (const char* name :
       {"%tid.x", "%nctaid.z", "%laneid", "%clock64", "%cluster_ctarank", "%lanemask_lt", "%envreg31",
        "%globaltimer_lo", "%dynamic_smem_size", "%is_explicit_cluster", "%pm7", "%pm0_64", "%tid"}) {
    const Operand operand = One(std::string("mov.u32 %r0, ") + name + ";").operands.at(1);
    EXPECT_EQ(operand.kind, Kind::kSpecial) << name;
    EXPECT_EQ(operand.name, name);
  }
  EXPECT_EQ(Error("mov.u32 %r0, %tid.q;"), "0: the register '%tid.q' is not declared");
  EXPECT_EQ(Error("mov.u32 %r0, %envreg32;"), "0: the register '%envreg32' is not declared");
}

TEST(Operands, Addresses) {
  const auto address = [](const std::string& text) { return One("ld.u32 %r0, " + text + ";").operands.at(1); };
  EXPECT_EQ(address("[%rd1]").elements.at(0).reg, kRd + 1);
  EXPECT_EQ(address("[%rd1]").bits, 0u);
  EXPECT_EQ(address("[%rd1+4]").bits, 4u);
  EXPECT_EQ(address("[%rd1+-4]").bits, static_cast<std::uint64_t>(-4));
  EXPECT_EQ(address("[%rd1-8]").bits, static_cast<std::uint64_t>(-8));
  EXPECT_EQ(address("[%rd1 + 4*(2+1)]").bits, 12u);
  EXPECT_EQ(address("[ 16 ]").bits, 16u);
  EXPECT_TRUE(address("[16]").elements.empty());
  EXPECT_EQ(address("[p]").elements.at(0).kind, Kind::kSymbol);
  EXPECT_EQ(address("[p]").elements.at(0).name, "p");
  EXPECT_EQ(address("[p+8]").bits, 8u);
  EXPECT_EQ(address("[p+8]").elements.at(0).bits, 0u);
}

TEST(Operands, SymbolsAndArrays) {
  const auto module = ParseModule(
      ".global .v2 .u32 a[8];\n.entry k() {\n.reg .b64 r; .reg .b32 s; .shared .b16 h[4];\n"
      "mov.u64 r, a; mov.u64 r, a+4; mov.u64 r, a[3]; ld.global.u32 s, a[2]; ld.shared.u16 s, [h+2]; mov.u64 "
      "r, k; }");
  const auto& code = module->functions.at(0).code;
  EXPECT_EQ(code[0].operands.at(1).kind, Kind::kSymbol);
  EXPECT_EQ(code[0].operands[1].name, "a");
  EXPECT_EQ(code[1].operands.at(1).bits, 4u);
  EXPECT_EQ(code[2].operands.at(1).kind, Kind::kSymbol);
  EXPECT_EQ(code[2].operands[1].bits, 24u) << "the fourth element of 8 bytes";
  EXPECT_EQ(code[3].operands.at(1).kind, Kind::kAddress);
  EXPECT_EQ(code[3].operands[1].bits, 16u);
  EXPECT_EQ(code[4].operands.at(1).elements.at(0).name, "h");
  EXPECT_EQ(code[5].operands.at(1).name, "k");
}

TEST(Operands, VectorRegisters) {
  const Function f = Statements(
      ".reg .v4 .f32 v<2>; .reg .v2 .u16 w; mov.f32 v1.y, %f0; ld.v4.f32 v0, [%rd0]; mov.u16 w.g, w.x;");
  const int first = 40;
  EXPECT_EQ(f.registers.at(first + 5).name, "v1.y");
  EXPECT_EQ(f.registers.at(first + 8).type, Type::kU16);
  EXPECT_EQ(f.code[0].operands.at(0).reg, first + 5);
  EXPECT_EQ(f.code[1].operands.at(0).kind, Kind::kVector);
  ASSERT_EQ(f.code[1].operands[0].elements.size(), 4u);
  EXPECT_EQ(f.code[1].operands[0].elements[3].reg, first + 3);
  EXPECT_EQ(f.code[2].operands.at(0).reg, first + 9);
  EXPECT_EQ(f.code[2].operands.at(1).reg, first + 8);
  EXPECT_EQ(Error(".reg .v2 .f32 v; mov.f32 v.z, %f0;"), "0: the vector 'v' has no component '.z'");
}

TEST(Registers, RangesWithDigits) {
  const Function f = Statements(".reg .b32 a1<3>, a<5>; mov.b32 a12, a2; mov.b32 a10, a0;");
  ASSERT_EQ(f.registers.size(), 48u);
  EXPECT_EQ(f.registers.at(42).name, "a12");
  EXPECT_EQ(f.code[0].operands.at(0).reg, 42);
  EXPECT_EQ(f.code[0].operands.at(1).reg, 45);
  EXPECT_EQ(f.code[1].operands.at(0).reg, 40);
  EXPECT_EQ(f.code[1].operands.at(1).reg, 43);
  EXPECT_EQ(Error(".reg .b32 a1<3>, a<5>; mov.b32 a13, 0;"), "0: 'a13' is not declared");
}

TEST(Scopes, NamesShadow) {
  const Function f = Statements(
      "{ .reg .b32 %r1, t; mov.b32 %r1, 1; { .reg .f32 t; mov.f32 t, 0f00000000; } mov.b32 t, 2; }\nmov.b32 "
      "%r1, 3;");
  EXPECT_EQ(f.code[0].operands.at(0).reg, 40);
  EXPECT_EQ(f.code[1].operands.at(0).reg, 42);
  EXPECT_EQ(f.registers.at(42).type, Type::kF32);
  EXPECT_EQ(f.code[2].operands.at(0).reg, 41);
  EXPECT_EQ(f.code[3].operands.at(0).reg, kR + 1);
  EXPECT_EQ(Error("{ .reg .b32 t; }\nmov.b32 %r0, t;"), "1: 't' is not declared");
  EXPECT_EQ(Error(".reg .b32 t;\n.reg .b32 t;"), "1: 't' is declared twice");
}

TEST(Scopes, VariablesGetUniqueNames) {
  const auto module = ParseModule(
      ".global .u32 g;\n.entry k() {\n.reg .b32 r;\n"
      "{ .param .b32 a; st.param.b32 [a+0], r; }\n{ .param .b64 a; ld.param.b32 r, [a]; }\n"
      "ld.u32 r, [g]; { .shared .u32 g; ld.u32 r, [g]; } ld.u32 r, [g]; .global .u32 s; ld.u32 r, [s]; }\n"
      ".entry j() { .global .u32 s; }");
  const Function& f = module->functions.at(0);
  ASSERT_EQ(f.variables.size(), 3u);
  EXPECT_NE(f.variables[0].name, f.variables[1].name);
  EXPECT_EQ(f.code[0].operands.at(0).elements.at(0).name, f.variables[0].name);
  EXPECT_EQ(f.code[1].operands.at(1).elements.at(0).name, f.variables[1].name);
  EXPECT_EQ(f.code[2].operands.at(1).elements.at(0).name, "g");
  EXPECT_EQ(f.code[3].operands.at(1).elements.at(0).name, f.variables[2].name);
  EXPECT_NE(f.variables[2].name, "g");
  EXPECT_EQ(f.code[4].operands.at(1).elements.at(0).name, "g");
  ASSERT_EQ(module->variables.size(), 3u) << "global variables of functions are the module's";
  EXPECT_NE(module->variables[1].name, module->variables[2].name);
}

TEST(Labels, AreResolvedInTheirScope) {
  const Function f = Statements(
      "{ L: mov.u32 %r0, 1; @%p0 bra L; @%p1 bra D; D: }\n{ L: add.u32 %r0, %r0, 1; bra.uni D;\nD: }\nbra "
      "End;\nEnd: L2:");
  ASSERT_EQ(f.code.size(), 7u);
  EXPECT_EQ(f.code[1].operands.at(0).kind, Kind::kLabel);
  EXPECT_EQ(f.code[1].operands[0].target, 0);
  EXPECT_EQ(f.code[2].operands.at(0).target, 3);
  EXPECT_EQ(f.code[4].operands.at(0).target, 5);
  EXPECT_EQ(f.code[5].operands.at(0).target, 6);
  EXPECT_EQ(f.code[6].opcode, "ret") << "a label at the end has an instruction";
  EXPECT_EQ(f.code[6].line, kFirstStatementLine + 5);
  EXPECT_EQ(Error("ret;\nbra Nowhere;"), "1: 'Nowhere' is not declared");
  EXPECT_EQ(Error("{ L: ret; }\nbra L;"), "1: 'L' is not declared");
  EXPECT_EQ(Error("L: ret;\nL: ret;"), "1: the label 'L' occurs twice");
}

TEST(Labels, Tables) {
  const Function f = Statements("T: .branchtargets A, B, A;\nbrx.idx %r0, T;\nA: ret;\nB: exit;");
  ASSERT_EQ(f.tables.size(), 1u);
  EXPECT_EQ(f.tables[0].label, "T");
  ASSERT_EQ(f.tables[0].targets.size(), 3u);
  EXPECT_EQ(f.tables[0].targets[1].target, 2);
  EXPECT_EQ(f.tables[0].targets[2].target, 1);
  EXPECT_EQ(f.code[0].operands.at(1).kind, Kind::kLabel);
  EXPECT_EQ(f.code[0].operands[1].name, "T");
  EXPECT_EQ(f.code[0].operands[1].target, -1);
  EXPECT_EQ(Error("T: .branchtargets A;\nbrx.idx %r0, T;"), "0: 'A' is not declared");
  EXPECT_EQ(Error("A: brx.idx %r0, A;"), "0: the target of 'brx' must be a list of .branchtargets");
  EXPECT_EQ(Error("bra %r0;"), "0: '%r0' is not declared");
  EXPECT_EQ(Error("bra k;"), "0: the target of 'bra' must be a label");
  EXPECT_EQ(Error("T: .branchtargets T;\nbrx.idx %r0, T;"), "1: a target of 'brx' must be a label");
}

TEST(Calls, Forms) {
  const auto module = ParseModule(
      ".func (.param .b32 r) f(.param .b32 a, .param .b64 b);\n.func g;\n.entry k() {\n.reg .b64 x;\n"
      ".param .b32 a; .param .b64 b; .param .b32 r;\n"
      "call.uni (r), f, (a, b);\ncall g;\ncall g, ();\nP: .callprototype (.param .b32 _) _ (.param .b32 _, "
      ".param .align 8 .b8 _[16]) .noreturn;\n"
      "call (r), x, (a, b), P;\nC: .calltargets f, g;\n}");
  const Function& k = *module->Find("k");
  const auto& direct = k.code[0].operands;
  ASSERT_EQ(direct.size(), 3u);
  EXPECT_EQ(direct[0].kind, Kind::kList);
  EXPECT_EQ(direct[0].elements.at(0).name, "r");
  EXPECT_EQ(direct[1].kind, Kind::kSymbol);
  EXPECT_EQ(direct[1].name, "f");
  ASSERT_EQ(direct[2].elements.size(), 2u);
  EXPECT_EQ(k.code[1].operands.size(), 1u);
  EXPECT_EQ(k.code[2].operands.at(1).kind, Kind::kList);
  EXPECT_TRUE(k.code[2].operands[1].elements.empty());
  const auto& indirect = k.code[3].operands;
  ASSERT_EQ(indirect.size(), 4u);
  EXPECT_EQ(indirect[1].kind, Kind::kRegister);
  EXPECT_EQ(indirect[3].kind, Kind::kLabel);
  EXPECT_EQ(indirect[3].name, "P");
  EXPECT_EQ(k.tables.at(1).targets.at(1).kind, Kind::kSymbol);
}

TEST(Statements, Errors) {
  EXPECT_EQ(Error("mov.u32 %r0 1;"), "0: ',' or ';' after an operand of 'mov' is expected, not '1'");
  EXPECT_EQ(Error("mov.u32 %r0, ;"), "0: an operand of 'mov' is expected, not ';'");
  EXPECT_EQ(Error("mov.u32 %r10, 1;"), "0: the register '%r10' is not declared");
  EXPECT_EQ(Error("mov.u32 %r01, 1;"), "0: the register '%r01' is not declared");
  EXPECT_EQ(Error("mov.u32\n%r0,\nfoo;"), "2: 'foo' is not declared");
  EXPECT_EQ(Error("@%r1 ret;"), "0: the guard '%r1' is not a predicate");
  EXPECT_EQ(Error("@q ret;"), "0: the guard 'q' is not declared");
  EXPECT_EQ(Error("ld.u32 %r0, [%r1+%r2];"), "0: a constant is expected, not '%r2'");
  EXPECT_EQ(Error("ld.u32 %r0, [%tid.x];"), "0: an address begins with a register, a variable or a number");
  EXPECT_EQ(Error("ld.u32 %r0, [%rd1;"), "0: ']' after an address is expected, not ';'");
  EXPECT_EQ(Error("ld.u32 %r0, [4, %r1];"),
            "0: the first of several operands of an address must be a register or a variable");
  EXPECT_EQ(Error("mov.b64 %rd0, {%r0, %r1;"), "0: '}' after an operand of 'mov' is expected, not ';'");
  EXPECT_EQ(Error("mov.b32 %r0, -_;"), "0: '_' is negated, but is no register");
  EXPECT_EQ(Error("mov.b32 %r0, %r1.x;"), "0: '%r1' has no part '.x'");
  EXPECT_EQ(Error(".reg .b32 q<2000000>;"), "0: too many registers");
  EXPECT_EQ(Error(".reg .b32 q<1048570>;"), "0: the function has too many registers");
  EXPECT_EQ(Error(".bogus;"), "0: the directive '.bogus' in a function is not understood");
  EXPECT_EQ(Error(", ret;"), "0: a statement of 'k' is expected, not ','");
  EXPECT_EQ(Error("mov.b32 %r0, " + std::string(100000, '{')),
            "0: brackets or operators are nested too deeply");
  EXPECT_EQ(ErrorOf(kPrologue + ".entry k() {\n"),
            "PTX line 5: a statement of 'k' is expected, not the end of the text");
}

}  // namespace
}  // namespace emu::ptx
