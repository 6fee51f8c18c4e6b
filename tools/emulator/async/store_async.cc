#include "tools/emulator/async/store_async.h"

#include <fmt/core.h>

#include <cstring>

#include "tools/emulator/async/bulk.h"
#include "tools/emulator/async/direction.h"
#include "tools/emulator/async/mbarrier.h"
#include "tools/emulator/async/reduce.h"

namespace emu {
namespace {

constexpr std::uint32_t kMaxVector = 4;

struct StoreDetails : Details {
  SharedOperand to;
  SharedOperand barrier;
  ptx::Type type = ptx::Type::kNone;
  std::uint32_t count = 1;  // of elements
  std::uint32_t values[kMaxVector] = {};
  Reduction reduction = Reduction::kNone;
};

// The values that lanes store side by side: a unit each.
class Registers : public Transfer {
 public:
  Registers(const Warp& warp, const StoreDetails& details, LaneMask lanes) : details_(details) {
    const std::uint32_t size = ptx::SizeOf(details.type);
    unit_bytes = size * details.count;
    for (const std::uint32_t lane : Each(lanes)) {
      std::byte* value = values_[units++];
      for (std::uint32_t i = 0; i < details.count; ++i) {
        if (size == 8) {
          std::memcpy(value + i * size, warp.Lanes<std::uint64_t>(details.values[i]) + lane, size);
        } else {
          std::memcpy(value + i * size, warp.Lanes<std::uint32_t>(details.values[i]) + lane, size);
        }
      }
    }
  }
  void Load(std::uint32_t first, std::uint32_t last, std::byte* shared, std::uint32_t) const override {
    for (std::uint32_t unit = first; unit < last; ++unit, shared += unit_bytes) {
      if (details_.reduction == Reduction::kNone) {
        std::memcpy(shared, values_[unit], unit_bytes);
      } else {
        Reduce(details_.reduction, details_.type, shared, values_[unit], details_.count);
      }
    }
  }

 private:
  const StoreDetails& details_;
  std::byte values_[kWarpSize][kMaxVector * 8];
};

// The first of `rest` and those that follow it and store where the one before has ended, counted by the same barrier and
// with the same knowledge.
LaneMask SideBySide(const Warp& warp, LaneMask rest, std::uint32_t bytes, const std::uint32_t (&to)[kWarpSize],
                    const std::uint32_t (&barriers)[kWarpSize]) {
  std::uint32_t last = FirstLane(rest);
  LaneMask run = LaneMask{1} << last;
  rest &= warp.checker().Alike(warp, last) & ~run;
  for (const std::uint32_t lane : Each(rest)) {
    if (to[lane] != to[last] + bytes || barriers[lane] != barriers[last]) break;
    run |= LaneMask{1} << lane;
    last = lane;
  }
  return run;
}

Flow RunStore(Warp& warp, const Op& op) {
  const auto& details = *static_cast<const StoreDetails*>(op.details);
  const std::uint32_t bytes = ptx::SizeOf(details.type) * details.count;
  std::uint32_t to[kWarpSize], barriers[kWarpSize];
  SharedAddresses(warp, op, details.to, warp.active(), bytes, to);
  SharedAddresses(warp, op, details.barrier, warp.active(), Mbarrier::kBytes, barriers);
  // An operation for all of them: thousands of operations under way take the checker the square of their number.
  for (LaneMask rest = warp.active(); rest != 0;) {
    const std::uint32_t lane = FirstLane(rest);
    const LaneMask lanes = SideBySide(warp, rest, bytes, to, barriers);
    rest &= ~lanes;
    IssueLanding({&warp, &op, lane}, std::make_shared<Registers>(warp, details, lanes),
                 {.to = to[lane],
                  .barrier = barriers[lane],
                  .reduces = details.reduction != Reduction::kNone,
                  .generic = true,
                  .lanes = lanes});
  }
  return Flow::kNext;
}

ptx::Type LowerType(const ptx::Instruction& instruction, Lowering& lowering) {
  using ptx::Type;
  const Type type = instruction.modifiers.empty() ? Type::kNone : ptx::ParseType(instruction.modifiers.back());
  for (const Type known :
       {Type::kB32, Type::kU32, Type::kS32, Type::kF32, Type::kB64, Type::kU64, Type::kS64, Type::kF64}) {
    if (type == known) return type;
  }
  lowering.Refuse("a type of this size is not stored asynchronously");
  return type;
}

// Only what red.async has: PTX ISA, "red.async".
void LowerReduction(const ptx::Instruction& instruction, Lowering& lowering, StoreDetails* details) {
  details->reduction = OnlyReduction(instruction, lowering);
  const bool integer = details->type < ptx::Type::kF16;
  if (!integer || !CanReduce(details->reduction, details->type) || details->count != 1) {
    lowering.Refuse(fmt::format(".{}.{} is no reduction of this instruction", ToString(details->reduction),
                                instruction.modifiers.back()));
  }
}

void LowerValues(const ptx::Instruction& instruction, Lowering& lowering, StoreDetails* details) {
  const ptx::Operand& value = instruction.operands[1];
  details->count = instruction.Has("v4") ? 4 : instruction.Has("v2") ? 2 : 1;
  const bool vector = value.kind == ptx::Operand::Kind::kVector;
  if ((vector ? value.elements.size() : 1) != details->count) lowering.Refuse("the number of values");
  if (details->count == 4 && ptx::SizeOf(details->type) != 4) lowering.Refuse(".v4 of 64-bit elements");
  for (std::uint32_t i = 0; i < details->count; ++i) {
    details->values[i] = lowering.Source(vector ? value.elements[i] : value, details->type);
  }
}

}  // namespace

Op LowerStoreAsync(const ptx::Instruction& instruction, Lowering& lowering) {
  const bool reduces = instruction.opcode == "red";
  if (reduces) {
    AllowModifiers(instruction, lowering,
                   {"async", "relaxed", "cluster", "shared::cluster", "mbarrier::complete_tx::bytes", "inc",
                    "dec", "min", "max", "add", "and", "or", "xor", "u32", "s32", "b32", "u64", "s64", "b64"});
  } else {
    AllowModifiers(instruction, lowering,
                   {"async", "weak", "shared::cluster", "mbarrier::complete_tx::bytes", "v2", "v4", "b32",
                    "u32", "s32", "f32", "b64", "u64", "s64", "f64"});
  }
  RequireOperands(instruction, lowering, 3, 3);
  StoreDetails details;
  const bool named = instruction.Has("shared::cluster");
  details.to = LowerShared(instruction.operands[0], named, lowering);
  details.barrier = LowerShared(instruction.operands[2], named, lowering);
  details.type = LowerType(instruction, lowering);
  LowerValues(instruction, lowering, &details);
  if (reduces) LowerReduction(instruction, lowering, &details);
  Op op;
  op.run = RunStore;
  op.details = lowering.Make(details);
  return op;
}

}  // namespace emu
