// PTX ISA, "Stack Manipulation Instructions". The stack begins where a thread's local variables end and grows towards
// higher addresses; its addresses are offsets in local memory and stay what they are when it grows.
#include "tools/emulator/memory/stack.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "tools/emulator/memory/device_memory.h"
#include "tools/emulator/memory/lanes.h"
#include "tools/emulator/memory/order.h"
#include "tools/emulator/memory/qualifiers.h"

namespace emu {
namespace {

// Of a thread's local memory (CUDA C++ Programming Guide, "Technical Specifications per Compute Capability").
constexpr std::uint64_t kMaxLocal = 512 * 1024;
constexpr std::uint64_t kDefaultAlign = 8;

struct StackDetails : Details {
  std::uint32_t pointer = Op::kNone;  // a register, wide or not
  bool wide_pointer = true;
  std::uint32_t size = Op::kNone;
  bool wide_size = true;
  std::uint64_t align = kDefaultAlign;
};

std::uint64_t Get(const Warp& warp, std::uint32_t at, bool wide, std::uint32_t lane) {
  return wide ? warp.Lanes<std::uint64_t>(at)[lane] : warp.Lanes<std::uint32_t>(at)[lane];
}

void SetPointer(Warp& warp, const StackDetails& details, std::uint32_t lane, std::uint64_t value) {
  if (details.wide_pointer) {
    warp.Lanes<std::uint64_t>(details.pointer)[lane] = value;
  } else {
    warp.Lanes<std::uint32_t>(details.pointer)[lane] = static_cast<std::uint32_t>(value);
  }
}

std::array<std::uint64_t, kWarpSize>& TopsOf(Warp& warp) {
  auto [found, is_new] = MemoryStateOf(warp.cluster()).stack_tops.try_emplace(&warp);
  if (is_new) found->second.fill(warp.local_bytes);
  return found->second;
}

// Gives every lane `bytes` of local memory, at least; what is new is poison.
void Grow(Warp& warp, std::uint64_t bytes) {
  if (bytes <= warp.local_bytes) return;
  const std::uint64_t grown =
      std::min(kMaxLocal, std::max<std::uint64_t>(bytes, std::uint64_t{2} * warp.local_bytes));
  std::vector<std::byte> local(grown * kWarpSize, std::byte{DeviceMemory::kPoison});
  for (std::size_t lane = 0; lane < kWarpSize && warp.local_bytes != 0; ++lane) {
    std::memcpy(local.data() + lane * grown, warp.local.data() + lane * warp.local_bytes, warp.local_bytes);
  }
  warp.local = std::move(local);
  warp.local_bytes = static_cast<std::uint32_t>(grown);
}

Flow RunAlloca(Warp& warp, const Op& op) {
  const auto& details = static_cast<const StackDetails&>(*op.details);
  auto& tops = TopsOf(warp);
  std::uint64_t end = 0;
  for (std::uint32_t lane : Each(warp.active())) {
    const std::uint64_t size = Get(warp, details.size, details.wide_size, lane);
    const std::uint64_t begin = (tops[lane] + details.align - 1) / details.align * details.align;
    if (size > kMaxLocal || begin + size > kMaxLocal) {
      warp.Fail(
          FindingKind::kOutOfBounds, op, lane,
          fmt::format("{} bytes at offset {}: a thread has {} bytes of local memory", size, begin, kMaxLocal));
    }
    SetPointer(warp, details, lane, begin);
    tops[lane] = begin + size;
    end = std::max(end, tops[lane]);
  }
  Grow(warp, end);
  return Flow::kNext;
}

Flow RunStacksave(Warp& warp, const Op& op) {
  const auto& details = static_cast<const StackDetails&>(*op.details);
  const auto& tops = TopsOf(warp);
  for (std::uint32_t lane : Each(warp.active())) SetPointer(warp, details, lane, tops[lane]);
  return Flow::kNext;
}

Flow RunStackrestore(Warp& warp, const Op& op) {
  const auto& details = static_cast<const StackDetails&>(*op.details);
  auto& tops = TopsOf(warp);
  for (std::uint32_t lane : Each(warp.active())) {
    const std::uint64_t top = Get(warp, details.pointer, details.wide_pointer, lane);
    if (top > tops[lane]) {
      warp.Fail(FindingKind::kBadOperand, op, lane,
                fmt::format("{:#x} is above the top of the stack, {:#x}", top, tops[lane]));
    }
    tops[lane] = top;
  }
  return Flow::kNext;
}

bool IsWide(const ptx::Operand& operand, ptx::Type type, const Lowering& lowering) {
  const std::uint32_t bytes = RegisterBytes(operand, type, lowering);
  if (bytes != 4 && bytes != 8) lowering.Refuse("a register of 32 or 64 bits is wanted");
  return bytes == 8;
}

ptx::Type ReadType(const ptx::Instruction& instruction, const Lowering& lowering) {
  const auto& words = instruction.modifiers;
  if (words.size() != 1 || (words[0] != "u32" && words[0] != "u64"))
    lowering.Refuse("the type is .u32 or .u64");
  return ptx::ParseType(words[0]);
}

}  // namespace

Op LowerAlloca(const ptx::Instruction& instruction, Lowering& lowering) {
  const ptx::Type type = ReadType(instruction, lowering);
  StackDetails details;
  const auto& operands = instruction.operands;
  if (operands.size() == 3) {
    details.align = operands[2].bits;
    const bool power =
        details.align >= 1 && details.align <= 4096 && (details.align & (details.align - 1)) == 0;
    if (operands[2].kind != ptx::Operand::Kind::kInteger || !power) lowering.Refuse("a bad alignment");
  } else {
    CheckOperands(instruction, 2, false, lowering);
  }
  details.wide_pointer = IsWide(operands[0], type, lowering);
  details.pointer = lowering.Destination(operands[0], type);
  details.wide_size = IsWide(operands[1], type, lowering);
  details.size = lowering.Source(operands[1], type);
  Op op;
  op.run = RunAlloca;
  op.details = lowering.Make(std::move(details));
  return op;
}

Op LowerStacksave(const ptx::Instruction& instruction, Lowering& lowering) {
  const ptx::Type type = ReadType(instruction, lowering);
  CheckOperands(instruction, 1, false, lowering);
  StackDetails details;
  details.wide_pointer = IsWide(instruction.operands[0], type, lowering);
  details.pointer = lowering.Destination(instruction.operands[0], type);
  Op op;
  op.run = RunStacksave;
  op.details = lowering.Make(std::move(details));
  return op;
}

Op LowerStackrestore(const ptx::Instruction& instruction, Lowering& lowering) {
  const ptx::Type type = ReadType(instruction, lowering);
  CheckOperands(instruction, 1, false, lowering);
  StackDetails details;
  details.wide_pointer = IsWide(instruction.operands[0], type, lowering);
  details.pointer = lowering.Source(instruction.operands[0], type);
  Op op;
  op.run = RunStackrestore;
  op.details = lowering.Make(std::move(details));
  return op;
}

}  // namespace emu
