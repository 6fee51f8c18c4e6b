#include "tools/emulator/memory/qualifiers.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "tools/emulator/memory/addresses.h"

namespace emu {
namespace {

using Words = std::initializer_list<std::string_view>;

bool IsOneOf(std::string_view word, Words words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// PTX ISA, "Cache Eviction Priority Hints". They change no value.
bool IsPriority(std::string_view word) {
  return IsOneOf(word, {"L1::evict_normal", "L1::evict_unchanged", "L1::evict_first", "L1::evict_last",
                        "L1::no_allocate", "L2::evict_normal", "L2::evict_first", "L2::evict_last"});
}

bool IsLoadHint(std::string_view word) {
  return IsPriority(word) ||
         IsOneOf(word, {"ca", "cg", "cs", "lu", "cv", "nc", "L2::64B", "L2::128B", "L2::256B"});
}

bool IsStoreHint(std::string_view word) { return IsPriority(word) || IsOneOf(word, {"wb", "cg", "cs", "wt"}); }

bool IsOperation(std::string_view word) {
  return IsOneOf(word, {"add", "inc", "dec", "min", "max", "and", "or", "xor", "exch", "cas"});
}

bool ReadOrder(const std::string& word, Qualifiers* qualifiers) {
  struct Name {
    const char* word;
    Order order;
  };
  static constexpr Name kNames[] = {{"weak", Order::kWeak},       {"volatile", Order::kVolatile},
                                    {"relaxed", Order::kRelaxed}, {"acquire", Order::kAcquire},
                                    {"release", Order::kRelease}, {"acq_rel", Order::kAcquireRelease}};
  for (const Name& name : kNames) {
    if (word != name.word) continue;
    qualifiers->order = name.order;
    qualifiers->order_given = true;
    return true;
  }
  return false;
}

bool ReadVector(const std::string& word, Qualifiers* qualifiers) {
  if (word == "v2") qualifiers->vector = 2;
  if (word == "v4") qualifiers->vector = 4;
  if (word == "v8") qualifiers->vector = 8;
  return word == "v2" || word == "v4" || word == "v8";
}

bool ReadWord(const std::string& word, const Vocabulary& vocabulary, Qualifiers* qualifiers) {
  if (ReadOrder(word, qualifiers) || ReadVector(word, qualifiers)) return true;
  if (IsScope(word)) return qualifiers->scope_given = true;
  if (word == "L2::cache_hint") return qualifiers->cache_hint = true;
  if (word == "mmio") return vocabulary.loads || vocabulary.stores;
  if (IsSpace(word)) {
    qualifiers->space = word;
    return true;
  }
  if (vocabulary.loads && IsLoadHint(word)) return true;
  if (vocabulary.stores && IsStoreHint(word)) return true;
  if (vocabulary.updates && word == "noftz") return qualifiers->noftz = true;
  if (vocabulary.updates && IsOperation(word)) {
    qualifiers->operation = word;
    return true;
  }
  qualifiers->type = ptx::ParseType(word);
  return qualifiers->type != ptx::Type::kNone;
}

}  // namespace

bool IsScope(const std::string& modifier) { return IsOneOf(modifier, {"cta", "cluster", "gpu", "sys"}); }

Qualifiers ReadQualifiers(const ptx::Instruction& instruction, const Vocabulary& vocabulary,
                          const Lowering& lowering) {
  Qualifiers qualifiers;
  for (const std::string& word : instruction.modifiers) {
    if (!ReadWord(word, vocabulary, &qualifiers)) lowering.Refuse(fmt::format("not known: .{}", word));
  }
  if (ptx::SizeOf(qualifiers.type) == 0) lowering.Refuse("a type is missing");
  const bool wants_scope = qualifiers.order > Order::kVolatile;
  if (wants_scope && !qualifiers.scope_given && !vocabulary.updates) lowering.Refuse("a scope is missing");
  if (qualifiers.scope_given && !wants_scope && (qualifiers.order_given || !vocabulary.updates)) {
    lowering.Refuse("a scope without an order that has one");
  }
  return qualifiers;
}

void CheckOperands(const ptx::Instruction& instruction, std::size_t count, bool cache_hint,
                   Lowering& lowering) {
  const std::size_t wanted = count + (cache_hint ? 1 : 0);
  if (instruction.operands.size() != wanted) {
    lowering.Refuse(fmt::format("{} operands instead of {}", instruction.operands.size(), wanted));
  }
  if (cache_hint) lowering.Source(instruction.operands.back(), ptx::Type::kB64);
}

}  // namespace emu
