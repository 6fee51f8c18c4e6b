#include "tools/emulator/memory/hints.h"

#include <fmt/core.h>

#include <cstring>
#include <string>
#include <string_view>

#include "tools/emulator/memory/addresses.h"
#include "tools/emulator/memory/device_memory.h"
#include "tools/emulator/memory/lanes.h"
#include "tools/emulator/memory/qualifiers.h"

namespace emu {
namespace {

struct HintDetails : Details {
  MemoryOperand memory;
};

Flow RunNothing(Warp&, const Op&) { return Flow::kNext; }

std::string Words(const ptx::Instruction& instruction) {
  std::string words;
  for (const std::string& word : instruction.modifiers) words += "." + word;
  return words;
}

template <std::size_t kCount>
bool IsOneOf(std::string_view words, const std::string_view (&forms)[kCount]) {
  for (std::string_view form : forms) {
    if (words == form) return true;
  }
  return false;
}

// The operands of discard and applypriority: [a], 128, in global memory.
HintDetails ReadLine(const ptx::Instruction& instruction, const char* verb, Lowering& lowering) {
  CheckOperands(instruction, 2, false, lowering);
  const ptx::Operand& size = instruction.operands[1];
  if (size.kind != ptx::Operand::Kind::kInteger || size.bits != 128) lowering.Refuse("the size is not 128");
  HintDetails details;
  details.memory.address = lowering.Address(instruction.operands[0]);
  details.memory.window = WindowOf("global", details.memory.address, lowering);
  details.memory.bytes = 128;
  details.memory.alignment = 128;
  details.memory.verb = verb;
  return details;
}

// The bytes have no value any more.
Flow RunDiscard(Warp& warp, const Op& op) {
  Places places;
  Resolve(warp, op, static_cast<const HintDetails&>(*op.details).memory, warp.active(), &places);
  for (std::uint32_t lane : Each(warp.active())) {
    std::memset(reinterpret_cast<void*>(places.host[lane]), DeviceMemory::kPoison, 128);
  }
  return Flow::kNext;
}

Flow RunApplypriority(Warp& warp, const Op& op) {
  Places places;
  Resolve(warp, op, static_cast<const HintDetails&>(*op.details).memory, warp.active(), &places);
  return Flow::kNext;
}

// What a policy's 64 bits are is not documented; some number that is not zero.
constexpr std::uint64_t kPolicy = 0x12f0000000000000;

Flow RunCreatepolicy(Warp& warp, const Op& op) {
  auto* policy = warp.Lanes<std::uint64_t>(op.at[0]);
  for (std::uint32_t lane : Each(warp.active())) policy[lane] = kPolicy;
  return Flow::kNext;
}

bool IsPrimary(std::string_view word) {
  constexpr std::string_view kPriorities[] = {"L2::evict_last", "L2::evict_normal", "L2::evict_first",
                                              "L2::evict_unchanged"};
  return IsOneOf(word, kPriorities);
}

bool IsSecondary(std::string_view word) { return word == "L2::evict_first" || word == "L2::evict_unchanged"; }

// createpolicy.fractional and .range: priorities between `from` and the last word, .b64.
void CheckPriorities(const ptx::Instruction& instruction, std::size_t from, const Lowering& lowering) {
  const auto& words = instruction.modifiers;
  const std::size_t count = words.size() > from ? words.size() - from - 1 : 0;
  const bool good = (count == 1 || count == 2) && words.back() == "b64" && IsPrimary(words[from]) &&
                    (count == 1 || IsSecondary(words[from + 1]));
  if (!good) lowering.Refuse(fmt::format("not known: {}", Words(instruction)));
}

void CheckPolicyWords(const ptx::Instruction& instruction, Lowering& lowering) {
  const auto& words = instruction.modifiers;
  const std::string first = words.empty() ? "" : words[0];
  const std::size_t operands = instruction.operands.size();
  if (first == "fractional") {
    CheckPriorities(instruction, 1, lowering);
    if (operands != 1) CheckOperands(instruction, 2, false, lowering);
  } else if (first == "range") {
    CheckPriorities(instruction, words.size() > 1 && words[1] == "global" ? 2 : 1, lowering);
    CheckOperands(instruction, 4, false, lowering);
  } else if (Words(instruction) == ".cvt.L2.b64") {
    CheckOperands(instruction, 2, false, lowering);
  } else {
    lowering.Refuse(fmt::format("not known: {}", Words(instruction)));
  }
}

}  // namespace

Op LowerPrefetch(const ptx::Instruction& instruction, Lowering& lowering) {
  constexpr std::string_view kForms[] = {".L1",
                                         ".L2",
                                         ".global.L1",
                                         ".global.L2",
                                         ".local.L1",
                                         ".local.L2",
                                         ".global.L2::evict_last",
                                         ".global.L2::evict_normal",
                                         ".tensormap",
                                         ".const.tensormap",
                                         ".param.tensormap"};
  const std::string words = Words(instruction);
  const bool known = instruction.opcode == "prefetchu" ? words == ".L1" : IsOneOf(words, kForms);
  if (!known) lowering.Refuse(fmt::format("not known: {}", words));
  CheckOperands(instruction, 1, false, lowering);
  lowering.Address(instruction.operands[0]);
  Op op;
  op.run = RunNothing;
  return op;
}

Op LowerDiscard(const ptx::Instruction& instruction, Lowering& lowering) {
  const std::string words = Words(instruction);
  if (words != ".L2" && words != ".global.L2") lowering.Refuse(fmt::format("not known: {}", words));
  Op op;
  op.run = RunDiscard;
  op.details = lowering.Make(ReadLine(instruction, "discards", lowering));
  return op;
}

Op LowerApplypriority(const ptx::Instruction& instruction, Lowering& lowering) {
  const std::string words = Words(instruction);
  if (words != ".L2::evict_normal" && words != ".global.L2::evict_normal") {
    lowering.Refuse(fmt::format("not known: {}", words));
  }
  Op op;
  op.run = RunApplypriority;
  op.details = lowering.Make(ReadLine(instruction, "gives a priority to", lowering));
  return op;
}

Op LowerCreatepolicy(const ptx::Instruction& instruction, Lowering& lowering) {
  CheckPolicyWords(instruction, lowering);
  if (RegisterBytes(instruction.operands[0], ptx::Type::kB64, lowering) != 8)
    lowering.Refuse("a policy has 64 bits");
  for (std::size_t i = 1; i < instruction.operands.size(); ++i) {
    const ptx::Operand& operand = instruction.operands[i];
    if (operand.kind == ptx::Operand::Kind::kAddress) {
      lowering.Address(operand);
    } else {
      const bool fraction = instruction.modifiers[0] == "fractional";
      const bool cvt = instruction.modifiers[0] == "cvt";
      lowering.Source(operand, fraction ? ptx::Type::kF32 : cvt ? ptx::Type::kB64 : ptx::Type::kU32);
    }
  }
  Op op;
  op.run = RunCreatepolicy;
  op.at[0] = lowering.Destination(instruction.operands[0], ptx::Type::kB64);
  return op;
}

}  // namespace emu
