#include "tools/emulator/exec/branch.h"

#include <fmt/core.h>

#include "tools/emulator/exec/machine.h"
#include "tools/emulator/exec/program_builder.h"
#include "tools/emulator/exec/state.h"

namespace emu {
namespace {

using Kind = ptx::Operand::Kind;

// Which side of a branch goes first.
bool TakenFirst(Warp& warp) { return warp.machine().seed() != 0 && warp.machine().random().Below(2) != 0; }

// imm: 1 for .uni.
Flow Branch(Warp& warp, const Op& op) {
  Fragments& fragments = warp.exec->fragments;
  const LaneMask taken = warp.active();
  if (taken == fragments.current().mask) {
    fragments.current().pc = op.target;
    return Flow::kMoved;
  }
  if (op.imm != 0) {
    warp.Fail(FindingKind::kDivergence, op, FirstLane(taken),
              "some lanes take a branch that is .uni and others do not");
  }
  fragments.Branch(taken, op.target, IndexOf(warp, op) + 1, op.reconvergence, TakenFirst(warp));
  return Flow::kMoved;
}

struct TableDetails : Details {
  std::vector<std::int32_t> targets;
};

// at[0]: the index into the table.
Flow IndexedBranch(Warp& warp, const Op& op) {
  const auto& targets = static_cast<const TableDetails*>(op.details)->targets;
  const std::uint32_t* index = warp.Lanes<std::uint32_t>(op.at[0]);
  const LaneMask lanes = warp.active();
  for (std::uint32_t lane : Each(lanes)) {
    if (index[lane] >= targets.size()) {
      warp.Fail(FindingKind::kBadOperand, op, lane,
                fmt::format("index {} into a table of {}", index[lane], targets.size()));
    }
  }
  const std::int32_t target = targets[index[FirstLane(lanes)]];
  LaneMask same = 0;
  for (std::uint32_t lane : Each(lanes)) {
    if (targets[index[lane]] == target) same |= 1u << lane;
  }
  Fragments& fragments = warp.exec->fragments;
  if (same == fragments.current().mask) {
    fragments.current().pc = target;
    return Flow::kMoved;
  }
  // The others look again; where the guard is false they go on.
  const int here = IndexOf(warp, op);
  fragments.Branch(same, target, same == lanes ? here + 1 : here, op.reconvergence, same == lanes);
  return Flow::kMoved;
}

Flow Trap(Warp& warp, const Op& op) {
  warp.Fail(FindingKind::kTrap, op, FirstLane(warp.active()), "the kernel stops itself");
}

Flow Nothing(Warp&, const Op&) { return Flow::kNext; }

}  // namespace

// bra{.uni} label;
Op LowerBranch(const ptx::Instruction& instruction, Lowering& lowering) {
  Op op;
  if (instruction.operands.size() != 1 || instruction.operands[0].kind != Kind::kLabel)
    lowering.Refuse("an unknown form");
  op.run = Branch;
  op.imm = instruction.Has("uni") ? 1 : 0;
  op.target = instruction.operands[0].target;
  return op;
}

// brx.idx{.uni} index, table;
Op LowerIndexedBranch(const ptx::Instruction& instruction, Lowering& lowering) {
  Op op;
  if (!instruction.Has("idx") || instruction.operands.size() != 2) lowering.Refuse("an unknown form");
  const std::string& name = instruction.operands[1].name;
  auto details = std::make_unique<TableDetails>();
  const ptx::Table* table = nullptr;
  for (const ptx::Table& one : lowering.function().tables) {
    if (one.label == name) table = &one;
  }
  if (table == nullptr) lowering.Refuse("no table of targets named " + name);
  details->targets.resize(table->targets.size());
  auto& labels = dynamic_cast<CallLowering&>(lowering);
  for (std::size_t i = 0; i < table->targets.size(); ++i) {
    if (table->targets[i].kind != Kind::kLabel) lowering.Refuse("a target that is no label");
    labels.Label(table->targets[i].target, &details->targets[i]);
  }
  op.run = IndexedBranch;
  op.at[0] = lowering.Source(instruction.operands[0], ptx::Type::kU32);
  op.details = lowering.Keep(std::move(details));
  return op;
}

Op LowerTrap(const ptx::Instruction&, Lowering&) {
  Op op;
  op.run = Trap;
  return op;
}

Op LowerNothing(const ptx::Instruction& instruction, Lowering& lowering) {
  Op op;
  op.run = Nothing;
  if (instruction.opcode == "nanosleep" && instruction.operands.size() != 1) lowering.Refuse("an unknown form");
  return op;
}

}  // namespace emu
