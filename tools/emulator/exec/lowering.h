// From ptx::Instruction to Op: what the families of instructions are given, and give.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tools/emulator/exec/op.h"
#include "tools/emulator/exec/warp.h"
#include "tools/emulator/ptx/module.h"

namespace emu {

// A memory operand [base + offset]: the lanes' addresses are the values at `base`, sign-extended never, + offset.
struct AddressOperand {
  std::uint32_t base = 0;    // offset in the register file
  bool wide = true;          // std::uint64_t[32], else std::uint32_t[32] (shared addresses)
  std::int64_t offset = 0;
  // The space that the operand itself tells: kParam for a kernel parameter, kLocal for a variable in local memory or a
  // parameter of a call (both in the thread's local memory), kShared, kGlobal, kConst; kNone for a register.
  ptx::Space space = ptx::Space::kNone;
};

// Addresses of the lanes in `mask`; the others are left alone.
void LaneAddresses(const Warp& warp, const AddressOperand& operand, LaneMask mask, std::uint64_t (&out)[kWarpSize]);

class Lowering {
 public:
  virtual ~Lowering() = default;

  // Offset of an operand that is read. A register: its own storage, whatever its type (the handler asks for Lanes<T> of the
  // register's size: registers of 8 and 16 bits are kept as 16, values above the instruction's type are as PTX leaves them).
  // An integer or a float: a constant of `type`, the same in all lanes. A special register: its value. A symbol: its address.
  // -r, !p are refused here: see Predicate. Throws Stop (kUnsupported).
  virtual std::uint32_t Source(const ptx::Operand& operand, ptx::Type type) = 0;
  // Offset of an operand that is written; storage that nobody reads for `_`.
  virtual std::uint32_t Destination(const ptx::Operand& operand, ptx::Type type) = 0;
  // Offset of a predicate, and whether it is to be negated.
  virtual std::uint32_t Predicate(const ptx::Operand& operand, bool* negated) = 0;
  virtual AddressOperand Address(const ptx::Operand& operand) = 0;
  // Type of a register operand; kNone for others.
  virtual ptx::Type RegisterType(const ptx::Operand& operand) const = 0;
  // Storage of the family's own in every warp's file: `bytes` per warp, 64-byte aligned, zero at first.
  virtual std::uint32_t Scratch(std::uint32_t bytes) = 0;
  // Keeps the details as long as the program.
  virtual const Details* Keep(std::unique_ptr<Details> details) = 0;
  // Throws Stop (kUnsupported): "<name>: <why>", with the kernel and the line.
  [[noreturn]] virtual void Refuse(const std::string& why) const = 0;
  virtual const ptx::Module& module() const = 0;
  virtual const ptx::Function& function() const = 0;

  // Offset of the carry flag CC.CF, a predicate: one for everything that this object lowers.
  std::uint32_t CarryFlag() {
    if (carry_flag_ == Op::kNone) carry_flag_ = Scratch(sizeof(LaneMask));
    return carry_flag_;
  }

  template <class T>
  const T* Make(T details) {
    return static_cast<const T*>(Keep(std::make_unique<T>(std::move(details))));
  }

 private:
  std::uint32_t carry_flag_ = Op::kNone;
};

// The instructions with one first word. Guards, line and name are filled in by who calls.
struct Family {
  const char* opcode;  // "add"
  Op (*lower)(const ptx::Instruction& instruction, Lowering& lowering);
};

}  // namespace emu
