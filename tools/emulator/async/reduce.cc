#include "tools/emulator/async/reduce.h"

#include <cstring>

#include "tools/emulator/memory/atomic_operations.h"

namespace emu {
namespace {

constexpr const char* kNames[] = {"none", "add", "min", "max", "inc", "dec", "and", "or", "xor"};

bool IsNarrow(ptx::Type type) { return type == ptx::Type::kF16 || type == ptx::Type::kBF16; }

}  // namespace

Reduction ParseReduction(const std::string& modifier) {
  for (int i = 1; i <= static_cast<int>(Reduction::kXor); ++i) {
    if (modifier == kNames[i]) return static_cast<Reduction>(i);
  }
  return Reduction::kNone;
}

const char* ToString(Reduction reduction) { return kNames[static_cast<int>(reduction)]; }

bool CanReduce(Reduction reduction, ptx::Type type) {
  using ptx::Type;
  switch (reduction) {
    case Reduction::kNone:
      return false;
    case Reduction::kInc:
    case Reduction::kDec:
      return type == Type::kU32;
    case Reduction::kAnd:
    case Reduction::kOr:
    case Reduction::kXor:
      return type == Type::kB32 || type == Type::kB64 || type == Type::kU32 || type == Type::kS32 ||
             type == Type::kU64 || type == Type::kS64;
    case Reduction::kAdd:
      return type == Type::kU32 || type == Type::kS32 || type == Type::kU64 || IsNarrow(type) ||
             type == Type::kF32 || type == Type::kF64;
    default:
      return type == Type::kU32 || type == Type::kS32 || type == Type::kU64 || type == Type::kS64 ||
             IsNarrow(type);
  }
}

void Reduce(Reduction reduction, ptx::Type type, std::byte* to, const std::byte* from, std::size_t elements) {
  const std::uint32_t size = ptx::SizeOf(type);
  const bool bitwise = reduction >= Reduction::kAnd;
  const ptx::Type bits = size == 8 ? ptx::Type::kB64 : ptx::Type::kB32;
  // An H200 keeps subnormals in a bulk reduction (2026-11-21), as atomics do in shared memory but not in global.
  const AtomicOperation operation =
      FindAtomicOperation(ToString(reduction), bitwise ? bits : type, IsNarrow(type));
  const Combine combine = operation.shared != nullptr ? operation.shared : operation.global;
  for (std::size_t i = 0; i < elements; ++i) {
    std::uint64_t old = 0, operand = 0;
    std::memcpy(&old, to + i * size, size);
    std::memcpy(&operand, from + i * size, size);
    old = combine(old, operand, 0);
    std::memcpy(to + i * size, &old, size);
  }
}

}  // namespace emu
