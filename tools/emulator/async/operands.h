// Operands that the asynchronous instructions have in common.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>

#include "tools/emulator/exec/lowering.h"
#include "tools/emulator/exec/warp.h"

namespace emu {

// Who did or does something: for messages, and for findings about operations that run on their own. Warp and op outlive
// every operation of their cluster.
struct Who {
  const Warp* warp = nullptr;
  const Op* op = nullptr;
  std::uint32_t lane = 0;

  [[noreturn]] void Fail(FindingKind kind, const std::string& message) const {
    warp->Fail(kind, *op, lane, message);
  }
};

// A location in shared memory: [reg] that holds a shared address, or a generic one.
struct SharedOperand {
  AddressOperand address;
  bool generic = false;
};
// `space` is what the instruction says: true when it names a shared space.
SharedOperand LowerShared(const ptx::Operand& operand, bool named, Lowering& lowering);

// Shared addresses (exec/warp.h) of the lanes. Stops with kOutOfBounds when one is no shared address, kMisaligned.
void SharedAddresses(const Warp& warp, const Op& op, const SharedOperand& operand, LaneMask mask,
                     std::uint32_t align, std::uint32_t (&out)[kWarpSize]);
// Stops with kOutOfBounds unless [address, address + bytes) is device memory. `what`: "reads", "writes".
void RequireGlobal(const Who& who, std::uint64_t address, std::uint64_t bytes, const char* what);
void RequireAligned(const Who& who, std::uint64_t address, std::uint64_t align, const char* what);

// The 128 bytes of a tensor map at a generic address: a kernel parameter or device memory. Stops when they are no map, or
// one that asks for what is not allowed or not known.
struct TensorMap;
TensorMap ReadTensorMap(const Who& who, std::uint64_t address);
// The address that an operand [map, {...}] names.
std::uint64_t GenericAddress(const Warp& warp, const AddressOperand& operand, std::uint32_t lane);

// Refuses the instruction when it has a modifier that is not among `known`.
void AllowModifiers(const ptx::Instruction& instruction, Lowering& lowering,
                    std::initializer_list<const char*> known);
void RequireOperands(const ptx::Instruction& instruction, Lowering& lowering, std::size_t least,
                     std::size_t most);

// The number of operands but for the cache policy, which comes last where ".L2::cache_hint" says that there is one.
std::size_t OperandsWithoutPolicy(const ptx::Instruction& instruction, Lowering& lowering);

// The N of a wait_group: the only operand, a constant.
std::int64_t LowerGroupCount(const ptx::Instruction& instruction, Lowering& lowering);

// lowering.Refuse for functions that return an Op.
Op Refused(const Lowering& lowering, const std::string& why);

inline std::uint32_t OffsetInCta(std::uint32_t shared_address) {
  return shared_address & ((1u << kRankShift) - 1);
}
inline std::uint32_t RankOf(std::uint32_t shared_address) { return shared_address >> kRankShift; }
inline std::uint32_t SharedAddress(std::uint32_t rank, std::uint32_t offset) {
  return rank << kRankShift | offset;
}

}  // namespace emu
