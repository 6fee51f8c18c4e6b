#include "tools/emulator/tensor/wgmma.h"

#include <fmt/core.h>

#include "tools/emulator/tensor/modifiers.h"
#include "tools/emulator/tensor/wgmma_call.h"

namespace emu {

namespace {

bool IsFp8(Element type) { return type == Element::kE4M3 || type == Element::kE5M2; }
bool IsByte(Element type) { return type == Element::kS8 || type == Element::kU8; }

// The combinations of the ISA's syntax.
bool Exists(const WgmmaDetails& details) {
  const auto [m, n, k] = details.shape;
  const Element a = details.a, b = details.b, d = details.d;
  const bool integers = IsInteger(a);
  if (m != 64 || n < 8 || n > 256 || n % 8 != 0) return false;
  if (integers && n > 32 && n % 16 != 0) return false;
  if (k * BitsOf(a) != 256) return false;
  if (a == Element::kF16) return b == a && (d == Element::kF16 || d == Element::kF32);
  if (a == Element::kBF16 || a == Element::kTF32) return b == a && d == Element::kF32;
  if (IsFp8(a)) return IsFp8(b) && (d == Element::kF16 || d == Element::kF32);
  if (IsByte(a)) return IsByte(b) && d == Element::kS32;
  return a == Element::kB1 && b == a && d == Element::kS32;
}

// An operand that must be one of two numbers.
int Immediate(const ptx::Operand& operand, int one, int other, Lowering& lowering) {
  const auto value = static_cast<std::int64_t>(operand.bits);
  const auto narrow = static_cast<std::int32_t>(operand.bits);
  if (operand.kind != ptx::Operand::Kind::kInteger || (value != narrow && value >> 32 != 0) ||
      (narrow != one && narrow != other)) {
    lowering.Refuse(fmt::format("an operand that must be {} or {}", one, other));
  }
  return narrow;
}

void LowerScaleD(const ptx::Operand& operand, WgmmaDetails* details, Lowering& lowering) {
  if (operand.kind == ptx::Operand::Kind::kInteger) {
    details->add = operand.bits != 0;
  } else {
    details->scale_d = lowering.Predicate(operand, &details->scale_d_negated);
  }
}

// d, a-desc or a, b-desc, scale-d {, imm-scale-a, imm-scale-b {, imm-trans-a}, imm-trans-b}.
void LowerOperands(const ptx::Instruction& instruction, WgmmaDetails* details, Lowering& lowering) {
  const auto& operands = instruction.operands;
  if (operands.size() < 4) lowering.Refuse("needs four operands or more");
  const bool in_registers = operands[1].kind == ptx::Operand::Kind::kVector;
  const bool transposable = BitsOf(details->a) == 16;
  const std::size_t scales = IsInteger(details->a) ? 0 : 2;
  const std::size_t transposes = !transposable ? 0 : in_registers ? 1 : 2;
  RequireOperands(instruction, 4 + scales + transposes, 4 + scales + transposes, lowering);

  const auto d_count = static_cast<std::size_t>(details->shape.n / 2 * BitsOf(details->d) / 32);
  details->d_registers = DestinationList(operands[0], RegisterTypeOf(details->d), d_count, lowering);
  if (in_registers) {
    details->a_registers = SourceList(operands[1], ptx::Type::kB32, 4, lowering);
  } else {
    details->a_descriptor = lowering.Source(operands[1], ptx::Type::kB64);
  }
  details->b_descriptor = lowering.Source(operands[2], ptx::Type::kB64);
  LowerScaleD(operands[3], details, lowering);
  if (scales != 0) {
    details->negative = Immediate(operands[4], 1, -1, lowering) * Immediate(operands[5], 1, -1, lowering) < 0;
  }
  if (transposes != 0) {
    details->a_transposed = transposes == 2 && Immediate(operands[6], 0, 1, lowering) != 0;
    details->b_transposed = Immediate(operands[5 + transposes], 0, 1, lowering) != 0;
  }
}

Op LowerProduct(const ptx::Instruction& instruction, Modifiers modifiers, Lowering& lowering) {
  if (modifiers.types.size() != 3) lowering.Refuse("needs three types");
  WgmmaDetails details;
  details.shape = modifiers.shape;
  details.d = modifiers.types[0];
  details.a = modifiers.types[1];
  details.b = modifiers.types[2];
  if (!Exists(details)) {
    lowering.Refuse(fmt::format("no wgmma of m{}n{}k{} with {}, {}, {}", details.shape.m, details.shape.n,
                                details.shape.k, ToString(details.d), ToString(details.a),
                                ToString(details.b)));
  }
  if (details.a == Element::kB1 && (!modifiers.Take("and") || !modifiers.Take("popc"))) {
    lowering.Refuse("without .and.popc");
  }
  if (IsByte(details.a)) details.saturate = modifiers.Take("satfinite");
  RefuseRest(modifiers, lowering);
  LowerOperands(instruction, &details, lowering);
  Op op;
  op.run = RunWgmma;
  op.details = lowering.Make(std::move(details));
  return op;
}

Op LowerWait(const ptx::Instruction& instruction, Lowering& lowering) {
  RequireOperands(instruction, 1, 1, lowering);
  if (instruction.operands[0].kind != ptx::Operand::Kind::kInteger)
    lowering.Refuse("the operand must be a number");
  Op op;
  op.run = RunWgmmaWait;
  op.imm = static_cast<std::int64_t>(instruction.operands[0].bits & 0x7fffffff);
  return op;
}

}  // namespace

Op LowerWgmma(const ptx::Instruction& instruction, Lowering& lowering) {
  Modifiers modifiers = ReadModifiers(instruction, lowering);
  Op op;
  if (modifiers.Take("mma_async")) {
    op = LowerProduct(instruction, std::move(modifiers), lowering);
  } else if (modifiers.Take("wait_group")) {
    RefuseRest(modifiers, lowering);
    op = LowerWait(instruction, lowering);
  } else {
    op.run = modifiers.Take("fence")          ? RunWgmmaFence
             : modifiers.Take("commit_group") ? RunWgmmaCommit
                                              : nullptr;
    RefuseRest(modifiers, lowering);
    if (op.run == nullptr) lowering.Refuse("the emulator does not know it");
    RequireOperands(instruction, 0, 0, lowering);
  }
  op.aligned = true;
  return op;
}

}  // namespace emu
