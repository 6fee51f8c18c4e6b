#include "tools/emulator/alu/decode.h"

#include <fmt/core.h>

#include "tools/emulator/alu/lanes.h"

namespace emu::alu {

using ptx::Type;

std::uint32_t StorageBytes(Type type) {
  const std::uint32_t bytes = ptx::SizeOf(type);
  return bytes == 1 ? 2 : bytes;
}

bool IsInteger(Type type) { return type >= Type::kU8 && type <= Type::kS64; }
bool IsSigned(Type type) { return type >= Type::kS8 && type <= Type::kS64; }
bool IsHalf(Type type) {
  return type == Type::kF16 || type == Type::kBF16 || type == Type::kF16x2 || type == Type::kBF16x2;
}
bool IsPacked(Type type) {
  switch (type) {
    case Type::kF16x2:
    case Type::kBF16x2:
    case Type::kU16x2:
    case Type::kS16x2:
    case Type::kF32x2:
      return true;
    default:
      return false;
  }
}

Type Unsigned(Type type) {
  switch (type) {
    case Type::kB8:
      return Type::kU8;
    case Type::kB16:
      return Type::kU16;
    case Type::kB32:
      return Type::kU32;
    case Type::kB64:
      return Type::kU64;
    default:
      return type;
  }
}

Decoder::Decoder(const ptx::Instruction& instruction, Lowering& lowering)
    : instruction_(instruction), lowering_(lowering) {
  for (const std::string& modifier : instruction.modifiers) {
    if (const Type type = ptx::ParseType(modifier); type != Type::kNone) {
      types_.push_back(type);
    } else {
      flags_.push_back({&modifier, false});
    }
  }
}

bool Decoder::Take(const char* modifier) {
  for (Flag& flag : flags_) {
    if (*flag.name != modifier) continue;
    flag.taken = true;
    return true;
  }
  return false;
}

int Decoder::TakeOneOf(std::initializer_list<const char*> modifiers) {
  int index = 0;
  for (const char* modifier : modifiers) {
    if (Take(modifier)) return index;
    ++index;
  }
  return -1;
}

std::optional<Rounding> Decoder::TakeRounding() {
  constexpr Rounding kModes[] = {Rounding::kNearest, Rounding::kZero, Rounding::kDown, Rounding::kUp};
  const int index = TakeOneOf({"rn", "rz", "rm", "rp"});
  return index < 0 ? std::nullopt : std::optional(kModes[index]);
}

void Decoder::NeedOperands(std::size_t count) const {
  if (instruction_.operands.size() == count) return;
  Refuse(fmt::format("has {} operands where {} are known", instruction_.operands.size(), count));
}

void Decoder::CheckStorage(const ptx::Operand& operand, Type type) const {
  const Type have = lowering_.RegisterType(operand);
  if (have == Type::kNone) return;
  if (StorageBytes(have) == StorageBytes(type) && (have == Type::kPred) == (type == Type::kPred)) return;
  Refuse(fmt::format("a register of type .{} where .{} is needed", ptx::ToString(have), ptx::ToString(type)));
}

std::uint32_t Decoder::Source(const ptx::Operand& operand, Type type) const {
  CheckStorage(operand, type);
  return lowering_.Source(operand, type);
}

std::uint32_t Decoder::Destination(const ptx::Operand& operand, Type type) const {
  if (operand.kind != ptx::Operand::Kind::kRegister && operand.kind != ptx::Operand::Kind::kSink) {
    Refuse("the destination is no register");
  }
  CheckStorage(operand, type);
  return lowering_.Destination(operand, type);
}

std::uint32_t Decoder::Source(std::size_t index, Type type) const {
  if (index >= instruction_.operands.size()) Refuse(fmt::format("operand {} is missing", index));
  return Source(instruction_.operands[index], type);
}

std::uint32_t Decoder::Destination(std::size_t index, Type type) const {
  if (index >= instruction_.operands.size()) Refuse(fmt::format("operand {} is missing", index));
  return Destination(instruction_.operands[index], type);
}

std::uint32_t Decoder::Predicate(std::size_t index, bool* negated) const {
  if (index >= instruction_.operands.size()) Refuse(fmt::format("operand {} is missing", index));
  const ptx::Operand& operand = instruction_.operands[index];
  if (operand.kind == ptx::Operand::Kind::kInteger) {
    ptx::Operand mask;
    mask.kind = ptx::Operand::Kind::kInteger;
    mask.bits = operand.bits != 0 ? kAllLanes : 0;
    *negated = false;
    return lowering_.Source(mask, Type::kB32);
  }
  if (operand.kind == ptx::Operand::Kind::kRegister && lowering_.RegisterType(operand) != Type::kPred) {
    Refuse("a register where a predicate is needed");
  }
  return lowering_.Predicate(operand, negated);
}

Op Decoder::Make(Handler handler, Type to, std::initializer_list<Type> from) const {
  NeedOperands(from.size() + 1);
  Op op;
  op.run = handler;
  op.at[0] = Destination(0, to);
  std::size_t index = 1;
  for (Type type : from) {
    op.at[index] = Source(index, type);
    ++index;
  }
  return op;
}

void Decoder::ExpectTypes(std::size_t count) { expected_types_ = count; }

void Decoder::Done() const {
  for (const Flag& flag : flags_) {
    if (!flag.taken) Refuse(fmt::format("the modifier .{} is not known here", *flag.name));
  }
  if (types_.size() != expected_types_) {
    Refuse(fmt::format("has {} types where {} are known", types_.size(), expected_types_));
  }
}

void Decoder::RefuseType() const { Refuse("not an instruction that the emulator knows for these types"); }

}  // namespace emu::alu
