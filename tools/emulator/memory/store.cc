// st, st.bulk (PTX ISA, "Data Movement and Conversion Instructions: st").
#include <fmt/core.h>

#include <cstring>

#include "tools/emulator/async/store_async.h"
#include "tools/emulator/memory/access.h"

namespace emu {
namespace {

struct StoreDetails : MemoryAccess {
  std::uint32_t count = 1;
  MoveLanes move[8] = {};
  std::uint32_t at[8] = {};
};

void MoveElements(Warp& warp, const StoreDetails& details, const Places& places, LaneMask mask) {
  for (std::uint32_t i = 0; i < details.count; ++i) {
    details.move[i](places.host, i * details.element_bytes, warp.Lanes<std::byte>(details.at[i]), mask);
  }
}

Flow RunWeak(Warp& warp, const Op& op) {
  const auto& details = static_cast<const StoreDetails&>(*op.details);
  const LaneMask mask = warp.active();
  Places places;
  Resolve(warp, op, details.memory, mask, &places);
  if (places.in_shared != 0) {
    warp.checker().Write(warp, op, places.in_shared, places.shared, details.memory.bytes);
  }
  MoveElements(warp, details, places, mask);
  return Flow::kNext;
}

Flow RunStrong(Warp& warp, const Op& op) {
  const auto& details = static_cast<const StoreDetails&>(*op.details);
  const LaneMask mask = warp.active();
  Places places;
  Resolve(warp, op, details.memory, mask, &places);
  if (places.in_shared != 0) {
    warp.checker().Strong(warp, op, places.in_shared, places.shared, details.memory.bytes, true);
  }
  MoveElements(warp, details, places, mask);
  ReleaseAt(warp, details.memory, mask, places, details.order);
  NoteNews(warp);
  return Flow::kNext;
}

struct BulkDetails : Details {
  MemoryOperand memory;
  std::uint32_t size = 0;  // a register of 64 bits
};

// Bytes and address are multiples of 8; the only value is zero.
Flow RunBulk(Warp& warp, const Op& op) {
  const auto& details = static_cast<const BulkDetails&>(*op.details);
  for (std::uint32_t lane : Each(warp.active())) {
    const std::uint64_t size = warp.Lanes<std::uint64_t>(details.size)[lane];
    if (size % 8 != 0 || size > (1u << kRankShift)) {
      warp.Fail(FindingKind::kBadOperand, op, lane,
                fmt::format("{} bytes: no multiple of 8, or too many", size));
    }
    if (size == 0) continue;
    const LaneMask bit = LaneMask{1} << lane;
    MemoryOperand memory = details.memory;
    memory.bytes = static_cast<std::uint32_t>(size);
    Places places;
    Resolve(warp, op, memory, bit, &places);
    if (places.in_shared == 0) {
      warp.Fail(FindingKind::kOutOfBounds, op, lane,
                fmt::format("{:#x} is not in shared memory", places.host[lane]));
    }
    warp.checker().Write(warp, op, bit, places.shared, memory.bytes);
    std::memset(reinterpret_cast<void*>(places.host[lane]), 0, size);
  }
  return Flow::kNext;
}

}  // namespace

Op LowerStore(const ptx::Instruction& instruction, Lowering& lowering) {
  if (instruction.Has("async")) return LowerStoreAsync(instruction, lowering);
  if (instruction.Has("bulk")) return LowerBulkStore(instruction, lowering);
  const Qualifiers qualifiers = ReadQualifiers(instruction, {.stores = true}, lowering);
  CheckOperands(instruction, 2, qualifiers.cache_hint, lowering);
  StoreDetails details;
  ReadAccess(qualifiers, instruction.operands[0], lowering, &details);
  details.memory.verb = "writes";
  if (qualifiers.order == Order::kAcquire || qualifiers.order == Order::kAcquireRelease) {
    lowering.Refuse("a store does not acquire");
  }
  if (details.memory.window == Window::kConst || details.memory.window == Window::kParam) {
    lowering.Refuse("this space is only read");
  }
  details.count = qualifiers.vector;
  const auto elements = Elements(instruction.operands[1], qualifiers.vector, lowering);
  for (std::size_t i = 0; i < elements.size(); ++i) {
    details.move[i] = StoreMove(qualifiers.type, RegisterBytes(*elements[i], qualifiers.type, lowering));
    if (details.move[i] == nullptr) lowering.Refuse("the register is too small");
    details.at[i] = lowering.Source(*elements[i], qualifiers.type);
  }
  Op op;
  op.run = details.order == Order::kWeak ? RunWeak : RunStrong;
  op.details = lowering.Make(std::move(details));
  return op;
}

Op LowerBulkStore(const ptx::Instruction& instruction, Lowering& lowering) {
  BulkDetails details;
  std::string space;
  for (const std::string& word : instruction.modifiers) {
    if (word == "bulk" || word == "weak") continue;
    if (word != "shared::cta") lowering.Refuse(fmt::format("not known: .{}", word));
    space = word;
  }
  CheckOperands(instruction, 3, false, lowering);
  const ptx::Operand& value = instruction.operands[2];
  if (value.kind != ptx::Operand::Kind::kInteger || value.bits != 0) lowering.Refuse("the value is not 0");
  details.memory.address = lowering.Address(instruction.operands[0]);
  details.memory.window = WindowOf(space.empty() ? nullptr : space.c_str(), details.memory.address, lowering);
  details.memory.alignment = 8;
  details.memory.verb = "writes";
  if (RegisterBytes(instruction.operands[1], ptx::Type::kB64, lowering) != 8)
    lowering.Refuse("the size has 64 bits");
  details.size = lowering.Source(instruction.operands[1], ptx::Type::kB64);
  Op op;
  op.run = RunBulk;
  op.details = lowering.Make(std::move(details));
  return op;
}

}  // namespace emu
