// Storage of registers: small kernels, and random ones that an interpreter runs with and without sharing.
#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "tests/emulator/ptx/parse.h"
#include "tools/emulator/base/random.h"

namespace emu::ptx {
namespace {

int SlotOf(const Function& function, const Allocation& allocation, const std::string& name) {
  for (std::size_t i = 0; i < function.registers.size(); ++i) {
    if (function.registers[i].name == name) return allocation.slots[i];
  }
  ADD_FAILURE() << name;
  return -1;
}

TEST(Allocation, ClassesFollowTheTypes) {
  const Function f = Statements(
      ".reg .b8 a; .reg .f16 b; .reg .b16 c; .reg .f16x2 d; .reg .f64 e; .reg .b128 g; .reg .pred q;");
  const Allocation allocation = AllocateRegisters(f);
  const std::vector<Allocation::Class> own(allocation.classes.begin() + 40, allocation.classes.end());
  EXPECT_EQ(own, (std::vector<Allocation::Class>{Allocation::kBits16, Allocation::kBits16, Allocation::kBits16,
                                                 Allocation::kBits32, Allocation::kBits64, Allocation::kBits128,
                                                 Allocation::kPredicate}));
  for (std::size_t i = 0; i < allocation.slots.size(); ++i) {
    EXPECT_GE(allocation.slots[i], 0);
    EXPECT_LT(allocation.slots[i], allocation.slot_counts[allocation.classes[i]]);
  }
}

TEST(Allocation, ValuesThatEndMakeRoom) {
  std::string text = ".reg .b32 a<100>; mov.b32 a0, 1;\n";
  for (int i = 1; i < 100; ++i)
    text += "add.s32 a" + std::to_string(i) + ", a" + std::to_string(i - 1) + ", 1;\n";
  EXPECT_EQ(AllocateRegisters(Statements(text + "st.global.b32 [%rd0], a99;")).slot_counts[Allocation::kBits32],
            2);
}

TEST(Allocation, ResultsDoNotShareWithOperands) {
  const Function f = Statements("mov.b32 %r0, 1; mov.b32 %r1, 2; shfl.sync.idx.b32 %r2|%p0, %r0, %r1, 31, -1;");
  const Allocation allocation = AllocateRegisters(f);
  const std::set<int> slots{allocation.slots[0], allocation.slots[1], allocation.slots[2]};
  EXPECT_EQ(slots.size(), 3u);
}

TEST(Allocation, GuardedWritesDoNotEndAValue) {
  const Function f = Statements(
      "mov.b32 %r0, 1; mov.b32 %r1, 5; st.b32 [%rd0], %r1; @%p0 mov.b32 %r0, 2; st.b32 [%rd0], %r0;");
  const Allocation allocation = AllocateRegisters(f);
  EXPECT_NE(allocation.slots[0], allocation.slots[1]);
  const Function plain = Statements(
      "mov.b32 %r0, 1; st.b32 [%rd0], %r0; mov.b32 %r1, 5; st.b32 [%rd0], %r1; mov.b32 %r2, 2; st.b32 [%rd0], "
      "%r2;");
  EXPECT_EQ(AllocateRegisters(plain).slot_counts[Allocation::kBits32], 1);
}

TEST(Allocation, ValuesLiveAroundLoops) {
  const Function f = Statements(
      "mov.b32 %r0, 1;\nHead: st.b32 [%rd0], %r0; mov.b32 %r1, 3; st.b32 [%rd0], %r1; @%p0 bra Head; ret;");
  const Allocation allocation = AllocateRegisters(f);
  EXPECT_NE(allocation.slots[0], allocation.slots[1]);
}

// Registers of operations that go on after the instruction, of parameters, and what an unknown instruction may write.
TEST(Allocation, WhatSharesWithNobody) {
  const Function f = Statements(
      "mov.b32 %r0, 1; st.b32 [%rd0], %r0;\n"
      "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, %rd1, %rd2, %p0, 1, 1, 0, 0;\n"
      "mov.f32 %f5, 0f00000000; st.f32 [%rd0], %f5; mov.f32 %f6, 0f00000000; st.f32 [%rd0], %f6;");
  const Allocation allocation = AllocateRegisters(f);
  EXPECT_EQ(SlotOf(f, allocation, "%f5"), SlotOf(f, allocation, "%f6"));
  for (const char* busy : {"%f0", "%f1", "%f2", "%f3"}) {
    EXPECT_NE(SlotOf(f, allocation, busy), SlotOf(f, allocation, "%f5"));
    EXPECT_NE(SlotOf(f, allocation, busy), SlotOf(f, allocation, "%r0"));
  }
  const auto module = ParseModule(
      ".func (.reg .v2 .b32 out) g(.reg .b32 in) { .reg .b32 a, b; mov.b32 a, 1; st.b32 [0], a; mov.b32 b, 2; "
      "st.b32 [0], b; ret; }");
  const Allocation parameters = AllocateRegisters(module->functions.at(0));
  EXPECT_EQ(parameters.slot_counts[Allocation::kBits32], 4);
  const std::string before = "mov.b32 %r0, 1; st.b32 [%rd0], %r0; ",
                    after = ".b32 %r1, %r2; st.b32 [%rd0], %r1;";
  EXPECT_EQ(AllocateRegisters(Statements(before + "not" + after)).slot_counts[Allocation::kBits32], 2);
  EXPECT_EQ(AllocateRegisters(Statements(before + "frobnicate" + after)).slot_counts[Allocation::kBits32], 3);
}

TEST(Allocation, NothingToDo) {
  const auto module = ParseModule(".func f; .entry k() { ret; }");
  EXPECT_TRUE(AllocateRegisters(*module->Find("f")).slots.empty());
  EXPECT_EQ(AllocateRegisters(*module->Find("k")).slot_counts, (std::array<int, 5>{}));
}

// What a run stores, until a branch depends on a register that nothing has written: empty for such values.
using Trace = std::vector<std::optional<std::uint64_t>>;

// Runs a function of mov, add, setp, selp, st and branches for one thread. Storage is a cell per register, or per slot.
class Interpreter {
 public:
  Interpreter(const Function& function, const Allocation* allocation)
      : function_(function), allocation_(allocation) {}

  Trace Run() {
    Trace trace;
    for (int step = 0, at = 0; step < 400; ++step) {
      const Instruction& instruction = function_.code[at++];
      bool runs = true;
      if (instruction.guard >= 0) {
        const auto guard = Read(instruction.guard);
        if (!guard) return trace;
        runs = (*guard != 0) != instruction.guard_negated;
      }
      if (!runs) continue;
      const auto& operands = instruction.operands;
      if (instruction.opcode == "ret") return trace;
      if (instruction.opcode == "bra") {
        at = operands[0].target;
      } else if (instruction.opcode == "brx") {
        const auto index = Read(operands[0].reg);
        if (!index) return trace;
        at = function_.tables[0].targets[*index % function_.tables[0].targets.size()].target;
      } else if (instruction.opcode == "st") {
        trace.push_back(Value(operands[1]));
      } else {
        Compute(instruction);
      }
    }
    return trace;
  }

 private:
  using Cell = std::pair<int, int>;
  Cell CellOf(int reg) const {
    if (allocation_ == nullptr) return {0, reg};
    return {allocation_->classes[reg], allocation_->slots[reg]};
  }
  std::optional<std::uint64_t> Read(int reg) const {
    const auto cell = cells_.find(CellOf(reg));
    return cell == cells_.end() ? std::nullopt : cell->second;
  }
  std::optional<std::uint64_t> Value(const Operand& operand) const {
    return operand.kind == Operand::Kind::kInteger ? std::optional(operand.bits) : Read(operand.reg);
  }

  // Results are written one by one before the next is computed, as an interpreter of vectors would.
  void Compute(const Instruction& instruction) {
    const auto& operands = instruction.operands;
    const auto mix = [&](std::uint64_t seed) {
      std::optional<std::uint64_t> sum = seed;
      for (std::size_t i = 1; i < operands.size(); ++i) {
        const auto value = Value(operands[i]);
        if (!value || !sum) return std::optional<std::uint64_t>();
        sum = Random(*sum + *value).Next();
      }
      return sum;
    };
    const auto write = [&](const Operand& operand, std::uint64_t seed) {
      auto value = mix(seed);
      if (value && function_.registers[operand.reg].type == Type::kPred) value = *value & 1;
      cells_[CellOf(operand.reg)] = value;
    };
    if (operands[0].kind == Operand::Kind::kRegister) return write(operands[0], 1);
    for (std::size_t i = 0; i < operands[0].elements.size(); ++i) write(operands[0].elements[i], 2 + i);
  }

  const Function& function_;
  const Allocation* allocation_;
  std::map<Cell, std::optional<std::uint64_t>> cells_;
};

std::string RandomKernel(Random& random) {
  const int blocks = 2 + static_cast<int>(random.Below(10));
  const auto reg = [&] { return "r" + std::to_string(random.Below(12)); };
  const auto wide = [&] { return "d" + std::to_string(random.Below(6)); };
  const auto predicate = [&] { return "p" + std::to_string(random.Below(5)); };
  const auto label = [&] { return "L" + std::to_string(random.Below(blocks)); };
  std::string text = ".reg .b32 r<12>; .reg .b64 d<6>; .reg .pred p<5>;\nT: .branchtargets " + label() + ", " +
                     label() + ";\n";
  for (int i = 0; i < 12; ++i) {
    if (random.Chance(0.8))
      text += "mov.b32 r" + std::to_string(i) + ", " + std::to_string(random.Below(100)) + ";\n";
    if (random.Chance(0.5))
      text += "setp.ne.s32 p" + std::to_string(i % 5) + ", r" + std::to_string(i) + ", 3;\n";
  }
  for (int b = 0; b < blocks; ++b) {
    text += "L" + std::to_string(b) + ":\n";
    for (std::uint32_t i = random.Below(7); i > 0; --i) {
      if (random.Chance(0.3)) text += (random.Chance(0.5) ? "@" : "@!") + predicate() + " ";
      switch (random.Below(7)) {
        case 0:
          text += "mov.b32 " + reg() + ", " + std::to_string(random.Below(100)) + ";\n";
          break;
        case 1:
          text += "add.s32 " + reg() + ", " + reg() + ", " + reg() + ";\n";
          break;
        case 2:
          text += "setp.ne.s32 " + predicate() + "|" + predicate() + ", " + reg() + ", 3;\n";
          break;
        case 3:
          text += "mov.b64 " + wide() + ", {" + reg() + "};\n";
          break;
        case 4:
          text += "add.s64 " + wide() + ", " + wide() + ", 7;\n";
          break;
        case 5:
          text += "mov.b64 {" + reg() + ", " + reg() + "}, " + wide() + ";\n";
          break;
        default:
          text += "st.b32 [0], " + (random.Chance(0.7) ? reg() : wide()) + ";\n";
      }
    }
    switch (random.Below(5)) {
      case 0:
        text += "@" + predicate() + " bra " + label() + ";\n";
        break;
      case 1:
        text += "bra " + label() + ";\n";
        break;
      case 2:
        text += "@!" + predicate() + " brx.idx " + reg() + ", T;\n";
        break;
      case 3:
        text += "@" + predicate() + " ret;\n";
        break;
      default:
        break;
    }
  }
  return text;
}

// Vector sources are one operand here: {r} reads r.
Function ReadsFlattened(Function function) {
  for (Instruction& instruction : function.code) {
    for (std::size_t i = 1; i < instruction.operands.size(); ++i) {
      if (instruction.operands[i].kind == Operand::Kind::kVector) {
        instruction.operands[i] = Operand(instruction.operands[i].elements[0]);
      }
    }
  }
  return function;
}

// How many of what the first run stored the second did not.
int Differences(const Trace& expected, const Trace& actual) {
  int differences =
      static_cast<int>(std::max(expected.size(), actual.size()) - std::min(expected.size(), actual.size()));
  for (std::size_t i = 0; i < std::min(expected.size(), actual.size()); ++i) {
    differences += expected[i].has_value() && expected[i] != actual[i];
  }
  return differences;
}

TEST(Allocation, RandomKernelsStoreTheSame) {
  Random random(3);
  int registers = 0, slots = 0, stored = 0, caught = 0;
  for (int round = 0; round < 3000; ++round) {
    const std::string text = RandomKernel(random);
    const Function function = ReadsFlattened(Statements(text));
    const Allocation allocation = AllocateRegisters(function);
    const Trace expected = Interpreter(function, nullptr).Run();
    const Trace actual = Interpreter(function, &allocation).Run();
    // A branch that depends on what nothing has written ends the first run, but need not end the second.
    ASSERT_LE(expected.size(), actual.size());
    ASSERT_EQ(Differences(expected, Trace(actual.begin(), actual.begin() + expected.size())), 0) << text;
    stored += static_cast<int>(
        std::count_if(expected.begin(), expected.end(), [](const auto& v) { return v.has_value(); }));
    registers += static_cast<int>(function.registers.size()) - 40;
    slots += allocation.slot_counts[Allocation::kBits32] + allocation.slot_counts[Allocation::kBits64] +
             allocation.slot_counts[Allocation::kPredicate];
    // The comparison notices when two registers are thrown together that should not be.
    Allocation wrong = allocation;
    for (int& slot : wrong.slots) slot = 0;
    caught += Differences(expected, Interpreter(function, &wrong).Run()) != 0;
  }
  EXPECT_GT(stored, 3000);
  EXPECT_GT(caught, 300);
  EXPECT_LT(slots, registers * 9 / 10);
}

}  // namespace
}  // namespace emu::ptx
