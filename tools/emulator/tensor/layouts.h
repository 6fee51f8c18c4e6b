// Where the elements of matrices are in the registers of a warp (PTX ISA, "Matrix Fragments for mma.m..").
#pragma once

#include "tools/emulator/tensor/elements.h"

namespace emu {

struct Position {
  int row = 0, column = 0;
};

// What a matrix is to the product D = A * B + C: A is m x k, B is k x n, C and D are m x n.
enum class Role { kA, kB, kC };

struct Shape {
  int m = 0, n = 0, k = 0;
};

// --- mma of every shape but m8n8k4 with f16, and a warp's part (16 rows) of wgmma.
// Elements of the matrix that each lane holds.
int LaneElements(Role role, const Shape& shape);
// Place of element `i` of `lane`, elements counted from the low bits of the first register on.
Position ElementAt(Role role, const Shape& shape, Element type, int lane, int i);

// --- mma.m8n8k4 with f16: four products, each by 8 lanes.
// The product that a lane has a part in.
inline int QuadOf(int lane) { return lane / 4 % 4; }
// `row_major`: the layout of A or B in the instruction. `type` of C: f16 or f32.
Position ElementAtM8N8K4(Role role, bool row_major, Element type, int lane, int i);

}  // namespace emu
