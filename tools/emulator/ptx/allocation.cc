#include "tools/emulator/ptx/module.h"

namespace emu::ptx {
namespace {

Allocation::Class ClassOf(Type type) {
  if (type == Type::kPred) return Allocation::kPredicate;
  const std::uint32_t bytes = SizeOf(type);
  if (bytes <= 2) return Allocation::kBits16;
  if (bytes <= 4) return Allocation::kBits32;
  return bytes <= 8 ? Allocation::kBits64 : Allocation::kBits128;
}

}  // namespace

Allocation AllocateRegisters(const Function& function) {
  Allocation allocation;
  for (const Register& reg : function.registers) {
    const Allocation::Class bits = ClassOf(reg.type);
    allocation.classes.push_back(bits);
    allocation.slots.push_back(allocation.slot_counts[bits]++);
  }
  return allocation;
}

}  // namespace emu::ptx
