// tensormap.replace and tensormap.cp_fenceproxy: tensor maps changed by kernels.
#include <fmt/core.h>

#include <cstring>

#include "tools/emulator/async/instructions.h"
#include "tools/emulator/async/operands.h"
#include "tools/emulator/async/tensor_map.h"
#include "tools/emulator/check/checker.h"

namespace emu {
namespace {

enum class Field : std::uint8_t {
  kAddress,
  kRank,
  kBox,
  kDim,
  kStride,
  kElementStride,
  kType,
  kInterleave,
  kSwizzle,
  kFill,
  kCount
};
constexpr const char* kFields[] = {"global_address", "rank",           "box_dim",  "global_dim",
                                   "global_stride",  "element_stride", "elemtype", "interleave_layout",
                                   "swizzle_mode",   "fill_mode"};

// The numbers of .elemtype ("tensormap.replace", table of element types), which are not the driver's.
constexpr TensorType kElementTypes[] = {
    TensorType::kU8,   TensorType::kU16,  TensorType::kU32,    TensorType::kS32,    TensorType::kU64,
    TensorType::kS64,  TensorType::kF16,  TensorType::kF32,    TensorType::kF32Ftz, TensorType::kF64,
    TensorType::kBF16, TensorType::kTF32, TensorType::kTF32Ftz};

struct ReplaceDetails : Details {
  AddressOperand address;
  bool shared = false;
  Field field = Field::kAddress;
  std::uint32_t ordinal = 0;
};

std::uint32_t Dimension(const Who& who, const ReplaceDetails& details, std::uint32_t limit) {
  if (details.ordinal < limit) return details.ordinal;
  who.Fail(FindingKind::kBadOperand,
           fmt::format("the ordinal {}: at most {} is allowed", details.ordinal, limit - 1));
}

std::uint64_t AtMost(const Who& who, std::uint64_t value, std::uint64_t limit) {
  if (value <= limit) return value;
  who.Fail(FindingKind::kBadOperand, fmt::format("a value of {}: at most {} is allowed", value, limit));
}

// A map that breaks a rule in between is none yet: what it says in the end is judged when a copy uses it.
void Replace(const Who& who, const ReplaceDetails& details, std::uint64_t value, TensorMap* map) {
  switch (details.field) {
    case Field::kAddress:
      map->address = value;
      return;
    case Field::kRank:
      map->rank = static_cast<std::uint32_t>(AtMost(who, value, kMaxTensorRank - 1)) + 1;
      return;
    case Field::kBox:
      map->box[Dimension(who, details, kMaxTensorRank)] = static_cast<std::uint32_t>(AtMost(who, value, 256));
      return;
    case Field::kDim:
      if (value == 0) who.Fail(FindingKind::kBadOperand, "a dimension of 0 elements");
      map->dims[Dimension(who, details, kMaxTensorRank)] = value;
      return;
    case Field::kStride:
      map->strides[Dimension(who, details, kMaxTensorRank - 1)] = value;
      return;
    case Field::kElementStride:
      map->element_strides[Dimension(who, details, kMaxTensorRank)] =
          static_cast<std::uint32_t>(AtMost(who, value, 8));
      return;
    case Field::kType:
      map->type = kElementTypes[AtMost(who, value, std::size(kElementTypes) - 1)];
      return;
    case Field::kInterleave:
      map->interleave = static_cast<TensorInterleave>(AtMost(who, value, 2));
      return;
    case Field::kSwizzle:
      map->swizzle = static_cast<TensorSwizzle>(AtMost(who, value, 3));
      return;
    default:
      map->fill_nan = AtMost(who, value, 1) != 0;
      return;
  }
}

// The bytes of the map, told to the checker when they are in shared memory.
std::byte* MapBytes(Warp& warp, const Op& op, std::uint32_t lane, std::uint64_t address, bool shared,
                    bool writes) {
  const Who who{&warp, &op, lane};
  RequireAligned(who, address, kTensorMapAlign, "address of the tensor map");
  if (!shared) {
    RequireGlobal(who, address, kTensorMapBytes, writes ? "writes" : "reads");
    return reinterpret_cast<std::byte*>(address);
  }
  if (address >= kWindowBytes)
    who.Fail(FindingKind::kOutOfBounds, fmt::format("{:#x} is no shared address", address));
  std::uint32_t addresses[kWarpSize];
  addresses[lane] = static_cast<std::uint32_t>(address);
  std::byte* bytes = warp.cluster().Shared(warp, op, lane, addresses[lane], kTensorMapBytes);
  warp.checker().Read(warp, op, LaneMask{1} << lane, addresses, kTensorMapBytes);
  if (writes) warp.checker().Write(warp, op, LaneMask{1} << lane, addresses, kTensorMapBytes);
  return bytes;
}

template <class T>
Flow RunReplace(Warp& warp, const Op& op) {
  const auto& details = *static_cast<const ReplaceDetails*>(op.details);
  std::uint64_t addresses[kWarpSize];
  LaneAddresses(warp, details.address, warp.active(), addresses);
  for (const std::uint32_t lane : Each(warp.active())) {
    const Who who{&warp, &op, lane};
    const bool generic_shared = !details.shared && InWindow(addresses[lane], kSharedWindow);
    if (generic_shared) addresses[lane] -= kSharedWindow;
    std::byte* bytes = MapBytes(warp, op, lane, addresses[lane], details.shared || generic_shared, true);
    TensorMap map;
    if (!Decode(bytes, &map)) {
      who.Fail(FindingKind::kBadOperand, fmt::format("there is no tensor map at {:#x}", addresses[lane]));
    }
    Replace(who, details, warp.Lanes<T>(op.at[0])[lane], &map);
    Encode(map, bytes);
  }
  return Flow::kNext;
}

Op LowerReplace(const ptx::Instruction& instruction, Lowering& lowering) {
  AllowModifiers(instruction, lowering,
                 {"replace", "tile", "global", "shared::cta", "b1024", "b32", "b64", "global_address", "rank",
                  "box_dim", "global_dim", "global_stride", "element_stride", "elemtype", "interleave_layout",
                  "swizzle_mode", "fill_mode"});
  ReplaceDetails details;
  int field = 0;
  while (field < static_cast<int>(Field::kCount) && !instruction.Has(kFields[field])) ++field;
  if (field == static_cast<int>(Field::kCount)) lowering.Refuse("the field is missing");
  details.field = static_cast<Field>(field);
  const bool ordinal = details.field == Field::kBox || details.field == Field::kDim ||
                       details.field == Field::kStride || details.field == Field::kElementStride;
  RequireOperands(instruction, lowering, ordinal ? 3 : 2, ordinal ? 3 : 2);
  if (ordinal) {
    const ptx::Operand& operand = instruction.operands[1];
    if (operand.kind != ptx::Operand::Kind::kInteger || operand.bits > 4)
      lowering.Refuse("the ordinal is no constant of 0 to 4");
    details.ordinal = static_cast<std::uint32_t>(operand.bits);
  }
  details.address = lowering.Address(instruction.operands[0]);
  details.shared = instruction.Has("shared::cta") || details.address.space == ptx::Space::kShared;
  const bool wide = details.field == Field::kAddress || details.field == Field::kStride;
  if (!instruction.Has(wide ? "b64" : "b32")) lowering.Refuse("the type does not fit the field");
  Op op;
  op.run = wide ? RunReplace<std::uint64_t> : RunReplace<std::uint32_t>;
  op.at[0] = lowering.Source(instruction.operands.back(), wide ? ptx::Type::kB64 : ptx::Type::kB32);
  op.details = lowering.Make(details);
  return op;
}

struct CopyDetails : Details {
  AddressOperand to, from;
};

// The warp copies one map; its lanes name the same addresses.
Flow RunCopy(Warp& warp, const Op& op) {
  const auto& details = *static_cast<const CopyDetails*>(op.details);
  std::uint64_t to[kWarpSize], from[kWarpSize];
  LaneAddresses(warp, details.to, warp.active(), to);
  LaneAddresses(warp, details.from, warp.active(), from);
  const std::uint32_t first = FirstLane(warp.active());
  for (const std::uint32_t lane : Each(warp.active())) {
    if (to[lane] == to[first] && from[lane] == from[first]) continue;
    warp.Fail(FindingKind::kBadOperand, op, lane, "other addresses than the warp's first lane");
  }
  const std::byte* source = MapBytes(warp, op, first, from[first], true, false);
  std::memcpy(MapBytes(warp, op, first, to[first], false, true), source, kTensorMapBytes);
  return Flow::kNext;
}

Op LowerCopy(const ptx::Instruction& instruction, Lowering& lowering) {
  AllowModifiers(instruction, lowering,
                 {"cp_fenceproxy", "global", "shared::cta", "tensormap::generic", "release", "cta", "cluster",
                  "gpu", "sys", "sync", "aligned"});
  RequireOperands(instruction, lowering, 3, 3);
  const ptx::Operand& size = instruction.operands[2];
  if (size.kind != ptx::Operand::Kind::kInteger || size.bits != kTensorMapBytes)
    lowering.Refuse("a size other than 128");
  CopyDetails details;
  details.to = lowering.Address(instruction.operands[0]);
  details.from = lowering.Address(instruction.operands[1]);
  Op op;
  op.run = RunCopy;
  op.aligned = true;
  op.details = lowering.Make(details);
  return op;
}

}  // namespace

Op LowerTensorMap(const ptx::Instruction& instruction, Lowering& lowering) {
  if (instruction.Has("replace")) return LowerReplace(instruction, lowering);
  if (instruction.Has("cp_fenceproxy")) return LowerCopy(instruction, lowering);
  return Refused(lowering, "an instruction that is not known");
}

}  // namespace emu
