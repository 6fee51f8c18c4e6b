#include "tools/emulator/tensor/wmma.h"

#include <fmt/core.h>

#include <algorithm>
#include <tuple>

#include "tools/emulator/tensor/modifiers.h"
#include "tools/emulator/tensor/warp_product.h"
#include "tools/emulator/tensor/wmma_memory.h"

namespace emu {

namespace {

bool Is(const Shape& shape, int m, int n, int k) { return shape.m == m && shape.n == n && shape.k == k; }

// m16n16k16, m32n8k16, m8n32k16.
bool IsLarge(const Shape& shape) {
  return Is(shape, 16, 16, 16) || Is(shape, 32, 8, 16) || Is(shape, 8, 32, 16);
}

bool HasMultiplicand(const Shape& shape, Element type) {
  switch (type) {
    case Element::kF16:
    case Element::kBF16:
    case Element::kS8:
    case Element::kU8:
      return IsLarge(shape);
    case Element::kTF32:
      return Is(shape, 16, 16, 8);
    case Element::kF64:
      return Is(shape, 8, 8, 4);
    case Element::kS4:
    case Element::kU4:
      return Is(shape, 8, 8, 32);
    case Element::kB1:
      return Is(shape, 8, 8, 128);
    default:
      return false;
  }
}

bool HasAccumulator(const Shape& shape, Element type) {
  switch (type) {
    case Element::kF16:
      return IsLarge(shape);
    case Element::kF32:
      return IsLarge(shape) || Is(shape, 16, 16, 8);
    case Element::kS32:
      return IsLarge(shape) || Is(shape, 8, 8, 32) || Is(shape, 8, 8, 128);
    case Element::kF64:
      return Is(shape, 8, 8, 4);
    default:
      return false;
  }
}

// Accumulators that go with multiplicands of a type.
bool Fits(Element multiplicand, Element accumulator) {
  if (multiplicand == Element::kF16) return accumulator == Element::kF16 || accumulator == Element::kF32;
  if (multiplicand == Element::kF64) return accumulator == Element::kF64;
  return accumulator == (IsInteger(multiplicand) ? Element::kS32 : Element::kF32);
}

MatrixFragment LowerFragment(Role role, const Shape& shape, Element type, bool written,
                             const ptx::Operand& operand, Lowering& lowering) {
  const auto count = static_cast<std::size_t>(WmmaRegisters(role, shape, type));
  if (count == 0) {
    lowering.Refuse(fmt::format("no matrix of {} in m{}n{}k{}", ToString(type), shape.m, shape.n, shape.k));
  }
  const ptx::Type registers = RegisterTypeOf(type);
  return MakeFragment(role, shape, type,
                      written ? DestinationList(operand, registers, count, lowering)
                              : SourceList(operand, registers, count, lowering),
                      [&](int lane, int i) { return WmmaElementAt(role, shape, type, lane, i); });
}

// wmma.load.a.sync.aligned.row.m16n16k16.shared.f16 r, [p], stride; wmma.store.d ... [p], r, stride.
Op LowerMemory(const ptx::Instruction& instruction, bool store, Lowering& lowering) {
  Modifiers modifiers = ReadModifiers(instruction, lowering);
  modifiers.Take(store ? "store" : "load");
  const Role role = modifiers.Take("a") ? Role::kA : modifiers.Take("b") ? Role::kB : Role::kC;
  if (role == Role::kC && !modifiers.Take(store ? "d" : "c")) lowering.Refuse("without the matrix's name");
  if (store && role != Role::kC) lowering.Refuse("only d can be stored");
  if (modifiers.types.size() != 1 || modifiers.row_major.size() != 1)
    lowering.Refuse("needs a layout and a type");
  std::string space;
  for (const std::string& word : modifiers.rest) {
    if (IsSpace(word)) space = word;
  }
  if (!space.empty()) modifiers.Take(space.c_str());
  RefuseRest(modifiers, lowering);
  RequireOperands(instruction, 2, 3, lowering);

  WmmaMemory memory;
  memory.role = role;
  memory.shape = modifiers.shape;
  memory.row_major = modifiers.row_major[0];
  const std::size_t address = store ? 0 : 1;
  memory.fragment = LowerFragment(role, memory.shape, modifiers.types[0], !store,
                                  instruction.operands[1 - address], lowering);
  if (BitsOf(memory.fragment.type) < 8 && memory.row_major != (role == Role::kA)) {
    lowering.Refuse("matrices of less than 8 bits are .row for a and .col for b");
  }
  memory.operand.address = lowering.Address(instruction.operands[address]);
  memory.operand.window = WindowOf(space.empty() ? nullptr : space.c_str(), memory.operand.address, lowering);
  memory.operand.verb = store ? "writes" : "reads";
  const int line = memory.line_elements();
  memory.operand.bytes = static_cast<std::uint32_t>(line * BitsOf(memory.fragment.type) / 8);
  // "aligned with the size of the fragment" (ISA); CUDA's own interface allows rows of 16 bytes.
  const auto bytes = static_cast<std::uint32_t>(memory.fragment.registers.size()) *
                     (memory.fragment.type == Element::kF64 ? 8 : 4);
  memory.operand.alignment = std::min<std::uint32_t>(16, bytes);
  if (instruction.operands.size() == 3) {
    memory.stride_at = lowering.Source(instruction.operands[2], ptx::Type::kB32);
  }
  FindPieces(&memory);
  Op op;
  op.run = store ? RunWmmaStore : RunWmmaLoad;
  op.aligned = true;
  op.details = lowering.Make(std::move(memory));
  return op;
}

// .dtype.ctype (f16) or .dtype.atype.btype.ctype.
Op LowerProduct(const ptx::Instruction& instruction, Lowering& lowering) {
  Modifiers modifiers = ReadModifiers(instruction, lowering);
  modifiers.Take("mma");
  if (modifiers.types.size() == 2) {
    modifiers.types.insert(modifiers.types.begin() + 1, 2, Element::kF16);
  }
  if (modifiers.types.size() != 4 || modifiers.row_major.size() != 2) {
    lowering.Refuse("needs two layouts and two or four types");
  }
  const auto [d, a, b, c] =
      std::tie(modifiers.types[0], modifiers.types[1], modifiers.types[2], modifiers.types[3]);
  if (a != b || !Fits(a, c) || !Fits(a, d)) lowering.Refuse("types that do not go together");
  WarpProduct product;
  product.shape = modifiers.shape;
  if (IsInteger(a) && a != Element::kB1) product.saturate = modifiers.Take("satfinite");
  if (a == Element::kF64) {
    product.rounding = modifiers.Take("rz")   ? FE_TOWARDZERO
                       : modifiers.Take("rm") ? FE_DOWNWARD
                       : modifiers.Take("rp") ? FE_UPWARD
                                              : FE_TONEAREST;
    modifiers.Take("rn");
  }
  if (a == Element::kB1) {
    product.exclusive = modifiers.Take("xor");
    if ((!product.exclusive && !modifiers.Take("and")) || !modifiers.Take("popc"))
      lowering.Refuse("without .popc");
  }
  RefuseRest(modifiers, lowering);
  RequireOperands(instruction, 4, 4, lowering);
  const auto& operands = instruction.operands;
  product.d = LowerFragment(Role::kC, product.shape, d, true, operands[0], lowering);
  product.a = LowerFragment(Role::kA, product.shape, a, false, operands[1], lowering);
  product.b = LowerFragment(Role::kB, product.shape, b, false, operands[2], lowering);
  product.c = LowerFragment(Role::kC, product.shape, c, false, operands[3], lowering);
  Op op;
  op.run = RunWarpProduct;
  op.aligned = true;
  op.details = lowering.Make(std::move(product));
  return op;
}

}  // namespace

int WmmaRegisters(Role role, const Shape& shape, Element type) {
  if (role == Role::kC ? !HasAccumulator(shape, type) : !HasMultiplicand(shape, type)) return 0;
  if (role != Role::kC && type == Element::kF16) return 8;
  const int bits = LaneElements(role, shape) * BitsOf(type);
  return type == Element::kF64 ? bits / 64 : bits / 32;
}

Position WmmaElementAt(Role role, const Shape& shape, Element type, int lane, int i) {
  const int rows = std::min(shape.m, 16);
  const Shape block{rows, 8, shape.k};
  const int each = LaneElements(role, block);
  const int index = i % LaneElements(role, shape) / each;
  Position at = ElementAt(role, block, type, lane, i % each);
  switch (role) {
    case Role::kA:
      at.row += index * rows;
      break;
    case Role::kB:
      at.column += index * 8;
      break;
    case Role::kC:
      at.row += index / (shape.n / 8) * rows;
      at.column += index % (shape.n / 8) * 8;
      break;
  }
  return at;
}

Op LowerWmma(const ptx::Instruction& instruction, Lowering& lowering) {
  const std::string what = instruction.modifiers.empty() ? "" : instruction.modifiers[0];
  if (what != "load" && what != "store" && what != "mma")
    lowering.Refuse("the emulator knows load, store and mma");
  if (what == "mma") return LowerProduct(instruction, lowering);
  return LowerMemory(instruction, what == "store", lowering);
}

}  // namespace emu
