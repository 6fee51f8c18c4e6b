#include "tools/emulator/ptx/control_flow.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>

namespace emu::ptx {
namespace {

Leave LeaveOf(const Instruction& instruction) {
  if (instruction.opcode == "ret") return Leave::kReturn;
  if (instruction.opcode == "exit") return Leave::kExit;
  if (instruction.opcode == "trap") return Leave::kTrap;
  return Leave::kNone;
}

bool IsBranch(const Instruction& instruction) {
  return instruction.opcode == "bra" || instruction.opcode == "brx";
}

class Builder {
 public:
  explicit Builder(const Function& function)
      : function_(function), size_(static_cast<int>(function.code.size())) {
    for (const Table& table : function.tables) tables_.emplace(table.label, &table);
  }

  std::vector<Block> Run() {
    FindBlocks();
    for (Block& block : blocks_) Connect(block);
    return std::move(blocks_);
  }

 private:
  // Calls `visit` with the index of each instruction that the branch may go to.
  template <class Visit>
  void Targets(const Instruction& instruction, Visit visit) const {
    const auto one = [&](const Operand& operand) {
      if (operand.kind == Operand::Kind::kLabel && operand.target >= 0 && operand.target < size_)
        visit(operand.target);
    };
    for (const Operand& operand : instruction.operands) {
      one(operand);
      const auto table = operand.kind == Operand::Kind::kLabel ? tables_.find(operand.name) : tables_.end();
      if (operand.target >= 0 || table == tables_.end()) continue;
      for (const Operand& target : table->second->targets) one(target);
    }
  }

  void FindBlocks() {
    std::vector<bool> begins(static_cast<std::size_t>(size_) + 1, false);
    begins[0] = true;
    for (int i = 0; i < size_; ++i) {
      const Instruction& instruction = function_.code[static_cast<std::size_t>(i)];
      const bool branch = IsBranch(instruction);
      if (branch) Targets(instruction, [&](int target) { begins[static_cast<std::size_t>(target)] = true; });
      if (branch || LeaveOf(instruction) != Leave::kNone) begins[static_cast<std::size_t>(i) + 1] = true;
    }
    block_of_.resize(static_cast<std::size_t>(size_));
    for (int i = 0; i < size_; ++i) {
      if (begins[static_cast<std::size_t>(i)]) blocks_.emplace_back().begin = i;
      blocks_.back().end = i + 1;
      block_of_[static_cast<std::size_t>(i)] = static_cast<int>(blocks_.size()) - 1;
    }
  }

  void Connect(Block& block) {
    const Instruction& last = function_.code[static_cast<std::size_t>(block.end) - 1];
    block.leave = LeaveOf(last);
    const bool branch = IsBranch(last);
    if (branch) Targets(last, [&](int target) { Add(block, target); });
    const bool falls_through = last.guard >= 0 || (!branch && block.leave == Leave::kNone);
    if (!falls_through) return;
    if (block.end < size_) {
      Add(block, block.end);
    } else if (block.leave == Leave::kNone) {
      block.leave = Leave::kReturn;
    }
  }

  void Add(Block& block, int instruction) {
    const int to = block_of_[static_cast<std::size_t>(instruction)];
    const auto known = std::find(block.successors.begin(), block.successors.end(), to);
    if (known == block.successors.end()) block.successors.push_back(to);
  }

  const Function& function_;
  int size_;
  std::unordered_map<std::string_view, const Table*> tables_;
  std::vector<Block> blocks_;
  std::vector<int> block_of_;
};

}  // namespace

std::vector<Block> ControlFlow(const Function& function) {
  if (function.code.empty()) return {};
  return Builder(function).Run();
}

}  // namespace emu::ptx
