// An arithmetic instruction while it is lowered: its types, its modifiers, its operands. Whatever nobody takes is refused.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "tools/emulator/alu/format.h"
#include "tools/emulator/exec/lowering.h"

namespace emu::alu {

// Bytes that a register of the type takes in the file, per lane: 8-bit registers are kept as 16. 0 for predicates.
std::uint32_t StorageBytes(ptx::Type type);

bool IsInteger(ptx::Type type);  // u8 ... u64, s8 ... s64
bool IsSigned(ptx::Type type);   // s8 ... s64
bool IsHalf(ptx::Type type);     // f16, bf16, f16x2, bf16x2
bool IsPacked(ptx::Type type);   // x2 of any kind
// u32 for b32, and so on; other types unchanged.
ptx::Type Unsigned(ptx::Type type);

class Decoder {
 public:
  Decoder(const ptx::Instruction& instruction, Lowering& lowering);

  // The modifiers that are types, in their order: type(0) of cvt.rn.f16.f32 is f16. kNone when there is none.
  ptx::Type type(std::size_t index = 0) const {
    return index < types_.size() ? types_[index] : ptx::Type::kNone;
  }
  std::size_t type_count() const { return types_.size(); }

  bool Has(const char* modifier) const { return instruction_.Has(modifier); }
  // True, and the modifier counts as understood, when the instruction has it.
  bool Take(const char* modifier);
  // The index of the one that the instruction has; -1 when it has none.
  int TakeOneOf(std::initializer_list<const char*> modifiers);
  // .rn .rz .rm .rp
  std::optional<Rounding> TakeRounding();

  std::size_t operand_count() const { return instruction_.operands.size(); }
  void NeedOperands(std::size_t count) const;
  // Of operand `index`; the register must have the storage that the type needs.
  std::uint32_t Source(std::size_t index, ptx::Type type) const;
  std::uint32_t Destination(std::size_t index, ptx::Type type) const;
  std::uint32_t Source(const ptx::Operand& operand, ptx::Type type) const;
  std::uint32_t Destination(const ptx::Operand& operand, ptx::Type type) const;
  // A predicate that is read, or the constant 0 or 1 in its place.
  std::uint32_t Predicate(std::size_t index, bool* negated) const;

  // An op on `handler`: operand 0 is written, of type `to`; the others are read, of the types `from`.
  Op Make(Handler handler, ptx::Type to, std::initializer_list<ptx::Type> from) const;

  // Refuses unless every modifier was taken and there are `types` types.
  void Done() const;
  void ExpectTypes(std::size_t count);
  [[noreturn]] void Refuse(const std::string& why) const {
    lowering_.Refuse(why);
    __builtin_unreachable();
  }
  // "<name>: not an instruction that the emulator knows for these types"
  [[noreturn]] void RefuseType() const;

  const ptx::Instruction& instruction() const { return instruction_; }
  Lowering& lowering() const { return lowering_; }

 private:
  struct Flag {
    const std::string* name;
    bool taken;
  };
  void CheckStorage(const ptx::Operand& operand, ptx::Type type) const;

  const ptx::Instruction& instruction_;
  Lowering& lowering_;
  std::vector<ptx::Type> types_;
  std::vector<Flag> flags_;
  std::size_t expected_types_ = 1;
};

// A Family's function from one that decodes.
template <Op (*kLower)(Decoder&)>
Op Lower(const ptx::Instruction& instruction, Lowering& lowering) {
  Decoder decoder(instruction, lowering);
  Op op = kLower(decoder);
  decoder.Done();
  return op;
}

}  // namespace emu::alu
