#include "tools/emulator/tensor/modifiers.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdio>

namespace emu {

namespace {

bool ParseShape(const std::string& word, Shape* shape) {
  int m = 0, n = 0, k = 0, length = 0;
  if (std::sscanf(word.c_str(), "m%4dn%4dk%4d%n", &m, &n, &k, &length) != 3) return false;
  if (static_cast<std::size_t>(length) != word.size() || m <= 0 || n <= 0 || k <= 0) return false;
  *shape = {m, n, k};
  return true;
}

template <class Offset>
std::vector<std::uint32_t> List(const ptx::Operand& operand, std::size_t count, Lowering& lowering,
                                Offset offset) {
  std::vector<std::uint32_t> offsets;
  if (operand.kind == ptx::Operand::Kind::kVector) {
    for (const ptx::Operand& element : operand.elements) offsets.push_back(offset(element));
  } else {
    offsets.push_back(offset(operand));
  }
  if (offsets.size() != count) {
    lowering.Refuse(fmt::format("a list of {} registers where {} are needed", offsets.size(), count));
  }
  return offsets;
}

}  // namespace

bool Modifiers::Take(const char* word) {
  const auto found = std::find(rest.begin(), rest.end(), word);
  if (found == rest.end()) return false;
  rest.erase(found);
  return true;
}

Modifiers ReadModifiers(const ptx::Instruction& instruction, const Lowering& lowering) {
  Modifiers result;
  for (const std::string& word : instruction.modifiers) {
    Element type;
    Shape shape;
    if (word == "row" || word == "col") {
      result.row_major.push_back(word == "row");
    } else if (ParseElement(word.c_str(), &type)) {
      result.types.push_back(type);
    } else if (result.shape.m == 0 && ParseShape(word, &shape)) {
      result.shape = shape;
    } else {
      result.rest.push_back(word);
    }
  }
  // .aligned is implicit in PTX below 6.3.
  if (!result.Take("sync")) lowering.Refuse("without .sync");
  if (!result.Take("aligned") && lowering.module().version >= 63) lowering.Refuse("without .aligned");
  return result;
}

void RefuseRest(const Modifiers& modifiers, const Lowering& lowering) {
  if (!modifiers.rest.empty())
    lowering.Refuse(fmt::format("the emulator does not know .{} here", modifiers.rest[0]));
}

void RequireOperands(const ptx::Instruction& instruction, std::size_t least, std::size_t most,
                     const Lowering& lowering) {
  if (instruction.operands.size() >= least && instruction.operands.size() <= most) return;
  lowering.Refuse(fmt::format("{} operands", instruction.operands.size()));
}

std::vector<std::uint32_t> SourceList(const ptx::Operand& operand, ptx::Type type, std::size_t count,
                                      Lowering& lowering) {
  return List(operand, count, lowering, [&](const ptx::Operand& one) { return lowering.Source(one, type); });
}

std::vector<std::uint32_t> DestinationList(const ptx::Operand& operand, ptx::Type type, std::size_t count,
                                           Lowering& lowering) {
  return List(operand, count, lowering,
              [&](const ptx::Operand& one) { return lowering.Destination(one, type); });
}

ptx::Type RegisterTypeOf(Element type) {
  if (type == Element::kF64) return ptx::Type::kF64;
  if (type == Element::kF32) return ptx::Type::kF32;
  return ptx::Type::kB32;
}

void RequireWholeWarp(const Warp& warp, const Op& op) {
  if (warp.active() == kAllLanes) return;
  const LaneMask missing = ~warp.active();
  const char* why = (missing & ~warp.existing()) != 0
                        ? "does not exist: the CTA's last warp has fewer than 32 threads"
                    : (missing & ~warp.present()) != 0 ? "has exited"
                                                       : "does not execute it with the others";
  warp.Fail(FindingKind::kDivergence, op, FirstLane(warp.active()),
            fmt::format("every thread of the warp must execute it, and lane {} {}",
                        FirstLane((missing & ~warp.existing()) != 0  ? missing & ~warp.existing()
                                  : (missing & ~warp.present()) != 0 ? missing & ~warp.present()
                                                                     : missing),
                        why));
}

}  // namespace emu
