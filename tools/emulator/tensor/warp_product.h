// D = A * B + C by one warp, with everything in registers: what mma and wmma.mma do.
#pragma once

#include <cfenv>

#include "tools/emulator/exec/lowering.h"
#include "tools/emulator/tensor/fragment.h"

namespace emu {

struct WarpProduct : Details {
  Shape shape;
  int products = 1;  // mma.m8n8k4 with f16: 4, one after the other in the arrays
  MatrixFragment a, b, c, d;
  bool saturate = false;
  bool exclusive = false;       // single bits: xor instead of and
  int rounding = FE_TONEAREST;  // f64
};

// Op::details: a WarpProduct.
Flow RunWarpProduct(Warp& warp, const Op& op);

}  // namespace emu
