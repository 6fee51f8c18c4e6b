#include "tools/emulator/exec/shuffle.h"

#include "tools/emulator/exec/collective.h"
#include "tools/emulator/exec/machine.h"
#include "tools/emulator/exec/state.h"

namespace emu {
namespace {

enum class Mode : std::uint8_t { kUp, kDown, kButterfly, kIndex };

// What a lane gets that reads from a lane which does not take part: nothing that the program may use.
constexpr std::uint32_t kUndefined = 0xdeadbeef;

// at[0]: d, at[1]: a, at[2]: b, at[3]: c, at[4]: p, at[5]: members. imm: Mode. PTX ISA, "shfl.sync", pseudocode.
void Shuffle(Warp& warp, const Party& party) {
  std::uint32_t a[kWarpSize] = {}, b[kWarpSize] = {}, c[kWarpSize] = {}, d[kWarpSize] = {};
  Collect(warp, party, 1, a);
  Collect(warp, party, 2, b);
  Collect(warp, party, 3, c);
  const auto mode = static_cast<Mode>(party.parts[0].op->imm);
  LaneMask in_range = 0;
  for (std::uint32_t lane : Each(party.lanes)) {
    const std::uint32_t by = b[lane] & 31, clamp = c[lane] & 31, segments = c[lane] >> 8 & 31;
    const std::uint32_t most = (lane & segments) | (clamp & ~segments), least = lane & segments;
    std::uint32_t from = 0;
    bool valid = false;
    switch (mode) {
      case Mode::kUp:
        from = lane - by, valid = static_cast<std::int32_t>(from) >= static_cast<std::int32_t>(most);
        break;
      case Mode::kDown:
        from = lane + by, valid = from <= most;
        break;
      case Mode::kButterfly:
        from = lane ^ by, valid = from <= most;
        break;
      case Mode::kIndex:
        from = least | (by & ~segments), valid = from <= most;
        break;
    }
    if (!valid) from = lane;
    if (valid) in_range |= 1u << lane;
    from &= 31;
    d[lane] = (party.lanes >> from & 1) != 0 ? a[from] : kUndefined;
  }
  Distribute(warp, party, 0, d);
  DistributeMask(warp, party, 4, in_range);
}

Flow ShuffleSync(Warp& warp, const Op& op) { return Assemble(warp, op, Shuffle); }
Flow ShuffleActive(Warp& warp, const Op& op) { return AsTheyAre(warp, op, Shuffle); }

// elect.sync d|p, members. PTX ISA leaves open which lane it is, only that it is always the same for the same members. It is
// the lowest, as on the hardware: kernels that let the elected lane copy and thread 0 announce the bytes count on it.
void Elect(Warp& warp, const Party& party) {
  const std::uint32_t leader = FirstLane(party.lanes);
  std::uint32_t d[kWarpSize];
  for (std::uint32_t& value : d) value = leader;
  Distribute(warp, party, 0, d);
  DistributeMask(warp, party, 4, 1u << leader);
}

Flow ElectSync(Warp& warp, const Op& op) { return Assemble(warp, op, Elect); }

}  // namespace

const ptx::Operand& FirstOfPair(const ptx::Operand& operand, const ptx::Operand** second) {
  *second = nullptr;
  if (operand.kind != ptx::Operand::Kind::kPair || operand.elements.size() != 2) return operand;
  *second = &operand.elements[1];
  return operand.elements[0];
}

namespace {

void LowerPair(const ptx::Operand& operand, ptx::Type type, Lowering& lowering, Op* op) {
  const ptx::Operand* predicate = nullptr;
  op->at[0] = lowering.Destination(FirstOfPair(operand, &predicate), type);
  if (predicate != nullptr && predicate->kind != ptx::Operand::Kind::kSink) {
    op->at[4] = lowering.Destination(*predicate, ptx::Type::kPred);
  }
}

}  // namespace

// shfl{.sync}.mode.b32 d{|p}, a, b, c{, members};
Op LowerShuffle(const ptx::Instruction& instruction, Lowering& lowering) {
  Op op;
  bool sync = false, typed = false;
  op.imm = -1;
  for (const std::string& modifier : instruction.modifiers) {
    if (modifier == "sync")
      sync = true;
    else if (modifier == "up")
      op.imm = static_cast<int>(Mode::kUp);
    else if (modifier == "down")
      op.imm = static_cast<int>(Mode::kDown);
    else if (modifier == "bfly")
      op.imm = static_cast<int>(Mode::kButterfly);
    else if (modifier == "idx")
      op.imm = static_cast<int>(Mode::kIndex);
    else if (modifier == "b32")
      typed = true;
    else
      lowering.Refuse("unknown modifier ." + modifier);
  }
  if (op.imm < 0 || !typed || instruction.operands.size() != (sync ? 5u : 4u))
    lowering.Refuse("an unknown form");
  op.run = sync ? ShuffleSync : ShuffleActive;
  LowerPair(instruction.operands[0], ptx::Type::kB32, lowering, &op);
  op.at[1] = lowering.Source(instruction.operands[1], ptx::Type::kB32);
  op.at[2] = lowering.Source(instruction.operands[2], ptx::Type::kU32);
  op.at[3] = lowering.Source(instruction.operands[3], ptx::Type::kU32);
  if (sync) op.at[5] = lowering.Source(instruction.operands[4], ptx::Type::kU32);
  return op;
}

Op LowerElect(const ptx::Instruction& instruction, Lowering& lowering) {
  Op op;
  op.run = ElectSync;
  if (instruction.modifiers != std::vector<std::string>{"sync"} || instruction.operands.size() != 2) {
    lowering.Refuse("an unknown form");
  }
  LowerPair(instruction.operands[0], ptx::Type::kB32, lowering, &op);
  op.at[5] = lowering.Source(instruction.operands[1], ptx::Type::kU32);
  return op;
}

}  // namespace emu
