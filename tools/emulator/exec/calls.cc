#include "tools/emulator/exec/calls.h"

#include <algorithm>
#include <cstring>

#include "tools/emulator/exec/builtins.h"
#include "tools/emulator/exec/program.h"
#include "tools/emulator/exec/program_builder.h"
#include "tools/emulator/exec/state.h"
#include "tools/emulator/exec/warp_lanes.h"

namespace emu {
namespace {

using Kind = ptx::Operand::Kind;

struct CallDetails : Details {
  const Program* program = nullptr;
  int callee = -1;                        // -1: at run time, from at[0]
  std::vector<Place> arguments, results;  // the caller's
};

const CallDetails& DetailsOf(const Op& op) { return *static_cast<const CallDetails*>(op.details); }

// Where the lane's bytes at `place` are.
std::byte* At(Warp& warp, const Op& op, const Place& place, std::uint32_t lane, std::uint32_t bytes) {
  if (!place.local) return warp.Lanes<std::byte>(place.at) + static_cast<std::size_t>(lane) * place.bytes;
  const std::uint64_t address = warp.Lanes<std::uint64_t>(place.at)[lane];
  if (address > warp.local_bytes || bytes > warp.local_bytes - address) {
    warp.Fail(FindingKind::kOutOfBounds, op, lane,
              "an argument outside of local memory: the stack is too deep");
  }
  return warp.local.data() + std::size_t{lane} * warp.local_bytes + address;
}

using Values = std::vector<std::byte>;

Values Read(Warp& warp, const Op& op, const std::vector<Place>& places, LaneMask lanes) {
  std::size_t bytes = 0;
  for (const Place& place : places) bytes += place.bytes;
  Values values(bytes * kWarpSize);
  std::byte* to = values.data();
  for (const Place& place : places) {
    for (std::uint32_t lane : Each(lanes)) {
      std::memcpy(to + std::size_t{lane} * place.bytes, At(warp, op, place, lane, place.bytes), place.bytes);
    }
    to += std::size_t{place.bytes} * kWarpSize;
  }
  return values;
}

// Writes what was read from `from` to `to`, place by place; a longer place keeps its other bytes.
void Write(Warp& warp, const Op& op, const Values& values, const std::vector<Place>& from,
           const std::vector<Place>& to, LaneMask lanes) {
  const std::byte* at = values.data();
  for (std::size_t i = 0; i < from.size(); ++i) {
    const std::uint32_t bytes = i < to.size() ? std::min(from[i].bytes, to[i].bytes) : 0;
    for (std::uint32_t lane : Each(bytes > 0 ? lanes : 0)) {
      std::memcpy(At(warp, op, to[i], lane, bytes), at + std::size_t{lane} * from[i].bytes, bytes);
    }
    at += std::size_t{from[i].bytes} * kWarpSize;
  }
}

std::size_t ColumnBytes(const Callee::Columns& columns) {
  return columns.bytes == 0 ? sizeof(LaneMask) : std::size_t{columns.bytes} * kWarpSize;
}

// Keeps the callee's registers, which an outer call of it may still need, and gives it a frame on the stack.
void Push(Warp& warp, const Op& op, const Callee& callee, LaneMask lanes, Join* join) {
  auto saved = std::make_unique<SavedLanes>();
  for (const Callee::Columns& columns : callee.registers) {
    const std::byte* from = warp.Lanes<std::byte>(columns.begin);
    saved->bytes.insert(saved->bytes.end(), from, from + columns.count * ColumnBytes(columns));
  }
  std::vector<std::uint32_t>& stack = warp.exec->stack;
  if (stack.empty()) stack.assign(kWarpSize, warp.grid().program->stack_begin);
  saved->stack = stack;
  for (std::uint32_t lane : Each(lanes)) {
    for (const Callee::Local& local : callee.frame)
      warp.Lanes<std::uint64_t>(local.at)[lane] = stack[lane] + local.offset;
    stack[lane] += callee.frame_bytes;
    if (stack[lane] > warp.grid().program->local_bytes) {
      warp.Fail(FindingKind::kOutOfBounds, op, lane, "the stack of a recursive function has no more room");
    }
  }
  join->saved = std::move(saved);
}

void Pop(Warp& warp, const Callee& callee, LaneMask lanes, const SavedLanes& saved) {
  const std::byte* from = saved.bytes.data();
  for (const Callee::Columns& columns : callee.registers) {
    for (std::uint32_t i = 0; i < columns.count; ++i) {
      const auto at = static_cast<std::uint32_t>(columns.begin + i * ColumnBytes(columns));
      if (columns.bytes == 0) {
        LaneMask before;
        std::memcpy(&before, from, sizeof(before));
        warp.Mask(at) = (warp.Mask(at) & ~lanes) | (before & lanes);
      } else {
        for (std::uint32_t lane : Each(lanes)) {
          const std::size_t offset = std::size_t{lane} * columns.bytes;
          std::memcpy(warp.Lanes<std::byte>(at) + offset, from + offset, columns.bytes);
        }
      }
      from += ColumnBytes(columns);
    }
  }
  for (std::uint32_t lane : Each(lanes)) warp.exec->stack[lane] = saved.stack[lane];
}

int Target(const Warp& warp, const Op& op, std::uint32_t lane) {
  const std::uint64_t address = warp.Lanes<std::uint64_t>(op.at[0])[lane];
  const std::uint64_t index = (address - kCodeWindow) / 16 - 1;
  const auto& callees = DetailsOf(op).program->callees;
  if (!InWindow(address, kCodeWindow) || address % 16 != 0 || index >= callees.size() || !callees[index]) {
    warp.Fail(FindingKind::kOutOfBounds, op, lane, "calls an address that is of no function");
  }
  return static_cast<int>(index);
}

Flow Call(Warp& warp, const Op& op) {
  Fragments& fragments = warp.exec->fragments;
  const CallDetails& call = DetailsOf(op);
  const int here = IndexOf(warp, op);
  LaneMask lanes = warp.active();
  int index = call.callee;
  if (index < 0) {
    index = Target(warp, op, FirstLane(lanes));
    for (std::uint32_t lane : Each(lanes)) {
      if (Target(warp, op, lane) != index) lanes &= ~(1u << lane);
    }
  }
  // Whoever calls something else, or nothing, comes after.
  if (lanes != fragments.current().mask) {
    const int others_to = lanes == warp.active() ? here + 1 : here;
    fragments.Branch(lanes, here, others_to, here + 1, true);
    return Flow::kMoved;
  }
  const Callee& callee = *call.program->callees[index];
  const Values arguments = Read(warp, op, call.arguments, lanes);
  if (callee.builtin != Callee::Builtin::kNone) {
    Values results;
    CallBuiltin(warp, op, callee, arguments, call.arguments, lanes, &results);
    if (!call.results.empty() && results.size() == std::size_t{call.results[0].bytes} * kWarpSize) {
      Write(warp, op, results, call.results, call.results, lanes);
    }
    return Flow::kNext;
  }
  Join& join = fragments.Call(&op, lanes, callee.entry, here + 1, here + 1);
  join.callee = index;
  if (callee.recursive) Push(warp, op, callee, lanes, &join);
  Write(warp, op, arguments, call.arguments, callee.params, lanes);
  return Flow::kMoved;
}

Flow Exit(Warp& warp, const Op& op) {
  ExitLanes(warp, warp.active(), IndexOf(warp, op) + 1);
  return Flow::kMoved;
}

Flow Return(Warp& warp, const Op& op) {
  Fragments& fragments = warp.exec->fragments;
  const int frame = fragments.current().frame;
  if (frame < 0) return Exit(warp, op);
  const LaneMask lanes = warp.active();
  const Join& join = fragments.joins()[frame];
  const Op& by = *join.call;
  const Callee& callee = *DetailsOf(by).program->callees[join.callee];
  const Values results = Read(warp, by, callee.results, lanes);
  if (join.saved) Pop(warp, callee, lanes, *join.saved);
  Write(warp, by, results, callee.results, DetailsOf(by).results, lanes);
  fragments.Return(lanes, IndexOf(warp, op) + 1);
  return Flow::kMoved;
}

}  // namespace

// call{.uni} (results), function, (arguments){, prototype};
Op LowerCall(const ptx::Instruction& instruction, Lowering& lowering) {
  auto& calls = dynamic_cast<CallLowering&>(lowering);
  const std::vector<ptx::Operand>& operands = instruction.operands;
  std::size_t next = 0;
  const ptx::Operand* results = nullptr;
  const ptx::Operand* arguments = nullptr;
  if (next < operands.size() && operands[next].kind == Kind::kList) results = &operands[next++];
  if (next >= operands.size()) lowering.Refuse("it calls nothing");
  const ptx::Operand& target = operands[next++];
  if (next < operands.size() && operands[next].kind == Kind::kList) arguments = &operands[next++];
  Op op;
  op.run = Call;
  CallDetails details;
  details.program = calls.program();
  const ptx::Function* formal = nullptr;
  if (target.kind == Kind::kRegister) {
    if (ptx::SizeOf(lowering.RegisterType(target)) != 8)
      lowering.Refuse("calls an address that has not 64 bits");
    op.at[0] = lowering.Source(target, ptx::Type::kU64);
    calls.IndirectCall();
  } else {
    details.callee = calls.Function(target);
    if (details.callee < 0) lowering.Refuse("calls " + target.name + ", which this module does not declare");
    formal = &lowering.module().functions[static_cast<std::size_t>(details.callee)];
  }
  const auto places = [&](const ptx::Operand* list, const std::vector<ptx::Variable>* formals) {
    std::vector<Place> result;
    for (std::size_t i = 0; list != nullptr && i < list->elements.size(); ++i) {
      const ptx::Variable* variable = formals != nullptr && i < formals->size() ? &(*formals)[i] : nullptr;
      result.push_back(calls.Argument(list->elements[i], variable));
    }
    return result;
  };
  details.arguments = places(arguments, formal != nullptr ? &formal->params : nullptr);
  details.results = places(results, formal != nullptr ? &formal->results : nullptr);
  if (formal != nullptr &&
      (details.arguments.size() != formal->params.size() || details.results.size() > formal->results.size())) {
    lowering.Refuse("another number of arguments or results than " + target.name + " has");
  }
  op.details = lowering.Make(std::move(details));
  return op;
}

Op LowerReturn(const ptx::Instruction&, Lowering&) {
  Op op;
  op.run = Return;
  return op;
}

Op LowerExit(const ptx::Instruction&, Lowering&) {
  Op op;
  op.run = Exit;
  return op;
}

Op FallOffTheEnd(bool entry) {
  Op op;
  op.run = entry ? Exit : Return;
  op.name = entry ? "exit" : "ret";
  return op;
}

}  // namespace emu
