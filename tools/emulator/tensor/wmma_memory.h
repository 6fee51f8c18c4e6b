// wmma.load and wmma.store: a matrix in lines of memory to and from the registers of a warp.
#pragma once

#include "tools/emulator/memory/addresses.h"
#include "tools/emulator/tensor/fragment.h"

namespace emu {

struct WmmaMemory : Details {
  Role role = Role::kC;
  Shape shape;
  bool row_major = true;
  MatrixFragment fragment;
  MemoryOperand operand;                // bytes: of a line
  std::uint32_t stride_at = Op::kNone;  // std::uint32_t, elements between lines; kNone: line_elements()
  // Where the pieces of the registers are in memory: for every register, lane and element, or (types of less than 8 bits)
  // for every register and lane, since its elements are neighbours.
  struct Piece {
    std::uint16_t line, byte;
  };
  std::vector<Piece> pieces;

  int rows() const { return role == Role::kB ? shape.k : shape.m; }
  int columns() const { return role == Role::kA ? shape.k : shape.n; }
  // A line is a row or, column-major, a column.
  int lines() const { return row_major ? rows() : columns(); }
  int line_elements() const { return row_major ? columns() : rows(); }
  int piece_bytes() const { return BitsOf(fragment.type) < 8 ? 4 : BitsOf(fragment.type) / 8; }
};

// Fills in `pieces` from the rest.
void FindPieces(WmmaMemory* memory);

// Op::details: a WmmaMemory.
Flow RunWmmaLoad(Warp& warp, const Op& op);
Flow RunWmmaStore(Warp& warp, const Op& op);

}  // namespace emu
