// cp.async.bulk.tensor, cp.reduce.async.bulk.tensor and cp.async.bulk.prefetch.tensor, tile mode.
#include <fmt/core.h>

#include "tools/emulator/async/bulk.h"
#include "tools/emulator/async/direction.h"
#include "tools/emulator/async/instructions.h"
#include "tools/emulator/async/mbarrier.h"
#include "tools/emulator/async/tensor_box.h"
#include "tools/emulator/async/tensor_map.h"

namespace emu {
namespace {

// Shared memory addresses of tensor copies ("cp.async.bulk.tensor").
constexpr std::uint32_t kSharedAlign = 128;

struct TensorDetails : Details {
  SharedOperand shared;
  SharedOperand barrier;
  AddressOperand map;
  std::uint32_t rank = 0;
  std::array<std::uint32_t, kMaxTensorRank> coordinates{};  // offsets of the registers
  std::uint32_t ctas = Op::kNone;
  Direction direction;
  Reduction reduction = Reduction::kNone;
};

const TensorDetails& Of(const Op& op) { return *static_cast<const TensorDetails*>(op.details); }

// What a map may ask for and these copies do not know.
void RequireKnown(const Who& who, const TensorMap& map) {
  if (map.ElementBytes() == 0) who.Fail(FindingKind::kUnsupported, "a tensor of packed elements");
  if (map.interleave != TensorInterleave::kNone) who.Fail(FindingKind::kUnsupported, "an interleaved tensor");
  if (map.swizzle > TensorSwizzle::k128B)
    who.Fail(FindingKind::kUnsupported, "a swizzle of more than 16 bytes");
}

TensorMap MapOf(const Who& who, const TensorDetails& details) {
  const TensorMap map = ReadTensorMap(who, GenericAddress(*who.warp, details.map, who.lane));
  if (map.rank != details.rank) {
    who.Fail(FindingKind::kBadOperand,
             fmt::format("{} coordinates for a tensor of {} dimensions", details.rank, map.rank));
  }
  RequireKnown(who, map);
  return map;
}

// An H200 reports an illegal instruction unless the innermost coordinate, in bytes, is a multiple of 16: so it was in 17 loads
// and 3 stores of elements of 1, 2 and 4 bytes, with and without swizzle, and in none whose start was one
// (tests/emulator/recorded, 2026-11-21).
void RequireAlignedStart(const Who& who, const TensorMap& map, std::int32_t x) {
  const std::int64_t bytes = std::int64_t{x} * map.ElementBytes();
  if (bytes % 16 != 0) {
    who.Fail(FindingKind::kMisaligned,
             fmt::format("the box starts at element {} of dimension 0, byte {}: no multiple of 16", x, bytes));
  }
}

// Loads may start before the tensor. A store at (-8, -3) was an illegal instruction on an H200 (2026-11-21); which of the two
// it minded is not known.
void RequireStartInside(const Who& who, std::uint32_t rank,
                        const std::array<std::int32_t, kMaxTensorRank>& start) {
  for (std::uint32_t i = 0; i < rank; ++i) {
    if (start[i] < 0) {
      who.Fail(FindingKind::kBadOperand,
               fmt::format("a store to a box that starts at {} of dimension {}", start[i], i));
    }
  }
}

std::shared_ptr<const TensorBox> BoxOf(const Who& who, const TensorMap& map, const TensorDetails& details) {
  std::array<std::int32_t, kMaxTensorRank> start{};
  for (std::uint32_t i = 0; i < details.rank; ++i) {
    start[i] = who.warp->Lanes<std::int32_t>(details.coordinates[i])[who.lane];
  }
  RequireAlignedStart(who, map, start[0]);
  if (!details.direction.to_shared) RequireStartInside(who, details.rank, start);
  auto box = std::make_shared<TensorBox>(map, start, details.reduction);
  box->RequireMemory(who, !details.direction.to_shared);
  return box;
}

Flow RunLoad(Warp& warp, const Op& op) {
  const TensorDetails& details = Of(op);
  std::uint32_t to[kWarpSize], barriers[kWarpSize];
  SharedAddresses(warp, op, details.shared, warp.active(), kSharedAlign, to);
  SharedAddresses(warp, op, details.barrier, warp.active(), Mbarrier::kBytes, barriers);
  for (const std::uint32_t lane : Each(warp.active())) {
    const Who who{&warp, &op, lane};
    const auto box = BoxOf(who, MapOf(who, details), details);
    const std::uint32_t ctas = details.direction.multicast ? warp.Lanes<std::uint16_t>(details.ctas)[lane] : 0;
    IssueLandings(who, box, {.to = to[lane], .barrier = barriers[lane]}, details.direction, ctas);
  }
  return Flow::kNext;
}

Flow RunStore(Warp& warp, const Op& op) {
  const TensorDetails& details = Of(op);
  std::uint32_t from[kWarpSize];
  SharedAddresses(warp, op, details.shared, warp.active(), kSharedAlign, from);
  for (const std::uint32_t lane : Each(warp.active())) {
    const Who who{&warp, &op, lane};
    RequireOwn(who, from[lane], "the source");
    const TensorMap map = MapOf(who, details);
    if (details.reduction != Reduction::kNone) {
      ptx::Type type = TensorBox::ElementType(map.type);
      if (!CanReduce(details.reduction, type)) {
        who.Fail(FindingKind::kBadOperand, fmt::format("the tensor's elements, {}, cannot be reduced by .{}",
                                                       ptx::ToString(type), ToString(details.reduction)));
      }
    }
    IssueStore(who, BoxOf(who, map, details), from[lane]);
  }
  return Flow::kNext;
}

// Moves nothing that a program could see; what lies outside of memory is not fetched.
Flow RunPrefetch(Warp& warp, const Op& op) {
  for (const std::uint32_t lane : Each(warp.active())) MapOf({&warp, &op, lane}, Of(op));
  return Flow::kNext;
}

// [tensorMap, {coordinates}]
void LowerTensor(const ptx::Instruction& instruction, const ptx::Operand& tensor, Lowering& lowering,
                 TensorDetails* details) {
  for (std::uint32_t rank = 1; rank <= kMaxTensorRank; ++rank) {
    if (instruction.Has(fmt::format("{}d", rank).c_str())) details->rank = rank;
  }
  if (details->rank == 0) lowering.Refuse("the number of dimensions is missing");
  if (tensor.kind != ptx::Operand::Kind::kAddress || tensor.elements.size() != 2) {
    lowering.Refuse("the tensor is no [map, {coordinates}]");
  }
  const ptx::Operand& coordinates = tensor.elements[1];
  const bool vector = coordinates.kind == ptx::Operand::Kind::kVector;
  const std::size_t count = vector ? coordinates.elements.size() : 1;
  if (count != details->rank) lowering.Refuse(fmt::format("{} coordinates for .{}d", count, details->rank));
  for (std::uint32_t i = 0; i < details->rank; ++i) {
    details->coordinates[i] = lowering.Source(vector ? coordinates.elements[i] : coordinates, ptx::Type::kS32);
  }
  details->map = lowering.Address(tensor);
  if (details->map.space != ptx::Space::kNone && details->map.space != ptx::Space::kParam &&
      details->map.space != ptx::Space::kGlobal && details->map.space != ptx::Space::kConst) {
    lowering.Refuse("a tensor map lies in parameters, constant or global memory");
  }
}

void RefuseModes(const ptx::Instruction& instruction, Lowering& lowering) {
  for (const std::string& modifier : instruction.modifiers) {
    if (modifier.starts_with("im2col") || modifier.starts_with("tile::")) {
      lowering.Refuse(fmt::format("the mode .{}", modifier));
    }
  }
  if (instruction.Has("cta_group::1") || instruction.Has("cta_group::2"))
    lowering.Refuse("pairs of CTAs (.cta_group)");
}

Op LowerPrefetch(const ptx::Instruction& instruction, Lowering& lowering) {
  AllowModifiers(instruction, lowering,
                 {"async", "bulk", "prefetch", "tensor", "1d", "2d", "3d", "4d", "5d", "L2", "global", "tile",
                  "L2::cache_hint"});
  if (OperandsWithoutPolicy(instruction, lowering) != 1) lowering.Refuse("the number of operands");
  TensorDetails details;
  LowerTensor(instruction, instruction.operands[0], lowering, &details);
  Op op;
  op.run = RunPrefetch;
  op.details = lowering.Make(details);
  return op;
}

}  // namespace

Op LowerTensorCopy(const ptx::Instruction& instruction, Lowering& lowering) {
  RefuseModes(instruction, lowering);
  if (instruction.Has("prefetch")) return LowerPrefetch(instruction, lowering);
  TensorDetails details;
  details.direction = LowerDirection(instruction, lowering);
  if (instruction.Has("reduce")) {
    AllowModifiers(
        instruction, lowering,
        {"reduce",      "async", "bulk",       "tensor",         "1d",  "2d",  "3d",  "4d",  "5d",  "global",
         "shared::cta", "tile",  "bulk_group", "L2::cache_hint", "add", "min", "max", "inc", "dec", "and",
         "or",          "xor"});
    details.reduction = OnlyReduction(instruction, lowering);
  } else {
    AllowModifiers(
        instruction, lowering,
        {"async", "bulk", "tensor", "1d", "2d", "3d", "4d", "5d", "global", "shared::cta", "shared::cluster",
         "tile", "bulk_group", "mbarrier::complete_tx::bytes", "multicast::cluster", "L2::cache_hint"});
  }
  if (details.direction.to_shared == details.direction.from_shared)
    lowering.Refuse("a tensor lies in global memory");
  const bool loads = details.direction.to_shared;
  const std::size_t operands = OperandsWithoutPolicy(instruction, lowering);
  if (operands != (!loads ? 2u : details.direction.multicast ? 4u : 3u))
    lowering.Refuse("the number of operands");
  LowerTensor(instruction, instruction.operands[loads ? 1 : 0], lowering, &details);
  details.shared = LowerShared(instruction.operands[loads ? 0 : 1], true, lowering);
  if (loads) details.barrier = LowerShared(instruction.operands[2], true, lowering);
  if (details.direction.multicast) details.ctas = lowering.Source(instruction.operands[3], ptx::Type::kU16);
  Op op;
  op.run = loads ? RunLoad : RunStore;
  op.details = lowering.Make(details);
  return op;
}

}  // namespace emu
