#include "tools/emulator/tensor/mma.h"

#include <fmt/core.h>

#include <tuple>

#include "tools/emulator/tensor/modifiers.h"
#include "tools/emulator/tensor/warp_product.h"

namespace emu {

namespace {

bool IsFp8(Element type) { return type == Element::kE4M3 || type == Element::kE5M2; }
bool IsByte(Element type) { return type == Element::kS8 || type == Element::kU8; }
bool IsNibble(Element type) { return type == Element::kS4 || type == Element::kU4; }

bool Is(const Shape& shape, int m, int k) { return shape.m == m && shape.n == 8 && shape.k == k; }
bool Is16(const Shape& shape, int k0, int k1, int k2 = 0) {
  return Is(shape, 16, k0) || Is(shape, 16, k1) || (k2 != 0 && Is(shape, 16, k2));
}

// The combinations of the ISA's syntax.
bool Exists(const Shape& shape, Element d, Element a, Element b, Element c) {
  const bool f32 = d == Element::kF32 && c == Element::kF32;
  const bool f16 = d == Element::kF16 && c == Element::kF16;
  const bool s32 = d == Element::kS32 && c == Element::kS32;
  if (a == Element::kF16 && b == a) {
    if (Is(shape, 8, 4)) return f32 || f16 || (d == Element::kF32 && c == Element::kF16);
    return Is16(shape, 8, 16) && (f32 || f16);
  }
  if (a == Element::kBF16 && b == a) return Is16(shape, 8, 16) && f32;
  if (a == Element::kTF32 && b == a) return Is16(shape, 4, 8) && f32;
  if (IsFp8(a) && IsFp8(b)) return Is16(shape, 16, 32) && (f32 || f16);
  if (a == Element::kF64 && b == a) {
    return (Is(shape, 8, 4) || Is16(shape, 4, 8, 16)) && d == Element::kF64 && c == Element::kF64;
  }
  if (IsByte(a) && IsByte(b)) return (Is(shape, 8, 16) || Is16(shape, 16, 32)) && s32;
  if (IsNibble(a) && IsNibble(b)) return (Is(shape, 8, 32) || Is16(shape, 32, 64)) && s32;
  if (a == Element::kB1 && b == a) return (Is(shape, 8, 128) || Is16(shape, 128, 256)) && s32;
  return false;
}

int ReadRounding(Modifiers* modifiers) {
  if (modifiers->Take("rz")) return FE_TOWARDZERO;
  if (modifiers->Take("rm")) return FE_DOWNWARD;
  if (modifiers->Take("rp")) return FE_UPWARD;
  modifiers->Take("rn");
  return FE_TONEAREST;
}

MatrixFragment LowerMatrix(Role role, const Shape& shape, Element type, bool written,
                           const ptx::Operand& operand, Lowering& lowering) {
  const int bits = LaneElements(role, shape) * BitsOf(type);
  const auto count = static_cast<std::size_t>(type == Element::kF64 ? bits / 64 : bits / 32);
  const ptx::Type registers = RegisterTypeOf(type);
  return MakeFragment(role, shape, type,
                      written ? DestinationList(operand, registers, count, lowering)
                              : SourceList(operand, registers, count, lowering),
                      [&](int lane, int i) { return ElementAt(role, shape, type, lane, i); });
}

// A lane has a part in one of four products, and their arrays follow each other.
MatrixFragment LowerQuadMatrix(Role role, bool row_major, Element type, bool written,
                               const ptx::Operand& operand, Lowering& lowering) {
  const Shape shape{8, 8, 4};
  const int elements = role == Role::kC ? 8 : 4;
  const auto count = static_cast<std::size_t>(elements * BitsOf(type) / 32);
  const ptx::Type registers = RegisterTypeOf(type);
  MatrixFragment fragment =
      MakeFragment(role, shape, type,
                   written ? DestinationList(operand, registers, count, lowering)
                           : SourceList(operand, registers, count, lowering),
                   [&](int lane, int i) { return ElementAtM8N8K4(role, row_major, type, lane, i); });
  const int size = role == Role::kC ? 64 : 32;
  for (std::size_t i = 0; i < fragment.index.size(); ++i) {
    const int lane = static_cast<int>(i) / fragment.packed() % kWarpSize;
    fragment.index[i] = static_cast<std::uint16_t>(fragment.index[i] + QuadOf(lane) * size);
  }
  return fragment;
}

}  // namespace

Op LowerMma(const ptx::Instruction& instruction, Lowering& lowering) {
  Modifiers modifiers = ReadModifiers(instruction, lowering);
  if (instruction.Has("sp") || instruction.Has("sp::ordered_metadata")) lowering.Refuse("sparse matrices");
  if (modifiers.types.size() != 4 || modifiers.row_major.size() != 2) {
    lowering.Refuse("needs two layouts and four types");
  }
  const auto [d, a, b, c] =
      std::tie(modifiers.types[0], modifiers.types[1], modifiers.types[2], modifiers.types[3]);
  WarpProduct product;
  product.shape = modifiers.shape;
  if (!Exists(modifiers.shape, d, a, b, c)) {
    lowering.Refuse(fmt::format("no mma of m{}n{}k{} with {}, {}, {}, {}", modifiers.shape.m, modifiers.shape.n,
                                modifiers.shape.k, ToString(d), ToString(a), ToString(b), ToString(c)));
  }
  if (IsInteger(d) && a != Element::kB1) product.saturate = modifiers.Take("satfinite");
  if (d == Element::kF64) product.rounding = ReadRounding(&modifiers);
  if (a == Element::kB1) {
    product.exclusive = modifiers.Take("xor");
    if ((!product.exclusive && !modifiers.Take("and")) || !modifiers.Take("popc"))
      lowering.Refuse("without .popc");
  }
  RefuseRest(modifiers, lowering);
  RequireOperands(instruction, 4, 4, lowering);
  const auto& operands = instruction.operands;
  const bool a_row = modifiers.row_major[0], b_row = modifiers.row_major[1];
  if (a == Element::kF16 && modifiers.shape.m == 8) {
    product.products = 4;
    product.d = LowerQuadMatrix(Role::kC, true, d, true, operands[0], lowering);
    product.a = LowerQuadMatrix(Role::kA, a_row, a, false, operands[1], lowering);
    product.b = LowerQuadMatrix(Role::kB, b_row, b, false, operands[2], lowering);
    product.c = LowerQuadMatrix(Role::kC, true, c, false, operands[3], lowering);
  } else {
    if (!a_row || b_row) lowering.Refuse("another layout than .row.col");
    product.d = LowerMatrix(Role::kC, product.shape, d, true, operands[0], lowering);
    product.a = LowerMatrix(Role::kA, product.shape, a, false, operands[1], lowering);
    product.b = LowerMatrix(Role::kB, product.shape, b, false, operands[2], lowering);
    product.c = LowerMatrix(Role::kC, product.shape, c, false, operands[3], lowering);
  }
  Op op;
  op.run = RunWarpProduct;
  op.aligned = true;
  op.details = lowering.Make(std::move(product));
  return op;
}

}  // namespace emu
