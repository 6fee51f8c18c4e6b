#include "tools/emulator/tensor/matrix_move.h"

#include <cstring>

#include "tools/emulator/check/checker.h"
#include "tools/emulator/memory/addresses.h"
#include "tools/emulator/tensor/modifiers.h"

namespace emu {

namespace {

// A fragment of an 8x8 matrix of 16 bits: lane 4r + c holds elements 2c and 2c + 1 of row r.
constexpr int kRows = 8, kRowBytes = 16;

struct MatrixMove : Details {
  MemoryOperand memory;
  std::vector<std::uint32_t> registers;  // one per matrix
  LaneMask addressing = 0;               // the lanes whose addresses are rows: 8 for each matrix
};

// Fragment with rows and columns exchanged.
void Transpose(const std::uint16_t* from, std::uint16_t* to) {
  for (int row = 0; row < kRows; ++row) {
    for (int column = 0; column < kRows; ++column) to[column * kRows + row] = from[row * kRows + column];
  }
}

// Rows of all matrices, checked. False addresses stop.
void FindRows(Warp& warp, const Op& op, const MatrixMove& move, Places* places) {
  RequireWholeWarp(warp, op);
  Resolve(warp, op, move.memory, move.addressing, places);
  const LaneMask elsewhere = move.addressing & ~places->in_shared;
  if (elsewhere != 0) {
    warp.Fail(FindingKind::kOutOfBounds, op, FirstLane(elsewhere), "the address is not one of shared memory");
  }
}

template <bool kTransposed>
Flow RunLdmatrix(Warp& warp, const Op& op) {
  const auto& move = static_cast<const MatrixMove&>(*op.details);
  Places places;
  FindRows(warp, op, move, &places);
  warp.checker().Read(warp, op, move.addressing, places.shared, kRowBytes);
  for (std::size_t matrix = 0; matrix < move.registers.size(); ++matrix) {
    std::uint16_t rows[kRows * kRows];
    for (int row = 0; row < kRows; ++row) {
      std::memcpy(rows + row * kRows, reinterpret_cast<const void*>(places.host[matrix * kRows + row]),
                  kRowBytes);
    }
    // A row is held by four lanes, one after the other: the matrix in rows is the register of 32 lanes.
    auto* to = warp.Lanes<std::uint16_t>(move.registers[matrix]);
    if (kTransposed) {
      Transpose(rows, to);
    } else {
      std::memcpy(to, rows, sizeof(rows));
    }
  }
  return Flow::kNext;
}

template <bool kTransposed>
Flow RunStmatrix(Warp& warp, const Op& op) {
  const auto& move = static_cast<const MatrixMove&>(*op.details);
  Places places;
  FindRows(warp, op, move, &places);
  warp.checker().Write(warp, op, move.addressing, places.shared, kRowBytes);
  for (std::size_t matrix = 0; matrix < move.registers.size(); ++matrix) {
    const auto* from = warp.Lanes<std::uint16_t>(move.registers[matrix]);
    std::uint16_t rows[kRows * kRows];
    if (kTransposed) {
      Transpose(from, rows);
    } else {
      std::memcpy(rows, from, sizeof(rows));
    }
    for (int row = 0; row < kRows; ++row) {
      std::memcpy(reinterpret_cast<void*>(places.host[matrix * kRows + row]), rows + row * kRows, kRowBytes);
    }
  }
  return Flow::kNext;
}

Flow RunMovmatrix(Warp& warp, const Op& op) {
  RequireWholeWarp(warp, op);
  std::uint16_t rows[kRows * kRows];
  Transpose(warp.Lanes<std::uint16_t>(op.at[1]), rows);
  std::memcpy(warp.Lanes<std::uint16_t>(op.at[0]), rows, sizeof(rows));
  return Flow::kNext;
}

struct MoveName {
  int matrices = 0;
  bool transposed = false;
  const char* space = nullptr;  // null: generic
};

// ".m8n8.x4.trans.shared.b16" in any order.
MoveName ReadName(const ptx::Instruction& instruction, Lowering& lowering) {
  Modifiers modifiers = ReadModifiers(instruction, lowering);
  MoveName name;
  if (!modifiers.Take("m8n8") || !modifiers.Take("b16")) {
    lowering.Refuse("the emulator knows .m8n8 with .b16 only");
  }
  name.matrices = modifiers.Take("x1") ? 1 : modifiers.Take("x2") ? 2 : modifiers.Take("x4") ? 4 : 0;
  if (name.matrices == 0) lowering.Refuse("without .x1, .x2 or .x4");
  name.transposed = modifiers.Take("trans");
  name.space = modifiers.Take("shared") ? "shared" : modifiers.Take("shared::cta") ? "shared::cta" : nullptr;
  RefuseRest(modifiers, lowering);
  RequireOperands(instruction, 2, 2, lowering);
  return name;
}

MatrixMove LowerMove(const MoveName& name, const ptx::Operand& address, const char* verb, Lowering& lowering) {
  MatrixMove move;
  move.memory.address = lowering.Address(address);
  move.memory.window = WindowOf(name.space, move.memory.address, lowering);
  move.memory.bytes = kRowBytes;
  move.memory.alignment = kRowBytes;
  move.memory.verb = verb;
  move.addressing = name.matrices == 4 ? kAllLanes : (1u << (name.matrices * kRows)) - 1;
  return move;
}

}  // namespace

Op LowerLdmatrix(const ptx::Instruction& instruction, Lowering& lowering) {
  const MoveName name = ReadName(instruction, lowering);
  MatrixMove move = LowerMove(name, instruction.operands[1], "reads", lowering);
  move.registers = DestinationList(instruction.operands[0], ptx::Type::kB32,
                                   static_cast<std::size_t>(name.matrices), lowering);
  Op op;
  op.run = name.transposed ? RunLdmatrix<true> : RunLdmatrix<false>;
  op.aligned = true;
  op.details = lowering.Make(std::move(move));
  return op;
}

Op LowerStmatrix(const ptx::Instruction& instruction, Lowering& lowering) {
  const MoveName name = ReadName(instruction, lowering);
  MatrixMove move = LowerMove(name, instruction.operands[0], "writes", lowering);
  move.registers =
      SourceList(instruction.operands[1], ptx::Type::kB32, static_cast<std::size_t>(name.matrices), lowering);
  Op op;
  op.run = name.transposed ? RunStmatrix<true> : RunStmatrix<false>;
  op.aligned = true;
  op.details = lowering.Make(std::move(move));
  return op;
}

Op LowerMovmatrix(const ptx::Instruction& instruction, Lowering& lowering) {
  Modifiers modifiers = ReadModifiers(instruction, lowering);
  if (!modifiers.Take("m8n8") || !modifiers.Take("trans") || !modifiers.Take("b16")) {
    lowering.Refuse("the ISA has .m8n8.trans.b16 only");
  }
  RefuseRest(modifiers, lowering);
  RequireOperands(instruction, 2, 2, lowering);
  Op op;
  op.run = RunMovmatrix;
  op.aligned = true;
  op.at[0] = DestinationList(instruction.operands[0], ptx::Type::kB32, 1, lowering)[0];
  op.at[1] = SourceList(instruction.operands[1], ptx::Type::kB32, 1, lowering)[0];
  return op;
}

}  // namespace emu
