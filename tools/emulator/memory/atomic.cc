// atom, red (PTX ISA, "Parallel Synchronization and Communication Instructions").
#include <fmt/core.h>

#include <cstring>

#include "tools/emulator/async/store_async.h"
#include "tools/emulator/exec/machine.h"
#include "tools/emulator/memory/access.h"
#include "tools/emulator/memory/atomic_operations.h"

namespace emu {
namespace {

struct AtomicDetails : MemoryAccess {
  AtomicOperation operation;
  bool returns = false;   // atom, whether or not somebody wants the old value
  bool compares = false;  // has the operand `c`
  std::uint32_t count = 1;
  MoveLanes load[8] = {};  // from memory, or from 32 values in a row, to a register
  MoveLanes read[8] = {};  // from a register to the same
  MoveLanes read_c = nullptr;
  std::uint32_t to[8] = {}, b[8] = {}, c = 0;
};

// The order in which the lanes have their turn: nobody may count on one.
class Turns {
 public:
  explicit Turns(Warp& warp) {
    Machine& machine = warp.machine();
    if (machine.completion() != Completion::kEarly) first_ = machine.random().Below(kWarpSize);
  }
  std::uint32_t Lane(std::uint32_t turn) const { return (first_ + turn) % kWarpSize; }

 private:
  std::uint32_t first_ = 0;
};

// 32 values of up to 16 bytes, each in 16 bytes of its own: what the moves of lanes.h see as memory.
struct Row {
  Bits128 value[kWarpSize] = {};
  std::uint64_t host[kWarpSize];
  Row() {
    for (int lane = 0; lane < kWarpSize; ++lane) host[lane] = reinterpret_cast<std::uint64_t>(&value[lane]);
  }
};

// One location: returns the old value and puts the new one in its place.
Bits128 Update(const AtomicDetails& details, std::byte* at, bool global, const Bits128& b, const Bits128& c,
               bool* changed) {
  Bits128 old{};
  std::memcpy(&old, at, details.element_bytes);
  Bits128 next{};
  if (details.element_bytes == sizeof(Bits128)) {
    next = !details.compares ? b : old == b ? c : old;
  } else {
    next.low = (global ? details.operation.global : details.operation.shared)(old.low, b.low, c.low);
  }
  *changed |= std::memcmp(&old, &next, details.element_bytes) != 0;
  std::memcpy(at, &next, details.element_bytes);
  return old;
}

// Whether any value in memory is another now.
bool UpdateLanes(Warp& warp, const AtomicDetails& details, const Places& places, LaneMask mask,
                 PollDigest* digest) {
  const Turns turns(warp);
  bool changed = false;
  Row c;
  if (details.compares) details.read_c(c.host, 0, warp.Lanes<std::byte>(details.c), mask);
  for (std::uint32_t i = 0; i < details.count; ++i) {
    Row b, old;
    details.read[i](b.host, 0, warp.Lanes<std::byte>(details.b[i]), mask);
    for (std::uint32_t turn = 0; turn < kWarpSize; ++turn) {
      const std::uint32_t lane = turns.Lane(turn);
      if ((mask >> lane & 1) == 0) continue;
      auto* at = reinterpret_cast<std::byte*>(places.host[lane]) + i * details.element_bytes;
      const bool global = (places.in_shared >> lane & 1) == 0;
      old.value[lane] = Update(details, at, global, b.value[lane], c.value[lane], &changed);
    }
    for (std::uint32_t lane : Each(details.returns ? mask : 0)) {
      digest->Add(places.host[lane]);
      digest->Add(old.value[lane].low);
      digest->Add(old.value[lane].high);
    }
    if (details.load[i] != nullptr) details.load[i](old.host, 0, warp.Lanes<std::byte>(details.to[i]), mask);
  }
  return changed;
}

// Atomics do not reach the other spaces, whose host addresses a generic address can lead to.
void CheckSpaces(const Warp& warp, const Op& op, const AtomicDetails& details, LaneMask mask,
                 const Places& places) {
  if (details.memory.window != Window::kGeneric) return;
  std::uint64_t address[kWarpSize];
  Addresses(warp, details.memory.address, address);
  for (std::uint32_t lane : Each(mask & ~places.in_shared)) {
    if (address[lane] != places.host[lane]) FailOutside(warp, op, details.memory, lane, address[lane]);
  }
  if (details.count > 1 && places.in_shared != 0) {
    const std::uint32_t lane = FirstLane(places.in_shared);
    warp.Fail(FindingKind::kBadOperand, op, lane,
              fmt::format("a vector at {:#x} in shared memory; vectors are for global memory", address[lane]));
  }
}

Flow Run(Warp& warp, const Op& op) {
  const auto& details = static_cast<const AtomicDetails&>(*op.details);
  const LaneMask mask = warp.active();
  Places places;
  Resolve(warp, op, details.memory, mask, &places);
  CheckSpaces(warp, op, details, mask, places);
  if (places.in_shared != 0) {
    warp.checker().Strong(warp, op, places.in_shared, places.shared, details.memory.bytes, true);
  }
  PollDigest digest;
  const bool changed = UpdateLanes(warp, details, places, mask, &digest);
  if (details.returns) {
    AcquireAt(warp, details.memory, mask, places, details.order);
    digest.Finish(warp, details.poll);
  }
  if (changed) NoteNews(warp);
  ReleaseAt(warp, details.memory, mask, places, details.order);
  return Flow::kNext;
}

// For .b128: only exch and cas, which Update does by itself.
AtomicOperation FindOperation(const Qualifiers& qualifiers, const Lowering& lowering) {
  if (qualifiers.operation.empty()) lowering.Refuse("no operation is named");
  AtomicOperation operation;
  if (qualifiers.type == ptx::Type::kB128) {
    if (qualifiers.operation != "exch" && qualifiers.operation != "cas")
      lowering.Refuse("128 bits are exchanged only");
  } else {
    operation = FindAtomicOperation(qualifiers.operation, qualifiers.type, qualifiers.noftz);
    if (operation.global == nullptr) {
      lowering.Refuse(fmt::format(".{} of {}{}", qualifiers.operation, ptx::ToString(qualifiers.type),
                                  qualifiers.noftz ? " with .noftz" : ""));
    }
  }
  const bool vector = qualifiers.vector > 1;
  if (vector ? !operation.vector : !operation.scalar) {
    lowering.Refuse(vector ? "this operation has no vectors" : "this operation is for vectors");
  }
  return operation;
}

void ReadOperands(const ptx::Instruction& instruction, const Qualifiers& qualifiers, Lowering& lowering,
                  AtomicDetails* details) {
  const std::size_t first = details->returns ? 1 : 0;
  const ptx::Type type = qualifiers.type;
  const auto b = Elements(instruction.operands[first + 1], qualifiers.vector, lowering);
  for (std::size_t i = 0; i < b.size(); ++i) {
    details->read[i] = StoreMove(type, RegisterBytes(*b[i], type, lowering));
    details->b[i] = lowering.Source(*b[i], type);
    if (details->read[i] == nullptr) lowering.Refuse("the register is too small");
  }
  if (details->compares) {
    const ptx::Operand& c = instruction.operands[first + 2];
    details->read_c = StoreMove(type, RegisterBytes(c, type, lowering));
    details->c = lowering.Source(c, type);
    if (details->read_c == nullptr) lowering.Refuse("the register is too small");
  }
  const bool sink = instruction.operands[0].kind == ptx::Operand::Kind::kSink;
  if (!details->returns || sink) return;
  const auto to = Elements(instruction.operands[0], qualifiers.vector, lowering);
  for (std::size_t i = 0; i < to.size(); ++i) {
    details->load[i] = LoadMove(type, RegisterBytes(*to[i], type, lowering));
    details->to[i] = lowering.Destination(*to[i], type);
    if (details->load[i] == nullptr) lowering.Refuse("the register is too small");
  }
}

Op Lower(const ptx::Instruction& instruction, bool returns, Lowering& lowering) {
  const Qualifiers qualifiers = ReadQualifiers(instruction, {.updates = true}, lowering);
  AtomicDetails details;
  details.operation = FindOperation(qualifiers, lowering);
  details.compares = qualifiers.operation == "cas";
  details.returns = returns;
  details.count = qualifiers.vector;
  CheckOperands(instruction, (returns ? 3 : 2) + (details.compares ? 1 : 0), qualifiers.cache_hint, lowering);
  if (!returns && (details.compares || qualifiers.operation == "exch"))
    lowering.Refuse("red has no such operation");
  ReadAccess(qualifiers, instruction.operands[returns ? 1 : 0], lowering, &details);
  details.memory.verb = "updates";
  if (!qualifiers.order_given) details.order = Order::kVolatile;
  if (qualifiers.order_given && (details.order == Order::kWeak || details.order == Order::kVolatile)) {
    lowering.Refuse("an atomic operation is never weak");
  }
  if (!returns && (details.order == Order::kAcquire || details.order == Order::kAcquireRelease)) {
    lowering.Refuse("a reduction does not acquire");
  }
  const Window window = details.memory.window;
  const bool shared = window == Window::kShared || window == Window::kSharedCluster;
  if (!shared && window != Window::kGlobal && window != Window::kGeneric) {
    lowering.Refuse("atomics are for global and shared memory");
  }
  if (shared && details.count > 1) lowering.Refuse("vectors are for global memory");
  ReadOperands(instruction, qualifiers, lowering, &details);
  if (returns) details.poll = lowering.Scratch(sizeof(std::uint64_t));
  Op op;
  op.run = Run;
  op.details = lowering.Make(std::move(details));
  return op;
}

}  // namespace

Op LowerAtomic(const ptx::Instruction& instruction, Lowering& lowering) {
  return Lower(instruction, true, lowering);
}

Op LowerReduction(const ptx::Instruction& instruction, Lowering& lowering) {
  if (instruction.Has("async")) return LowerStoreAsync(instruction, lowering);
  return Lower(instruction, false, lowering);
}

}  // namespace emu
