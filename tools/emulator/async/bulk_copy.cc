// cp.async.bulk, cp.reduce.async.bulk and cp.async.bulk.prefetch of plain bytes.
#include <fmt/core.h>

#include <cstring>

#include "tools/emulator/async/bulk.h"
#include "tools/emulator/async/direction.h"
#include "tools/emulator/async/instructions.h"
#include "tools/emulator/async/mbarrier.h"
#include "tools/emulator/async/reduce.h"

namespace emu {
namespace {

// Sizes and addresses of bulk copies are multiples of this.
constexpr std::uint32_t kUnit = 16;

struct BulkDetails : Details {
  SharedOperand shared;  // where the copy goes to, or comes from when it goes to global memory
  SharedOperand source;  // in shared memory, when both sides are
  AddressOperand global;
  SharedOperand barrier;
  Direction direction;
  Reduction reduction = Reduction::kNone;
  ptx::Type type = ptx::Type::kNone;
};
// Op::at of these instructions.
enum { kSize, kCtas, kByteMask };

const BulkDetails& Of(const Op& op) { return *static_cast<const BulkDetails*>(op.details); }

class GlobalBytes : public Transfer {
 public:
  GlobalBytes(std::uint64_t address, std::uint32_t size, const BulkDetails& details, std::uint32_t mask)
      : address_(address), details_(details), mask_(mask) {
    units = size / kUnit, unit_bytes = kUnit;
  }
  void Load(std::uint32_t first, std::uint32_t last, std::byte* shared, std::uint32_t) const override {
    if (first != last) std::memcpy(shared, Global() + first * kUnit, (last - first) * kUnit);
  }
  void Store(const std::byte* shared, std::uint32_t) const override {
    if (details_.reduction != Reduction::kNone) {
      Reduce(details_.reduction, details_.type, Global(), shared, bytes() / ptx::SizeOf(details_.type));
      return;
    }
    for (std::uint32_t i = 0; i < bytes(); ++i) {
      if ((mask_ >> i % kUnit & 1) != 0) Global()[i] = shared[i];
    }
  }

 private:
  std::byte* Global() const { return reinterpret_cast<std::byte*>(address_); }
  std::uint64_t address_;
  const BulkDetails& details_;
  std::uint32_t mask_;  // of the bytes of a unit that are stored
};

class SharedBytes : public Transfer {
 public:
  SharedBytes(const Who& who, std::uint32_t from, std::uint32_t size, const BulkDetails& details)
      : who_(who), from_(from), details_(details) {
    units = size / kUnit, unit_bytes = kUnit;
  }
  void Load(std::uint32_t first, std::uint32_t last, std::byte* shared, std::uint32_t) const override {
    const std::uint32_t size = (last - first) * kUnit;
    const std::byte* from =
        who_.warp->cluster().Shared(*who_.warp, *who_.op, who_.lane, from_ + first * kUnit, size);
    if (details_.reduction != Reduction::kNone) {
      Reduce(details_.reduction, details_.type, shared, from, size / ptx::SizeOf(details_.type));
    } else {
      std::memmove(shared, from, size);
    }
  }

 private:
  Who who_;
  std::uint32_t from_;
  const BulkDetails& details_;
};

std::uint32_t SizeOfCopy(const Warp& warp, const Op& op, std::uint32_t lane) {
  const std::uint32_t size = warp.Lanes<std::uint32_t>(op.at[kSize])[lane];
  if (size % kUnit != 0) {
    warp.Fail(FindingKind::kBadOperand, op, lane,
              fmt::format("a size of {} bytes: no multiple of {}", size, kUnit));
  }
  return size;
}

Flow RunLoad(Warp& warp, const Op& op) {
  const BulkDetails& details = Of(op);
  std::uint32_t to[kWarpSize], barriers[kWarpSize];
  std::uint64_t from[kWarpSize];
  SharedAddresses(warp, op, details.shared, warp.active(), kUnit, to);
  SharedAddresses(warp, op, details.barrier, warp.active(), Mbarrier::kBytes, barriers);
  LaneAddresses(warp, details.global, warp.active(), from);
  for (const std::uint32_t lane : Each(warp.active())) {
    const Who who{&warp, &op, lane};
    const std::uint32_t size = SizeOfCopy(warp, op, lane);
    RequireAligned(who, from[lane], kUnit, "source address");
    RequireGlobal(who, from[lane], size, "reads");
    const auto transfer = std::make_shared<GlobalBytes>(from[lane], size, details, 0xffff);
    const std::uint32_t ctas = details.direction.multicast ? warp.Lanes<std::uint16_t>(op.at[kCtas])[lane] : 0;
    IssueLandings(who, transfer, {.to = to[lane], .barrier = barriers[lane]}, details.direction, ctas);
  }
  return Flow::kNext;
}

Flow RunSharedToShared(Warp& warp, const Op& op) {
  const BulkDetails& details = Of(op);
  std::uint32_t to[kWarpSize], from[kWarpSize], barriers[kWarpSize];
  SharedAddresses(warp, op, details.shared, warp.active(), kUnit, to);
  SharedAddresses(warp, op, details.source, warp.active(), kUnit, from);
  SharedAddresses(warp, op, details.barrier, warp.active(), Mbarrier::kBytes, barriers);
  for (const std::uint32_t lane : Each(warp.active())) {
    const Who who{&warp, &op, lane};
    const std::uint32_t size = SizeOfCopy(warp, op, lane);
    RequireOwn(who, from[lane], "the source");
    warp.cluster().Shared(warp, op, lane, from[lane], size);
    const auto transfer = std::make_shared<SharedBytes>(who, from[lane], size, details);
    IssueLanding(who, transfer,
                 {.to = to[lane],
                  .barrier = barriers[lane],
                  .from = from[lane],
                  .reduces = details.reduction != Reduction::kNone});
  }
  return Flow::kNext;
}

Flow RunStore(Warp& warp, const Op& op) {
  const BulkDetails& details = Of(op);
  std::uint32_t from[kWarpSize];
  std::uint64_t to[kWarpSize];
  SharedAddresses(warp, op, details.shared, warp.active(), kUnit, from);
  LaneAddresses(warp, details.global, warp.active(), to);
  for (const std::uint32_t lane : Each(warp.active())) {
    const Who who{&warp, &op, lane};
    const std::uint32_t size = SizeOfCopy(warp, op, lane);
    RequireOwn(who, from[lane], "the source");
    RequireAligned(who, to[lane], kUnit, "destination address");
    RequireGlobal(who, to[lane], size, "writes");
    const std::uint32_t mask =
        op.at[kByteMask] == Op::kNone ? 0xffff : warp.Lanes<std::uint16_t>(op.at[kByteMask])[lane];
    IssueStore(who, std::make_shared<GlobalBytes>(to[lane], size, details, mask), from[lane]);
  }
  return Flow::kNext;
}

// Moves nothing that a program could see.
Flow RunPrefetch(Warp& warp, const Op& op) {
  std::uint64_t from[kWarpSize];
  LaneAddresses(warp, Of(op).global, warp.active(), from);
  for (const std::uint32_t lane : Each(warp.active())) {
    SizeOfCopy(warp, op, lane);
    RequireAligned({&warp, &op, lane}, from[lane], kUnit, "address");
  }
  return Flow::kNext;
}

void LowerReduction(const ptx::Instruction& instruction, Lowering& lowering, BulkDetails* details) {
  details->type = ptx::ParseType(instruction.modifiers.back());
  if (details->type == ptx::Type::kNone) lowering.Refuse("the type is missing");
  details->reduction = OnlyReduction(instruction, lowering);
  const bool narrow = details->type == ptx::Type::kF16 || details->type == ptx::Type::kBF16;
  if (instruction.Has("noftz") != (narrow && details->reduction == Reduction::kAdd)) {
    lowering.Refuse(".noftz belongs to .add of .f16 and .bf16, and only there");
  }
  // Between shared memories only integers of the sizes that shared memory's own atomics have.
  const bool integer = details->type < ptx::Type::kF16;
  const bool in_shared = details->direction.to_shared;
  if (!CanReduce(details->reduction, details->type) || (in_shared && !integer)) {
    lowering.Refuse(fmt::format(".{}.{} is no reduction of this instruction", ToString(details->reduction),
                                instruction.modifiers.back()));
  }
}

Op LowerPrefetch(const ptx::Instruction& instruction, Lowering& lowering) {
  AllowModifiers(instruction, lowering, {"async", "bulk", "prefetch", "L2", "global", "L2::cache_hint"});
  if (OperandsWithoutPolicy(instruction, lowering) != 2) lowering.Refuse("the number of operands");
  BulkDetails details;
  details.global = lowering.Address(instruction.operands[0]);
  Op op;
  op.run = RunPrefetch;
  op.at[kSize] = lowering.Source(instruction.operands[1], ptx::Type::kU32);
  op.details = lowering.Make(details);
  return op;
}

// [dst], [src], size, [mbar] {, ctaMask}
Op LowerToShared(const ptx::Instruction& instruction, Lowering& lowering, std::size_t operands,
                 BulkDetails details) {
  if (operands != (details.direction.multicast ? 5u : 4u)) lowering.Refuse("the number of operands");
  details.shared = LowerShared(instruction.operands[0], true, lowering);
  details.barrier = LowerShared(instruction.operands[3], true, lowering);
  Op op;
  if (details.direction.from_shared) {
    op.run = RunSharedToShared;
    details.source = LowerShared(instruction.operands[1], true, lowering);
  } else {
    op.run = RunLoad;
    details.global = lowering.Address(instruction.operands[1]);
  }
  op.at[kSize] = lowering.Source(instruction.operands[2], ptx::Type::kU32);
  if (operands == 5) op.at[kCtas] = lowering.Source(instruction.operands[4], ptx::Type::kU16);
  op.details = lowering.Make(details);
  return op;
}

// [dst], [src], size {, byteMask}; the cache policy stands before the mask.
Op LowerToGlobal(const ptx::Instruction& instruction, Lowering& lowering, BulkDetails details) {
  const bool masked = instruction.Has("cp_mask");
  const std::size_t operands = 3u + instruction.Has("L2::cache_hint") + masked;
  RequireOperands(instruction, lowering, operands, operands);
  details.shared = LowerShared(instruction.operands[1], true, lowering);
  details.global = lowering.Address(instruction.operands[0]);
  Op op;
  op.run = RunStore;
  op.at[kSize] = lowering.Source(instruction.operands[2], ptx::Type::kU32);
  if (masked) op.at[kByteMask] = lowering.Source(instruction.operands.back(), ptx::Type::kU16);
  op.details = lowering.Make(details);
  return op;
}

}  // namespace

Op LowerBulkCopy(const ptx::Instruction& instruction, Lowering& lowering) {
  if (instruction.Has("commit_group") || instruction.Has("wait_group"))
    return LowerBulkGroup(instruction, lowering);
  if (instruction.Has("prefetch")) return LowerPrefetch(instruction, lowering);
  const bool reduces = instruction.Has("reduce");
  BulkDetails details;
  details.direction = LowerDirection(instruction, lowering);
  if (reduces) {
    AllowModifiers(instruction, lowering,
                   {"reduce",
                    "async",
                    "bulk",
                    "shared::cluster",
                    "shared::cta",
                    "global",
                    "bulk_group",
                    "mbarrier::complete_tx::bytes",
                    "L2::cache_hint",
                    "add",
                    "min",
                    "max",
                    "inc",
                    "dec",
                    "and",
                    "or",
                    "xor",
                    "noftz",
                    "f16",
                    "bf16",
                    "b32",
                    "u32",
                    "s32",
                    "b64",
                    "u64",
                    "s64",
                    "f32",
                    "f64"});
    LowerReduction(instruction, lowering, &details);
  } else {
    AllowModifiers(instruction, lowering,
                   {"async", "bulk", "shared::cluster", "shared::cta", "global", "bulk_group", "cp_mask",
                    "mbarrier::complete_tx::bytes", "multicast::cluster", "L2::cache_hint"});
  }
  if (!details.direction.to_shared) return LowerToGlobal(instruction, lowering, details);
  if (reduces && !details.direction.from_shared) lowering.Refuse("a reduction from global memory");
  return LowerToShared(instruction, lowering, OperandsWithoutPolicy(instruction, lowering), details);
}

}  // namespace emu
