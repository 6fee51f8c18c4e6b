#include "tools/emulator/memory/conversions.h"

#include <fmt/core.h>

#include <vector>

#include "tools/emulator/memory/addresses.h"
#include "tools/emulator/memory/lanes.h"
#include "tools/emulator/memory/qualifiers.h"

namespace emu {
namespace {

constexpr std::uint64_t kOffsetMask = (std::uint64_t{1} << kRankShift) - 1;
// Of shared addresses that nobody has: what a conversion gives that has no right answer. A use is then reported as such.
constexpr std::uint64_t kNoRank = 0xff;

// Addresses in a register of 32 or 64 bits.
struct AddressRegister {
  std::uint32_t at = Op::kNone;
  bool wide = true;

  std::uint64_t Get(const Warp& warp, std::uint32_t lane) const {
    return wide ? warp.Lanes<std::uint64_t>(at)[lane] : warp.Lanes<std::uint32_t>(at)[lane];
  }
  void Set(Warp& warp, std::uint32_t lane, std::uint64_t value) const {
    if (wide) {
      warp.Lanes<std::uint64_t>(at)[lane] = value;
    } else {
      warp.Lanes<std::uint32_t>(at)[lane] = static_cast<std::uint32_t>(value);
    }
  }
};

bool IsWide(const ptx::Operand& operand, ptx::Type type, const Lowering& lowering) {
  const std::uint32_t bytes = RegisterBytes(operand, type, lowering);
  if (bytes != 4 && bytes != 8) lowering.Refuse("addresses have 32 or 64 bits");
  return bytes == 8;
}

AddressRegister SourceOf(const ptx::Operand& operand, ptx::Type type, Lowering& lowering) {
  const bool wide = IsWide(operand, type, lowering);
  return {lowering.Source(operand, type), wide};
}

AddressRegister DestinationOf(const ptx::Operand& operand, ptx::Type type, Lowering& lowering) {
  const bool wide = IsWide(operand, type, lowering);
  return {lowering.Destination(operand, type), wide};
}

struct Conversion : Details {
  AddressRegister to, from;
  std::uint64_t window = 0;  // start of the window; 0 for global and const
};

Flow RunToGeneric(Warp& warp, const Op& op) {
  const auto& details = static_cast<const Conversion&>(*op.details);
  for (std::uint32_t lane : Each(warp.active())) {
    std::uint64_t address = details.from.Get(warp, lane);
    // An address of the space has 32 bits.
    if (details.window != 0) address = details.window + static_cast<std::uint32_t>(address);
    details.to.Set(warp, lane, address);
  }
  return Flow::kNext;
}

Flow RunFromGeneric(Warp& warp, const Op& op) {
  const auto& details = static_cast<const Conversion&>(*op.details);
  for (std::uint32_t lane : Each(warp.active())) {
    std::uint64_t address = details.from.Get(warp, lane);
    if (details.window != 0) {
      address = InWindow(address, details.window) ? address - details.window
                                                  : kNoRank << kRankShift | (address & kOffsetMask);
    }
    details.to.Set(warp, lane, address);
  }
  return Flow::kNext;
}

std::uint64_t WindowStart(Window window) {
  switch (window) {
    case Window::kShared:
    case Window::kSharedCluster:
      return kSharedWindow;
    case Window::kLocal:
      return kLocalWindow;
    case Window::kParam:
      return kParamWindow;
    default:
      return 0;
  }
}

// The state space among the words, and the type; everything else is refused.
struct SpaceAndType {
  std::string space;
  ptx::Type type = ptx::Type::kNone;
  bool to = false;
};

SpaceAndType ReadWords(const ptx::Instruction& instruction, const Lowering& lowering) {
  SpaceAndType words;
  for (const std::string& word : instruction.modifiers) {
    if (word == "to" && instruction.opcode == "cvta") {
      words.to = true;
    } else if (IsSpace(word) && words.space.empty()) {
      words.space = word;
    } else if (word == "u32" || word == "u64") {
      words.type = ptx::ParseType(word);
    } else {
      lowering.Refuse(fmt::format("not known: .{}", word));
    }
  }
  return words;
}

struct SpaceTest : Details {
  AddressRegister from;
  Window window = Window::kGeneric;
  struct Range {
    std::uint32_t begin;  // a register of 64 bits
    std::uint64_t bytes;
  };
  std::vector<Range> constants;
};

bool InRanges(const Warp& warp, const SpaceTest& test, std::uint32_t lane, std::uint64_t address) {
  for (const SpaceTest::Range& range : test.constants) {
    if (address - warp.Lanes<std::uint64_t>(range.begin)[lane] < range.bytes) return true;
  }
  return false;
}

bool IsIn(const Warp& warp, const SpaceTest& test, std::uint32_t lane, std::uint64_t address) {
  const bool shared = InWindow(address, kSharedWindow);
  const auto at = static_cast<std::uint32_t>(address - kSharedWindow);
  switch (test.window) {
    case Window::kShared:
      return shared && at >> kRankShift == warp.cta().rank;
    case Window::kSharedCluster:
      return shared && warp.cluster().OwnerOf(at) != nullptr;
    case Window::kLocal:
      return InWindow(address, kLocalWindow);
    case Window::kParam:
      return InWindow(address, kParamWindow);
    case Window::kConst:
      return InRanges(warp, test, lane, address);
    default:
      // The windows of constants and of kernel parameters are parts of the global one ("Generic Addressing").
      return !shared && !InWindow(address, kLocalWindow);
  }
}

Flow RunIsspacep(Warp& warp, const Op& op) {
  const auto& test = static_cast<const SpaceTest&>(*op.details);
  LaneMask& result = warp.Mask(op.at[0]);
  for (std::uint32_t lane : Each(warp.active())) {
    const LaneMask bit = LaneMask{1} << lane;
    result = IsIn(warp, test, lane, test.from.Get(warp, lane)) ? result | bit : result & ~bit;
  }
  return Flow::kNext;
}

struct Mapping : Details {
  AddressRegister to, from;
  AddressRegister rank;
  bool generic = false;
};

// The same offset in another CTA. A rank that the cluster does not have gives an address that nobody has.
std::uint64_t Map(std::uint64_t address, std::uint64_t rank, bool generic) {
  if (generic && !InWindow(address, kSharedWindow))
    return kSharedWindow | kNoRank << kRankShift | (address & kOffsetMask);
  const std::uint64_t start = generic ? kSharedWindow : 0;
  const std::uint64_t at = address - start;
  const std::uint64_t source = at >> kRankShift;
  const std::uint64_t target = source >= kNoRank || rank >= kNoRank ? kNoRank : rank;
  return start + (target << kRankShift | (at & kOffsetMask));
}

Flow RunMapa(Warp& warp, const Op& op) {
  const auto& details = static_cast<const Mapping&>(*op.details);
  for (std::uint32_t lane : Each(warp.active())) {
    const std::uint64_t rank = details.rank.Get(warp, lane);
    details.to.Set(warp, lane, Map(details.from.Get(warp, lane), rank, details.generic));
  }
  return Flow::kNext;
}

Flow RunGetctarank(Warp& warp, const Op& op) {
  const auto& details = static_cast<const Mapping&>(*op.details);
  for (std::uint32_t lane : Each(warp.active())) {
    const std::uint64_t address = details.from.Get(warp, lane) - (details.generic ? kSharedWindow : 0);
    const Cta* owner =
        address > 0xffffffff ? nullptr : warp.cluster().OwnerOf(static_cast<std::uint32_t>(address));
    if (owner == nullptr) {
      warp.Fail(
          FindingKind::kBadOperand, op, lane,
          fmt::format("{:#x} is no address of shared memory of the cluster", details.from.Get(warp, lane)));
    }
    details.to.Set(warp, lane, owner->rank);
  }
  return Flow::kNext;
}

// For mapa and getctarank: true for the generic forms.
bool ReadGeneric(const SpaceAndType& words, const Lowering& lowering) {
  if (words.type == ptx::Type::kNone) lowering.Refuse("a type is missing");
  if (!words.space.empty() && words.space != "shared::cluster")
    lowering.Refuse("only .shared::cluster is allowed");
  return words.space.empty();
}

}  // namespace

Op LowerCvta(const ptx::Instruction& instruction, Lowering& lowering) {
  const SpaceAndType words = ReadWords(instruction, lowering);
  CheckOperands(instruction, 2, false, lowering);
  if (words.space.empty()) lowering.Refuse("a state space is missing");
  if (words.type != ptx::Type::kU64) lowering.Refuse("generic addresses have 64 bits here");
  Conversion details;
  details.window = WindowStart(WindowOf(words.space.c_str(), AddressOperand{}, lowering));
  details.from = SourceOf(instruction.operands[1], ptx::Type::kU64, lowering);
  details.to = DestinationOf(instruction.operands[0], ptx::Type::kU64, lowering);
  Op op;
  op.run = words.to ? RunFromGeneric : RunToGeneric;
  op.details = lowering.Make(std::move(details));
  return op;
}

Op LowerIsspacep(const ptx::Instruction& instruction, Lowering& lowering) {
  const SpaceAndType words = ReadWords(instruction, lowering);
  CheckOperands(instruction, 2, false, lowering);
  if (words.space.empty()) lowering.Refuse("a state space is missing");
  SpaceTest details;
  details.window = WindowOf(words.space.c_str(), AddressOperand{}, lowering);
  details.from = SourceOf(instruction.operands[1], ptx::Type::kU64, lowering);
  if (details.window == Window::kConst) {
    for (const ptx::Variable& variable : lowering.module().variables) {
      if (variable.space != ptx::Space::kConst) continue;
      ptx::Operand symbol;
      symbol.kind = ptx::Operand::Kind::kSymbol;
      symbol.name = variable.name;
      details.constants.push_back({lowering.Source(symbol, ptx::Type::kU64), variable.size()});
    }
  }
  Op op;
  op.run = RunIsspacep;
  op.at[0] = lowering.Destination(instruction.operands[0], ptx::Type::kPred);
  op.details = lowering.Make(std::move(details));
  return op;
}

Op LowerMapa(const ptx::Instruction& instruction, Lowering& lowering) {
  const SpaceAndType words = ReadWords(instruction, lowering);
  CheckOperands(instruction, 3, false, lowering);
  Mapping details;
  details.generic = ReadGeneric(words, lowering);
  details.from = SourceOf(instruction.operands[1], words.type, lowering);
  details.rank = SourceOf(instruction.operands[2], ptx::Type::kU32, lowering);
  details.to = DestinationOf(instruction.operands[0], words.type, lowering);
  Op op;
  op.run = RunMapa;
  op.details = lowering.Make(std::move(details));
  return op;
}

Op LowerGetctarank(const ptx::Instruction& instruction, Lowering& lowering) {
  const SpaceAndType words = ReadWords(instruction, lowering);
  CheckOperands(instruction, 2, false, lowering);
  Mapping details;
  details.generic = ReadGeneric(words, lowering);
  details.from = SourceOf(instruction.operands[1], words.type, lowering);
  details.to = DestinationOf(instruction.operands[0], ptx::Type::kU32, lowering);
  Op op;
  op.run = RunGetctarank;
  op.details = lowering.Make(std::move(details));
  return op;
}

}  // namespace emu
