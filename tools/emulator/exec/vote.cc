// vote, match, redux, activemask (PTX ISA, "Parallel Synchronization and Communication Instructions").
#include <cmath>
#include <cstring>

#include "tools/emulator/check/checker.h"
#include "tools/emulator/exec/barriers.h"
#include "tools/emulator/exec/collective.h"
#include "tools/emulator/exec/shuffle.h"
#include "tools/emulator/exec/state.h"

namespace emu {
namespace {

enum class Ballot : std::uint8_t { kAll, kAny, kUniform, kBallot };

// at[0]: d, at[1]: the predicate, at[2]: 1 for !a, at[5]: members. imm: Ballot.
bool VoteNegated(const Op& op) { return op.at[2] == 1; }

void Vote(Warp& warp, const Party& party) {
  const LaneMask yes = CollectMask(warp, party, 1, VoteNegated);
  const bool all = yes == party.lanes, any = yes != 0;
  switch (static_cast<Ballot>(party.parts[0].op->imm)) {
    case Ballot::kAll:
      return DistributeMask(warp, party, 0, all ? kAllLanes : 0);
    case Ballot::kAny:
      return DistributeMask(warp, party, 0, any ? kAllLanes : 0);
    case Ballot::kUniform:
      return DistributeMask(warp, party, 0, all || !any ? kAllLanes : 0);
    case Ballot::kBallot: {
      std::uint32_t d[kWarpSize];
      for (std::uint32_t& value : d) value = yes;
      return Distribute(warp, party, 0, d);
    }
  }
}

Flow VoteSync(Warp& warp, const Op& op) { return Assemble(warp, op, Vote); }
Flow VoteActive(Warp& warp, const Op& op) { return AsTheyAre(warp, op, Vote); }

// at[0]: d, at[1]: a, at[4]: p, at[5]: members. imm: 1 for .all.
template <class T>
void Match(Warp& warp, const Party& party) {
  T a[kWarpSize] = {};
  std::uint32_t d[kWarpSize] = {};
  Collect(warp, party, 1, a);
  for (std::uint32_t lane : Each(party.lanes)) {
    for (std::uint32_t other : Each(party.lanes)) d[lane] |= a[lane] == a[other] ? 1u << other : 0;
  }
  if (party.parts[0].op->imm == 0) return Distribute(warp, party, 0, d);
  const bool all = d[FirstLane(party.lanes)] == party.lanes;
  for (std::uint32_t& value : d) value = all ? party.lanes : 0;
  Distribute(warp, party, 0, d);
  DistributeMask(warp, party, 4, all ? kAllLanes : 0);
}

template <class T>
Flow MatchSync(Warp& warp, const Op& op) {
  return Assemble(warp, op, Match<T>);
}

enum class Reduction : std::uint8_t { kAdd, kMin, kMax, kAnd, kOr, kXor, kFloat };

std::uint32_t Reduced(Reduction reduction, bool is_signed, std::uint32_t a, std::uint32_t b) {
  const bool less = is_signed ? static_cast<std::int32_t>(a) < static_cast<std::int32_t>(b) : a < b;
  switch (reduction) {
    case Reduction::kAdd:
      return a + b;
    case Reduction::kMin:
      return less ? a : b;
    case Reduction::kMax:
      return less ? b : a;
    case Reduction::kAnd:
      return a & b;
    case Reduction::kOr:
      return a | b;
    default:
      return a ^ b;
  }
}

// imm: Reduction | signed << 8.
void Redux(Warp& warp, const Party& party) {
  std::uint32_t a[kWarpSize] = {}, d[kWarpSize];
  Collect(warp, party, 1, a);
  const std::int64_t imm = party.parts[0].op->imm;
  std::uint32_t total = a[FirstLane(party.lanes)];
  for (std::uint32_t lane : Each(party.lanes & (party.lanes - 1))) {
    total = Reduced(static_cast<Reduction>(imm & 0xff), imm >> 8 != 0, total, a[lane]);
  }
  for (std::uint32_t& value : d) value = total;
  Distribute(warp, party, 0, d);
}

Flow ReduxSync(Warp& warp, const Op& op) { return Assemble(warp, op, Redux); }

// redux.sync.{min,max}{.abs}{.NaN}.f32. imm: Reduction::kFloat | max << 8 | abs << 9 | NaN << 10. Without .NaN the result is
// the NaN only when every value is one; it is the canonical NaN then.
void ReduxFloat(Warp& warp, const Party& party) {
  std::uint32_t bits[kWarpSize] = {}, d[kWarpSize];
  Collect(warp, party, 1, bits);
  const std::int64_t imm = party.parts[0].op->imm;
  const bool largest = (imm & 256) != 0, absolute = (imm & 512) != 0, keep_nan = (imm & 1024) != 0;
  bool found = false, nan = false;
  float best = 0;
  for (std::uint32_t lane : Each(party.lanes)) {
    float value;
    if (absolute) bits[lane] &= 0x7fffffff;
    std::memcpy(&value, &bits[lane], sizeof(value));
    if (std::isnan(value)) {
      nan = true;
      continue;
    }
    // -0 is less than +0.
    const bool less = value < best || (value == best && std::signbit(value) && !std::signbit(best));
    if (!found || (largest ? !less : less)) best = value;
    found = true;
  }
  std::uint32_t total = 0x7fffffff;
  if (found && !(nan && keep_nan)) std::memcpy(&total, &best, sizeof(total));
  for (std::uint32_t& value : d) value = total;
  Distribute(warp, party, 0, d);
}

Flow ReduxFloatSync(Warp& warp, const Op& op) { return Assemble(warp, op, ReduxFloat); }

Flow ActiveMask(Warp& warp, const Op& op) {
  for (std::uint32_t lane : Each(warp.active())) warp.Lanes<std::uint32_t>(op.at[0])[lane] = warp.active();
  return Flow::kNext;
}

void SyncWarp(Warp& warp, const Party& party) { warp.checker().SyncLanes(warp, party.lanes); }
Flow WarpBarrier(Warp& warp, const Op& op) { return Assemble(warp, op, SyncWarp); }

}  // namespace

// vote{.sync}.mode.pred d, {!}a{, members};  vote{.sync}.ballot.b32 d, {!}a{, members};
Op LowerVote(const ptx::Instruction& instruction, Lowering& lowering) {
  Op op;
  bool sync = false;
  ptx::Type type = ptx::Type::kNone;
  op.imm = -1;
  for (const std::string& modifier : instruction.modifiers) {
    if (modifier == "sync")
      sync = true;
    else if (modifier == "all")
      op.imm = static_cast<int>(Ballot::kAll);
    else if (modifier == "any")
      op.imm = static_cast<int>(Ballot::kAny);
    else if (modifier == "uni")
      op.imm = static_cast<int>(Ballot::kUniform);
    else if (modifier == "ballot")
      op.imm = static_cast<int>(Ballot::kBallot);
    else if (modifier == "pred" || modifier == "b32")
      type = ptx::ParseType(modifier);
    else
      lowering.Refuse("unknown modifier ." + modifier);
  }
  const bool ballot = op.imm == static_cast<int>(Ballot::kBallot);
  if (op.imm < 0 || (type == ptx::Type::kB32) != ballot || type == ptx::Type::kNone ||
      instruction.operands.size() != (sync ? 3u : 2u)) {
    lowering.Refuse("an unknown form");
  }
  bool negated = false;
  op.run = sync ? VoteSync : VoteActive;
  op.at[0] = lowering.Destination(instruction.operands[0], type);
  op.at[1] = lowering.Predicate(instruction.operands[1], &negated);
  op.at[2] = negated ? 1 : 0;
  if (sync) op.at[5] = lowering.Source(instruction.operands[2], ptx::Type::kU32);
  return op;
}

// match.any.sync.type d, a, members;  match.all.sync.type d{|p}, a, members;
Op LowerMatch(const ptx::Instruction& instruction, Lowering& lowering) {
  Op op;
  ptx::Type type = ptx::Type::kNone;
  bool sync = false, mode = false;
  for (const std::string& modifier : instruction.modifiers) {
    if (modifier == "sync")
      sync = true;
    else if (modifier == "any")
      mode = true;
    else if (modifier == "all")
      mode = true, op.imm = 1;
    else if (modifier == "b32" || modifier == "b64")
      type = ptx::ParseType(modifier);
    else
      lowering.Refuse("unknown modifier ." + modifier);
  }
  if (!sync || !mode || type == ptx::Type::kNone || instruction.operands.size() != 3)
    lowering.Refuse("an unknown form");
  op.run = type == ptx::Type::kB32 ? MatchSync<std::uint32_t> : MatchSync<std::uint64_t>;
  const ptx::Operand* predicate = nullptr;
  op.at[0] = lowering.Destination(FirstOfPair(instruction.operands[0], &predicate), ptx::Type::kB32);
  if (predicate != nullptr && predicate->kind != ptx::Operand::Kind::kSink) {
    op.at[4] = lowering.Destination(*predicate, ptx::Type::kPred);
  }
  op.at[1] = lowering.Source(instruction.operands[1], type);
  op.at[5] = lowering.Source(instruction.operands[2], ptx::Type::kU32);
  return op;
}

// redux.sync.op.type d, a, members;
Op LowerRedux(const ptx::Instruction& instruction, Lowering& lowering) {
  Op op;
  int reduction = -1;
  bool sync = false, absolute = false, keep_nan = false;
  ptx::Type type = ptx::Type::kNone;
  for (const std::string& modifier : instruction.modifiers) {
    if (modifier == "sync")
      sync = true;
    else if (modifier == "add")
      reduction = static_cast<int>(Reduction::kAdd);
    else if (modifier == "min")
      reduction = static_cast<int>(Reduction::kMin);
    else if (modifier == "max")
      reduction = static_cast<int>(Reduction::kMax);
    else if (modifier == "and")
      reduction = static_cast<int>(Reduction::kAnd);
    else if (modifier == "or")
      reduction = static_cast<int>(Reduction::kOr);
    else if (modifier == "xor")
      reduction = static_cast<int>(Reduction::kXor);
    else if (modifier == "abs")
      absolute = true;
    else if (modifier == "NaN")
      keep_nan = true;
    else if (modifier == "u32" || modifier == "s32" || modifier == "b32" || modifier == "f32")
      type = ptx::ParseType(modifier);
    else
      lowering.Refuse("unknown modifier ." + modifier);
  }
  const bool is_float = type == ptx::Type::kF32;
  const bool bitwise = reduction >= static_cast<int>(Reduction::kAnd);
  const bool extreme =
      reduction == static_cast<int>(Reduction::kMin) || reduction == static_cast<int>(Reduction::kMax);
  if (!sync || reduction < 0 || type == ptx::Type::kNone || instruction.operands.size() != 3 ||
      bitwise != (type == ptx::Type::kB32) || (is_float && !extreme) || ((absolute || keep_nan) && !is_float)) {
    lowering.Refuse("an unknown form");
  }
  op.run = is_float ? ReduxFloatSync : ReduxSync;
  if (is_float) {
    op.imm = static_cast<int>(Reduction::kFloat) | (reduction == static_cast<int>(Reduction::kMax) ? 256 : 0) |
             (absolute ? 512 : 0) | (keep_nan ? 1024 : 0);
  } else {
    op.imm = reduction | (type == ptx::Type::kS32 ? 256 : 0);
  }
  op.at[0] = lowering.Destination(instruction.operands[0], type);
  op.at[1] = lowering.Source(instruction.operands[1], type);
  op.at[5] = lowering.Source(instruction.operands[2], ptx::Type::kU32);
  return op;
}

Op LowerActiveMask(const ptx::Instruction& instruction, Lowering& lowering) {
  Op op;
  op.run = ActiveMask;
  if (instruction.operands.size() != 1) lowering.Refuse("an unknown form");
  op.at[0] = lowering.Destination(instruction.operands[0], ptx::Type::kB32);
  return op;
}

// bar.warp.sync members;
Op LowerWarpBarrier(const ptx::Instruction& instruction, Lowering& lowering) {
  Op op;
  op.run = WarpBarrier;
  if (!instruction.Has("sync") || instruction.operands.size() != 1) lowering.Refuse("an unknown form");
  op.at[5] = lowering.Source(instruction.operands[0], ptx::Type::kU32);
  return op;
}

}  // namespace emu
