// ld, ldu (PTX ISA, "Data Movement and Conversion Instructions: ld").
#include <algorithm>

#include "tools/emulator/memory/access.h"

namespace emu {
namespace {

struct LoadDetails : MemoryAccess {
  std::uint32_t count = 1;
  MoveLanes move[8] = {};
  std::uint32_t at[8] = {};
};

void MoveElements(Warp& warp, const LoadDetails& details, const Places& places, LaneMask mask) {
  for (std::uint32_t i = 0; i < details.count; ++i) {
    details.move[i](places.host, i * details.element_bytes, warp.Lanes<std::byte>(details.at[i]), mask);
  }
}

Flow RunWeak(Warp& warp, const Op& op) {
  const auto& details = static_cast<const LoadDetails&>(*op.details);
  const LaneMask mask = warp.active();
  Places places;
  Resolve(warp, op, details.memory, mask, &places);
  if (places.in_shared != 0) {
    warp.checker().Read(warp, op, places.in_shared, places.shared, details.memory.bytes);
  }
  MoveElements(warp, details, places, mask);
  return Flow::kNext;
}

void NotePoll(Warp& warp, const LoadDetails& details, const Places& places, LaneMask mask) {
  PollDigest digest;
  for (std::uint32_t lane : Each(mask)) {
    digest.Add(places.host[lane]);
    const auto* bytes = reinterpret_cast<const unsigned char*>(places.host[lane]);
    for (std::uint32_t i = 0; i < details.memory.bytes; ++i) digest.Add(bytes[i]);
  }
  digest.Finish(warp, details.poll);
}

Flow RunStrong(Warp& warp, const Op& op) {
  const auto& details = static_cast<const LoadDetails&>(*op.details);
  const LaneMask mask = warp.active();
  Places places;
  Resolve(warp, op, details.memory, mask, &places);
  if (places.in_shared != 0) {
    warp.checker().Strong(warp, op, places.in_shared, places.shared, details.memory.bytes, false);
  }
  MoveElements(warp, details, places, mask);
  AcquireAt(warp, details.memory, mask, places, details.order);
  NotePoll(warp, details, places, mask);
  return Flow::kNext;
}

Op Lower(const ptx::Instruction& instruction, const Qualifiers& qualifiers, Lowering& lowering) {
  CheckOperands(instruction, 2, qualifiers.cache_hint, lowering);
  LoadDetails details;
  ReadAccess(qualifiers, instruction.operands[1], lowering, &details);
  details.count = qualifiers.vector;
  const auto elements = Elements(instruction.operands[0], qualifiers.vector, lowering);
  for (std::size_t i = 0; i < elements.size(); ++i) {
    details.move[i] = LoadMove(qualifiers.type, RegisterBytes(*elements[i], qualifiers.type, lowering));
    if (details.move[i] == nullptr) lowering.Refuse("the register is too small");
    details.at[i] = lowering.Destination(*elements[i], qualifiers.type);
  }
  const bool strong = details.order != Order::kWeak;
  if (strong) details.poll = lowering.Scratch(sizeof(std::uint64_t));
  Op op;
  op.run = strong ? RunStrong : RunWeak;
  op.details = lowering.Make(std::move(details));
  return op;
}

}  // namespace

Op LowerLoad(const ptx::Instruction& instruction, Lowering& lowering) {
  const Qualifiers qualifiers = ReadQualifiers(instruction, {.loads = true}, lowering);
  if (qualifiers.order == Order::kRelease || qualifiers.order == Order::kAcquireRelease) {
    lowering.Refuse("a load does not release");
  }
  return Lower(instruction, qualifiers, lowering);
}

Op LowerUniformLoad(const ptx::Instruction& instruction, Lowering& lowering) {
  const Qualifiers qualifiers = ReadQualifiers(instruction, {}, lowering);
  if (qualifiers.order_given || (!qualifiers.space.empty() && qualifiers.space != "global")) {
    lowering.Refuse("ldu reads global memory");
  }
  return Lower(instruction, qualifiers, lowering);
}

}  // namespace emu
