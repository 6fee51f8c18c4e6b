// PTX ISA, "cvt" of packed types and "cvt.pack".
#include "tools/emulator/alu/convert.h"
#include "tools/emulator/alu/convert_hot.h"
#include "tools/emulator/alu/groups.h"
#include "tools/emulator/alu/integer.h"

namespace emu::alu {
namespace {

using ptx::Type;

// Elements lie side by side, the first operand's (or the upper one) on top.
struct PackedDetails : Details {
  Conversion conversion;
  bool from_two = false;  // two registers, else the halves of one
  std::uint32_t from_bytes = 0, to_bytes = 0;
};

std::uint64_t Load(const Warp& warp, std::uint32_t at, std::uint32_t bytes, std::uint32_t lane) {
  return bytes == 2 ? warp.Lanes<std::uint16_t>(at)[lane] : warp.Lanes<std::uint32_t>(at)[lane];
}

Flow RunPacked(Warp& warp, const Op& op) {
  const auto& details = *static_cast<const PackedDetails*>(op.details);
  const Conversion& c = details.conversion;
  for (std::uint32_t lane : Each(warp.active())) {
    const std::uint64_t first = Load(warp, op.at[1], details.from_bytes, lane);
    const std::uint64_t high = details.from_two ? first : first >> c.from.bits;
    const std::uint64_t low = details.from_two ? Load(warp, op.at[2], details.from_bytes, lane) : first;
    const std::uint64_t packed = Convert(c, high) << c.to.bits | Convert(c, low);
    if (details.to_bytes == 2) {
      warp.Lanes<std::uint16_t>(op.at[0])[lane] = static_cast<std::uint16_t>(packed);
    } else {
      warp.Lanes<std::uint32_t>(op.at[0])[lane] = static_cast<std::uint32_t>(packed);
    }
  }
  return Flow::kNext;
}

bool IsNarrow(Type type) { return type >= Type::kE4M3x2 && type <= Type::kUE8M0x2; }

// Whether the ISA has the pair at all.
bool Known(Type to, Type from) {
  switch (to) {
    case Type::kF16x2:
      return from == Type::kF32 || (IsNarrow(from) && from != Type::kUE8M0x2);
    case Type::kBF16x2:
      return from == Type::kF32 || from == Type::kUE8M0x2;
    case Type::kE4M3x2:
    case Type::kE5M2x2:
      return from == Type::kF32 || from == Type::kF16x2;
    case Type::kE2M3x2:
    case Type::kE3M2x2:
    case Type::kE2M1x2:
      return from == Type::kF32;
    case Type::kUE8M0x2:
      return from == Type::kF32 || from == Type::kBF16x2;
    default:
      return false;
  }
}

void CheckRounding(Decoder& d, Type to, Rounding rounding) {
  const bool halves = to == Type::kF16x2 || to == Type::kBF16x2;
  const bool nearest = rounding == Rounding::kNearest, zero = rounding == Rounding::kZero;
  const bool known = to == Type::kUE8M0x2 ? zero || rounding == Rounding::kUp
                     : halves             ? nearest || zero
                                          : nearest;
  if (!known) d.Refuse("the rounding is not known for the types");
}

// cvt.pack. Op::imm: bits of the result's elements, their sign. at: d, a, b, c. The elements a and b, saturated, come below
// what was there before: c moves up.
Flow RunPack(Warp& warp, const Op& op) {
  const int bits = static_cast<int>(op.imm & 0xff);
  const bool is_signed = (op.imm & 0x100) != 0;
  const std::int64_t lowest = is_signed ? -(std::int64_t{1} << (bits - 1)) : 0;
  const std::int64_t highest = (std::int64_t{1} << (is_signed ? bits - 1 : bits)) - 1;
  const std::int64_t mask = (std::int64_t{1} << bits) - 1;
  const std::int32_t* a = warp.Lanes<std::int32_t>(op.at[1]);
  const std::int32_t* b = warp.Lanes<std::int32_t>(op.at[2]);
  const std::uint32_t* c = warp.Lanes<std::uint32_t>(op.at[3]);
  std::uint32_t* d = warp.Lanes<std::uint32_t>(op.at[0]);
  const auto saturate = [&](std::int32_t x) {
    return static_cast<std::uint64_t>((x < lowest ? lowest : x > highest ? highest : x) & mask);
  };
  for (std::uint32_t lane : Each(warp.active())) {
    const std::uint64_t above = bits == 16 ? 0 : std::uint64_t{c[lane]} << 2 * bits;
    d[lane] = static_cast<std::uint32_t>(above | saturate(a[lane]) << bits | saturate(b[lane]));
  }
  return Flow::kNext;
}

}  // namespace

Op LowerCvtPacked(Decoder& d) {
  d.ExpectTypes(2);
  const Type to = d.type(0), from = d.type(1);
  if (d.Has("rs")) d.Refuse("stochastic rounding is not known to the emulator");
  if (!Known(to, from)) d.RefuseType();
  PackedDetails details;
  Conversion& c = details.conversion;
  c.from = SideOf(from);
  c.to = SideOf(to);
  const auto rounding = d.TakeRounding();
  if (!rounding) d.Refuse("needs a rounding");
  CheckRounding(d, to, *rounding);
  c.rounding = *rounding;
  c.relu = to != Type::kUE8M0x2 && from != Type::kUE8M0x2 && d.Take("relu");
  c.finite = !IsNarrow(from) && d.Take("satfinite");
  if (IsNarrow(to) && to != Type::kUE8M0x2 && !c.finite) d.Refuse("needs .satfinite");
  details.from_two = from == Type::kF32;
  details.from_bytes = details.from_two ? 4 : StorageBytes(from);
  details.to_bytes = StorageBytes(to);
  Op op = details.from_two ? d.Make(RunPacked, to, {from, from}) : d.Make(RunPacked, to, {from});
  const bool plain = !c.relu && !c.finite && details.from_two && c.rounding == Rounding::kNearest;
  if (const Handler hot = plain ? HotPackedConversion(to) : nullptr; hot != nullptr) {
    op.run = hot;
  } else {
    op.details = d.lowering().Make(details);
  }
  return op;
}

Op LowerCvtPack(Decoder& d) {
  if (!d.Take("sat")) d.Refuse("needs .sat");
  const Type to = d.type(0);
  std::int64_t shape = 0;
  std::size_t types = 3;
  if (to == Type::kU16 || to == Type::kS16) {
    shape = 16 | (to == Type::kS16 ? 0x100 : 0);
    types = 2;
  } else if (to == Type::kU8 || to == Type::kS8) {
    shape = 8 | (to == Type::kS8 ? 0x100 : 0);
  } else {
    constexpr std::int64_t kShapes[] = {4, 4 | 0x100, 2, 2 | 0x100};
    const int small = d.TakeOneOf({"u4", "s4", "u2", "s2"});  // no types elsewhere
    if (small < 0) d.RefuseType();
    shape = kShapes[small];
  }
  const std::size_t listed = shape == 16 || shape == (16 | 0x100) || (shape & 0xff) == 8 ? types : types - 1;
  d.ExpectTypes(listed);
  if (d.type(listed - (types == 3 ? 2 : 1)) != Type::kS32 || (types == 3 && d.type(listed - 1) != Type::kB32))
    d.RefuseType();
  Op op = types == 2 ? d.Make(RunPack, Type::kB32, {Type::kS32, Type::kS32})
                     : d.Make(RunPack, Type::kB32, {Type::kS32, Type::kS32, Type::kB32});
  if (types == 2) op.at[3] = op.at[2];
  op.imm = shape;
  return op;
}

}  // namespace emu::alu
