// Values between memory and registers, lane by lane.
#pragma once

#include <cstdint>

#include "tools/emulator/exec/lowering.h"

namespace emu {

// A value of 128 bits: low half first.
struct Bits128 {
  std::uint64_t low, high;
  bool operator==(const Bits128&) const = default;
};

// Between the bytes at host[lane] + offset and the register `lanes`, for the lanes of `mask`.
using MoveLanes = void (*)(const std::uint64_t* host, std::uint32_t offset, void* lanes, LaneMask mask);

// Null when a value of `type` does not fit a register of `register_bytes` (2, 4, 8 or 16).
//
// A load into a wider register extends the sign of .s types and fills with zeros for all others; a store takes the low
// bits (PTX ISA, "Operand Size Exceeding Instruction-Type Size").
MoveLanes LoadMove(ptx::Type type, std::uint32_t register_bytes);
MoveLanes StoreMove(ptx::Type type, std::uint32_t register_bytes);

// Bytes per lane of the storage behind an operand of an instruction of `type`. Refuses predicates.
std::uint32_t RegisterBytes(const ptx::Operand& operand, ptx::Type type, const Lowering& lowering);

}  // namespace emu
