// All PTX of the project: the tree holds as much as a count of lines finds in the text.
#include <algorithm>
#include <charconv>
#include <string_view>

#include "tests/emulator/ptx/real_files.h"
#include "tools/emulator/ptx/module.h"

namespace emu::ptx {
namespace {

struct Counts {
  int kernels = 0, instructions = 0, guards = 0, branches = 0, registers = 0, calls = 0;
};

// "%r<10>" is 10, "%a, %b" are 2.
int Declared(std::string_view line) {
  int count = 0;
  for (std::size_t at = 0; at < line.size(); ++at) {
    if (line[at] == '<') {
      int number = 0;
      std::from_chars(line.data() + at + 1, line.data() + line.size(), number);
      count += number - 1;
    }
    count += line[at] == ',' || line[at] == ';';
  }
  return count;
}

// Counts in compilers' text, where a line has at most one instruction, which may go on in the next lines, or several
// declarations and instructions in one line of inline assembly.
Counts CountLines(const std::string& text) {
  Counts counts;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    line = line.substr(0, line.find("//"));
    counts.kernels += line.find(".entry ") != std::string::npos;
    std::istringstream statements(line);
    for (std::string statement; std::getline(statements, statement, ';');) {
      if (statements.eof()) {
        counts.guards += statement.find('@') != std::string::npos;
        counts.branches +=
            statement.find("bra.uni") != std::string::npos || statement.find("bra \t") != std::string::npos;
        break;
      }
      const std::size_t first = statement.find_first_not_of(" \t{}");
      if (first == std::string::npos) continue;
      const std::string_view rest = std::string_view(statement).substr(first);
      if (rest.starts_with(".reg")) {
        counts.registers += Declared(statement + ";");
      } else if (rest[0] != '.') {
        ++counts.instructions;
        counts.guards += rest.find('@') != std::string::npos;
        counts.branches += rest.find("bra ") != std::string::npos || rest.find("bra.uni ") != std::string::npos;
      }
    }
  }
  return counts;
}

void ExpectComplete(const RealFile& file, const Module& module) {
  const Counts expected = CountLines(file.text);
  Counts counts;
  for (const Function& function : module.functions) {
    counts.kernels += function.entry;
    counts.registers += static_cast<int>(function.registers.size());
    counts.instructions += static_cast<int>(function.code.size());
    for (const Instruction& instruction : function.code) {
      counts.guards += instruction.guard >= 0;
      counts.branches += instruction.opcode == "bra";
    }
    EXPECT_TRUE(function.max_threads[0] > 0 || function.required_threads[0] > 0) << function.name;
  }
  EXPECT_GT(counts.kernels, 0);
  EXPECT_EQ(counts.kernels, expected.kernels);
  EXPECT_EQ(counts.instructions, expected.instructions);
  EXPECT_EQ(counts.guards, expected.guards);
  EXPECT_EQ(counts.branches, expected.branches);
  EXPECT_EQ(counts.registers, expected.registers);
}

void CollectRegisters(const Operand& operand, std::vector<int>& out) {
  if (operand.kind == Operand::Kind::kRegister) out.push_back(operand.reg);
  for (const Operand& element : operand.elements) CollectRegisters(element, out);
}

void ExpectRegistersOfAnInstructionNotToShare(const Function& function) {
  const Allocation allocation = AllocateRegisters(function);
  int slots = 0;
  for (const int count : allocation.slot_counts) slots += count;
  EXPECT_LT(slots, static_cast<int>(function.registers.size()) / 4) << function.name;
  std::vector<int> registers;
  for (const Instruction& instruction : function.code) {
    registers.clear();
    if (instruction.guard >= 0) registers.push_back(instruction.guard);
    for (const Operand& operand : instruction.operands) CollectRegisters(operand, registers);
    std::sort(registers.begin(), registers.end());
    registers.erase(std::unique(registers.begin(), registers.end()), registers.end());
    std::vector<std::pair<int, int>> places;
    for (const int reg : registers) places.push_back({allocation.classes[reg], allocation.slots[reg]});
    std::sort(places.begin(), places.end());
    ASSERT_EQ(std::adjacent_find(places.begin(), places.end()), places.end()) << "line " << instruction.line;
  }
}

// How many branches' lanes meet within the function.
int MeetingsWithin(const Function& function) {
  const std::vector<int> meet = Reconvergence(function);
  EXPECT_EQ(meet.size(), function.code.size());
  int within = 0;
  for (std::size_t i = 0; i < meet.size(); ++i) {
    EXPECT_EQ(meet[i] >= 0, function.code[i].opcode == "bra");
    within += meet[i] >= 0 && meet[i] < static_cast<int>(meet.size());
  }
  return within;
}

// One test, because reading a file takes longer than all that is asked of what it says.
TEST(RealPtx, IsReadWhole) {
  for (const RealFile& file : RealFiles()) {
    SCOPED_TRACE(file.path);
    std::unique_ptr<Module> module;
    ASSERT_NO_THROW(module = Parse(file.text));
    ExpectComplete(file, *module);
    int within = 0;
    for (const Function& function : module->functions) {
      ExpectRegistersOfAnInstructionNotToShare(function);
      within += MeetingsWithin(function);
    }
    EXPECT_GT(within, 50);
  }
}

// No kernel declares what would have it read at once. The largest files have nothing that the others have not, and take the longest.
TEST(RealPtx, IsTheSameReadLater) {
  constexpr std::size_t kMost = 10000000;
  for (const RealFile& file : RealFiles()) {
    SCOPED_TRACE(file.path);
    const auto module = ParseAllButKernels(file.text);
    for (const Function& function : module->functions)
      EXPECT_EQ(function.unread, function.entry) << function.name;
    if (file.text.size() > kMost) continue;
    for (const Function& function : module->functions) module->Complete(function);
    ExpectComplete(file, *module);
  }
}

}  // namespace
}  // namespace emu::ptx
