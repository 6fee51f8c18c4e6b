#include "tools/emulator/tensor/wmma_memory.h"

#include <fmt/core.h>

#include <cstring>

#include "tools/emulator/check/checker.h"
#include "tools/emulator/tensor/modifiers.h"
#include "tools/emulator/tensor/wmma.h"

namespace emu {

namespace {

// "The behavior is undefined if all threads do not use ... the same values of p and stride".
template <class T>
void RequireSame(const Warp& warp, const Op& op, const T* values, const char* what) {
  for (std::uint32_t lane = 1; lane < kWarpSize; ++lane) {
    if (values[lane] == values[0]) continue;
    warp.Fail(FindingKind::kBadOperand, op, lane,
              fmt::format("{} is {:#x} and {:#x} in lane 0; it must be the same in all lanes", what,
                          values[lane], values[0]));
  }
}

// The first byte of every line. Lines are told to the checker as the accesses of one lane each.
struct Lines {
  std::byte* host[kWarpSize];
};

Lines FindLines(Warp& warp, const Op& op, const WmmaMemory& memory, bool write) {
  RequireWholeWarp(warp, op);
  std::uint64_t bases[kWarpSize];
  Addresses(warp, memory.operand.address, bases);
  RequireSame(warp, op, bases, "the address");
  std::uint32_t stride = static_cast<std::uint32_t>(memory.line_elements());
  if (memory.stride_at != Op::kNone) {
    const auto* strides = warp.Lanes<std::uint32_t>(memory.stride_at);
    RequireSame(warp, op, strides, "the stride");
    stride = strides[0];
    if (stride < static_cast<std::uint32_t>(memory.line_elements())) {
      warp.Fail(
          FindingKind::kBadOperand, op, 0,
          fmt::format("a stride of {} elements is less than the {} of a line", stride, memory.line_elements()));
    }
  }
  const std::uint64_t step =
      std::uint64_t{stride} * static_cast<std::uint64_t>(BitsOf(memory.fragment.type)) / 8;
  Lines lines;
  std::uint32_t shared[kWarpSize];
  LaneMask in_shared = 0;
  MemoryOperand line = memory.operand;
  for (int i = 0; i < memory.lines(); ++i) {
    line.address.offset =
        memory.operand.address.offset + static_cast<std::int64_t>(static_cast<std::uint64_t>(i) * step);
    Places places;
    Resolve(warp, op, line, 1, &places);
    lines.host[i] = reinterpret_cast<std::byte*>(places.host[0]);
    shared[i] = places.shared[0];
    in_shared |= places.in_shared << i;
  }
  if (in_shared != 0) {
    if (write) {
      warp.checker().Write(warp, op, in_shared, shared, line.bytes);
    } else {
      warp.checker().Read(warp, op, in_shared, shared, line.bytes);
    }
  }
  return lines;
}

// Calls move(in memory, in a register) for each piece.
template <class T, class Move>
void ForPieces(const WmmaMemory& memory, const Lines& lines, Warp& warp, Move move) {
  const WmmaMemory::Piece* piece = memory.pieces.data();
  const std::size_t per_register = memory.pieces.size() / memory.fragment.registers.size();
  for (const std::uint32_t offset : memory.fragment.registers) {
    T* values = warp.Lanes<T>(offset);
    for (std::size_t i = 0; i < per_register; ++i, ++piece)
      move(lines.host[piece->line] + piece->byte, values + i);
  }
}

template <class Move>
void ForPieces(const WmmaMemory& memory, const Lines& lines, Warp& warp, Move move) {
  switch (memory.piece_bytes()) {
    case 1:
      return ForPieces<std::uint8_t>(memory, lines, warp, move);
    case 2:
      return ForPieces<std::uint16_t>(memory, lines, warp, move);
    case 4:
      return ForPieces<std::uint32_t>(memory, lines, warp, move);
    default:
      return ForPieces<std::uint64_t>(memory, lines, warp, move);
  }
}

}  // namespace

void FindPieces(WmmaMemory* memory) {
  const MatrixFragment& fragment = memory->fragment;
  const int bits = BitsOf(fragment.type);
  const int step = bits < 8 ? fragment.packed() : 1;
  const int registers = static_cast<int>(fragment.registers.size());
  for (int reg = 0; reg < registers; ++reg) {
    for (int lane = 0; lane < kWarpSize; ++lane) {
      for (int e = 0; e < fragment.packed(); e += step) {
        const Position at =
            WmmaElementAt(memory->role, memory->shape, fragment.type, lane, reg * fragment.packed() + e);
        const int line = memory->row_major ? at.row : at.column, along = memory->row_major ? at.column : at.row;
        memory->pieces.push_back(
            {static_cast<std::uint16_t>(line), static_cast<std::uint16_t>(along * bits / 8)});
      }
    }
  }
}

Flow RunWmmaLoad(Warp& warp, const Op& op) {
  const auto& memory = static_cast<const WmmaMemory&>(*op.details);
  const Lines lines = FindLines(warp, op, memory, false);
  ForPieces(memory, lines, warp,
            [](const std::byte* memory, auto* value) { std::memcpy(value, memory, sizeof(*value)); });
  return Flow::kNext;
}

Flow RunWmmaStore(Warp& warp, const Op& op) {
  const auto& memory = static_cast<const WmmaMemory&>(*op.details);
  const Lines lines = FindLines(warp, op, memory, true);
  ForPieces(memory, lines, warp,
            [](std::byte* memory, const auto* value) { std::memcpy(memory, value, sizeof(*value)); });
  return Flow::kNext;
}

}  // namespace emu
