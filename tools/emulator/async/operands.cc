#include "tools/emulator/async/operands.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>

#include "tools/emulator/async/tensor_map.h"
#include "tools/emulator/exec/machine.h"
#include "tools/emulator/memory/device_memory.h"

namespace emu {

SharedOperand LowerShared(const ptx::Operand& operand, bool named, Lowering& lowering) {
  SharedOperand result{lowering.Address(operand), false};
  if (result.address.space == ptx::Space::kShared) return result;
  if (result.address.space != ptx::Space::kNone) lowering.Refuse("the address is not in shared memory");
  result.generic = !named;
  return result;
}

void SharedAddresses(const Warp& warp, const Op& op, const SharedOperand& operand, LaneMask mask,
                     std::uint32_t align, std::uint32_t (&out)[kWarpSize]) {
  std::uint64_t addresses[kWarpSize];
  LaneAddresses(warp, operand.address, mask, addresses);
  for (const std::uint32_t lane : Each(mask)) {
    const std::uint64_t address = operand.generic ? addresses[lane] - kSharedWindow : addresses[lane];
    if (address >= kWindowBytes) {
      warp.Fail(FindingKind::kOutOfBounds, op, lane,
                fmt::format("{:#x} is no address of shared memory", addresses[lane]));
    }
    if (address % align != 0) {
      warp.Fail(FindingKind::kMisaligned, op, lane,
                fmt::format("shared address {:#x} is no multiple of {} bytes", address, align));
    }
    out[lane] = static_cast<std::uint32_t>(address);
  }
}

void RequireGlobal(const Who& who, std::uint64_t address, std::uint64_t bytes, const char* what) {
  const DeviceMemory& memory = who.warp->machine().memory();
  if (bytes == 0 || memory.Contains(address, bytes)) return;
  who.Fail(FindingKind::kOutOfBounds, fmt::format("{} {} bytes of global memory at {:#x}, whose end is {}",
                                                  what, bytes, address, memory.Describe(address + bytes - 1)));
}

void RequireAligned(const Who& who, std::uint64_t address, std::uint64_t align, const char* what) {
  if (address % align == 0) return;
  who.Fail(FindingKind::kMisaligned, fmt::format("{} {:#x} is no multiple of {} bytes", what, address, align));
}

TensorMap ReadTensorMap(const Who& who, std::uint64_t address) {
  RequireAligned(who, address, kTensorMapAlign, "address of the tensor map");
  const std::byte* bytes = reinterpret_cast<const std::byte*>(address);
  if (InWindow(address, kParamWindow)) {
    const std::uint64_t offset = address - kParamWindow;
    const auto& params = who.warp->grid().params;
    if (offset > params.size() || params.size() - offset < kTensorMapBytes) {
      who.Fail(FindingKind::kOutOfBounds,
               fmt::format("the tensor map at byte {} of the kernel's parameters, which have {}", offset,
                           params.size()));
    }
    bytes = params.data() + offset;
  } else {
    RequireGlobal(who, address, kTensorMapBytes, "reads a tensor map,");
  }
  TensorMap map;
  if (!Decode(bytes, &map)) {
    who.Fail(FindingKind::kBadOperand, fmt::format("there is no tensor map at {:#x}", address));
  }
  if (const std::string problem = map.Problem(); !problem.empty()) {
    who.Fail(FindingKind::kBadOperand, fmt::format("the tensor map at {:#x}: {}", address, problem));
  }
  return map;
}

std::uint64_t GenericAddress(const Warp& warp, const AddressOperand& operand, std::uint32_t lane) {
  std::uint64_t addresses[kWarpSize];
  LaneAddresses(warp, operand, LaneMask{1} << lane, addresses);
  std::uint64_t address = addresses[lane];
  if (operand.space == ptx::Space::kParam && !InWindow(address, kParamWindow)) address += kParamWindow;
  return address;
}

void AllowModifiers(const ptx::Instruction& instruction, Lowering& lowering,
                    std::initializer_list<const char*> known) {
  for (const std::string& modifier : instruction.modifiers) {
    if (std::find(known.begin(), known.end(), modifier) == known.end()) {
      lowering.Refuse(fmt::format("the modifier .{} is not known", modifier));
    }
  }
}

void RequireOperands(const ptx::Instruction& instruction, Lowering& lowering, std::size_t least,
                     std::size_t most) {
  const std::size_t count = instruction.operands.size();
  if (count >= least && count <= most) return;
  lowering.Refuse(least == most ? fmt::format("{} operands, not {}", count, least)
                                : fmt::format("{} operands, not {} to {}", count, least, most));
}

std::int64_t LowerGroupCount(const ptx::Instruction& instruction, Lowering& lowering) {
  RequireOperands(instruction, lowering, 1, 1);
  const ptx::Operand& count = instruction.operands[0];
  if (count.kind != ptx::Operand::Kind::kInteger || count.bits > 0xffffffff) {
    lowering.Refuse("the number of groups is no constant of 32 bits");
  }
  return static_cast<std::int64_t>(count.bits);
}

Op Refused(const Lowering& lowering, const std::string& why) {
  lowering.Refuse(why);
  return {};
}

std::size_t OperandsWithoutPolicy(const ptx::Instruction& instruction, Lowering& lowering) {
  std::size_t count = instruction.operands.size();
  if (!instruction.Has("L2::cache_hint")) return count;
  if (count == 0) lowering.Refuse("a cache policy is missing");
  lowering.Source(instruction.operands[count - 1], ptx::Type::kB64);
  return count - 1;
}

}  // namespace emu
