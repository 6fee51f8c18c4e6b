// PTX ISA, "cvt" between scalar types: what is decoded, and the general handler. convert_hot.cc has the frequent pairs,
// convert_packed.cc the packed types.
#include "tools/emulator/alu/convert.h"
#include "tools/emulator/alu/convert_hot.h"
#include "tools/emulator/alu/groups.h"
#include "tools/emulator/alu/lanes.h"

namespace emu::alu {
namespace {

using ptx::Type;

struct ConversionDetails : Details {
  Conversion conversion;
  std::uint32_t from_bytes = 0, to_bytes = 0;  // of the registers
};

std::uint64_t Load(const Warp& warp, std::uint32_t at, std::uint32_t bytes, std::uint32_t lane) {
  if (bytes == 2) return warp.Lanes<std::uint16_t>(at)[lane];
  if (bytes == 4) return warp.Lanes<std::uint32_t>(at)[lane];
  return warp.Lanes<std::uint64_t>(at)[lane];
}

void Store(Warp& warp, std::uint32_t at, std::uint32_t bytes, std::uint32_t lane, std::uint64_t value) {
  if (bytes == 2) {
    warp.Lanes<std::uint16_t>(at)[lane] = static_cast<std::uint16_t>(value);
  } else if (bytes == 4) {
    warp.Lanes<std::uint32_t>(at)[lane] = static_cast<std::uint32_t>(value);
  } else {
    warp.Lanes<std::uint64_t>(at)[lane] = value;
  }
}

Flow RunConvert(Warp& warp, const Op& op) {
  const auto& details = *static_cast<const ConversionDetails*>(op.details);
  for (std::uint32_t lane : Each(warp.active())) {
    const std::uint64_t raw = Load(warp, op.at[1], details.from_bytes, lane);
    Store(warp, op.at[0], details.to_bytes, lane, Convert(details.conversion, raw));
  }
  return Flow::kNext;
}

// "In the following cases" of the ISA's rounding modifiers: what is exact has none, what is not needs one.
void CheckRounding(Decoder& d, const Conversion& c, Type to, Type from, bool given) {
  const bool to_float = c.to.format != nullptr, from_float = c.from.format != nullptr;
  if (c.to_integer && (!from_float || (to_float && to != from)))
    d.Refuse("an integer rounding is not known here");
  if (!to_float && from_float && !c.to_integer) d.Refuse("needs .rni, .rzi, .rmi or .rpi");
  if (!to_float && !from_float && given) d.Refuse("a rounding is not known between integers");
  const bool narrows = to_float && (!from_float || c.to.format->mantissa_bits < c.from.format->mantissa_bits);
  const bool optional = IsHalf(to) && IsHalf(from);
  if (narrows && !given && !optional) d.Refuse("needs .rn, .rz, .rm or .rp");
}

void TakeRounding(Decoder& d, Conversion* c, Type to, Type from) {
  constexpr Rounding kModes[] = {Rounding::kNearest, Rounding::kZero, Rounding::kDown, Rounding::kUp};
  const int integer = d.TakeOneOf({"rni", "rzi", "rmi", "rpi"});
  const auto rounding = d.TakeRounding();
  const bool away = to == Type::kTF32 && d.Take("rna");
  if ((integer >= 0) + rounding.has_value() + away > 1) d.Refuse("has two roundings");
  c->to_integer = integer >= 0;
  c->rounding = away ? Rounding::kAway : integer >= 0 ? kModes[integer] : rounding.value_or(Rounding::kNearest);
  CheckRounding(d, *c, to, from, integer >= 0 || rounding || away);
}

// Registers of 32 and 64 bits may be wider than the integer or half precision type that is converted.
std::uint32_t RegisterBytes(const Decoder& d, std::size_t operand, Type type) {
  const Type have = d.lowering().RegisterType(d.instruction().operands[operand]);
  if (have == Type::kNone) return StorageBytes(type);
  const std::uint32_t bytes = StorageBytes(have);
  const bool wider = bytes >= StorageBytes(type) && type != Type::kF64 && have != Type::kB128;
  if (bytes == 0 || !wider) {
    if (bytes != StorageBytes(type)) d.Refuse("a register that does not fit the type");
  }
  return bytes;
}

Type OfBytes(std::uint32_t bytes) { return bytes == 2 ? Type::kB16 : bytes == 4 ? Type::kB32 : Type::kB64; }

}  // namespace

Op LowerCvt(Decoder& d) {
  if (d.Take("pack")) return LowerCvtPack(d);
  const Type to = d.type(0), from = d.type(1);
  const auto packed = [](Type t) { return IsPacked(t) || (t >= Type::kE4M3 && t <= Type::kUE8M0x2); };
  if (packed(to) || packed(from)) return LowerCvtPacked(d);
  d.ExpectTypes(2);
  d.NeedOperands(2);
  Conversion c;
  c.from = SideOf(from);
  c.to = SideOf(to);
  if (c.from.bits == 0 || c.to.bits == 0 || from == Type::kTF32 || (to == Type::kTF32 && from != Type::kF32))
    d.RefuseType();
  TakeRounding(d, &c, to, from);
  c.flush = d.Take("ftz");
  c.saturate = d.Take("sat");
  if (from == Type::kF32 && (IsHalf(to) || to == Type::kTF32)) {
    c.relu = d.Take("relu");
    c.finite = d.Take("satfinite");
  }
  if (c.flush && from != Type::kF32 && to != Type::kF32) d.RefuseType();
  if (c.saturate && (IsHalf(to) || IsHalf(from)) && (to == Type::kBF16 || from == Type::kBF16)) d.RefuseType();
  const bool wide = from == Type::kF64 || to == Type::kS64 || to == Type::kU64;
  c.nan = wide && c.to.format == nullptr ? std::uint64_t{1} << (c.to.bits - 1) : 0;

  ConversionDetails details;
  details.conversion = c;
  details.from_bytes = RegisterBytes(d, 1, from);
  details.to_bytes = RegisterBytes(d, 0, to);
  Op op;
  op.at[0] = d.Destination(0, OfBytes(details.to_bytes));
  // A constant has the type of the instruction; a register that is wider is read as it is.
  const bool constant = d.lowering().RegisterType(d.instruction().operands[1]) == Type::kNone;
  const bool small = ptx::SizeOf(from) == 1;
  op.at[1] = d.Source(1, !constant ? OfBytes(details.from_bytes)
                         : small   ? (IsSigned(from) ? Type::kS16 : Type::kU16)
                                   : from);
  op.run = HotConversion(c, to, from, details.to_bytes, details.from_bytes, &op.imm);
  if (op.run == nullptr) {
    op.run = RunConvert;
    op.details = d.lowering().Make(details);
  }
  return op;
}

}  // namespace emu::alu
