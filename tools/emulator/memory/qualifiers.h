// What the words between the dots of ld, st, atom and red say.
#pragma once

#include <cstdint>
#include <string>

#include "tools/emulator/exec/lowering.h"

namespace emu {

// PTX ISA, "Memory Consistency Model", "Operation Types". Strong operations are all but the weak ones.
enum class Order : std::uint8_t { kWeak, kVolatile, kRelaxed, kAcquire, kRelease, kAcquireRelease };

struct Qualifiers {
  std::string space;  // "" when generic
  Order order = Order::kWeak;
  bool order_given = false;
  bool scope_given = false;
  bool cache_hint = false;  // one more operand: the cache policy
  bool noftz = false;
  std::uint32_t vector = 1;           // of .v2, .v4, .v8
  ptx::Type type = ptx::Type::kNone;  // the last one
  std::string operation;              // of atom and red: "add"
};

// Which words an instruction may have beyond spaces, orders, scopes, vectors, types and .L2::cache_hint.
struct Vocabulary {
  bool loads = false;    // .ca .cg .cs .lu .cv .nc, prefetch sizes, eviction priorities
  bool stores = false;   // .wb .cg .cs .wt, eviction priorities
  bool updates = false;  // .add, .noftz, ...
};

// Refuses every other word, orders that want a scope and have none, and a missing type.
Qualifiers ReadQualifiers(const ptx::Instruction& instruction, const Vocabulary& vocabulary,
                          const Lowering& lowering);

bool IsScope(const std::string& modifier);  // "cta", "cluster", "gpu", "sys"

// Refuses all but `count` operands, the cache policy of .L2::cache_hint included, which it looks at.
void CheckOperands(const ptx::Instruction& instruction, std::size_t count, bool cache_hint, Lowering& lowering);

}  // namespace emu
