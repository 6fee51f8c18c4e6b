// The words of a tensor instruction's name, and its operands that are lists of registers.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tools/emulator/exec/lowering.h"
#include "tools/emulator/tensor/layouts.h"

namespace emu {

// ".sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32", sorted by what the words are. Compilers differ in their order, which
// only matters among layouts and among types.
struct Modifiers {
  Shape shape;                    // m 0: none
  std::vector<Element> types;     // in order
  std::vector<bool> row_major;    // of .row and .col, in order
  std::vector<std::string> rest;  // everything else but sync and aligned, in order

  // Whether the word is there; it is taken out.
  bool Take(const char* word);
};

// Refuses a name without .sync.aligned.
Modifiers ReadModifiers(const ptx::Instruction& instruction, const Lowering& lowering);
// Refuses what is left of `rest`.
void RefuseRest(const Modifiers& modifiers, const Lowering& lowering);
// Refuses another number of operands.
void RequireOperands(const ptx::Instruction& instruction, std::size_t least, std::size_t most,
                     const Lowering& lowering);

// Offsets of the registers of a list in braces, or of a single register. Refuses another number than `count`.
std::vector<std::uint32_t> SourceList(const ptx::Operand& operand, ptx::Type type, std::size_t count,
                                      Lowering& lowering);
std::vector<std::uint32_t> DestinationList(const ptx::Operand& operand, ptx::Type type, std::size_t count,
                                           Lowering& lowering);

// Type of the registers that hold elements of `type`, packed.
ptx::Type RegisterTypeOf(Element type);

// Stops (kDivergence) when not all 32 lanes of the warp run the op.
void RequireWholeWarp(const Warp& warp, const Op& op);

}  // namespace emu
