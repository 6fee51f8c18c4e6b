#include "tools/emulator/memory/access.h"

#include <fmt/core.h>

#include "tools/emulator/exec/machine.h"
#include "tools/emulator/exec/state.h"

namespace emu {
namespace {

constexpr std::uint32_t kMaxBytes = 32;  // .v8.b32, .v4.b64

}  // namespace

std::vector<const ptx::Operand*> Elements(const ptx::Operand& operand, std::uint32_t vector,
                                          const Lowering& lowering) {
  if (vector == 1) {
    if (operand.kind == ptx::Operand::Kind::kVector) lowering.Refuse("a vector where one value is wanted");
    return {&operand};
  }
  if (operand.kind != ptx::Operand::Kind::kVector || operand.elements.size() != vector) {
    lowering.Refuse(fmt::format("not a vector of {} values", vector));
  }
  std::vector<const ptx::Operand*> elements;
  for (const ptx::Operand& element : operand.elements) elements.push_back(&element);
  return elements;
}

void ReadAccess(const Qualifiers& qualifiers, const ptx::Operand& address, Lowering& lowering,
                MemoryAccess* access) {
  access->memory.address = lowering.Address(address);
  access->memory.window =
      WindowOf(qualifiers.space.empty() ? nullptr : qualifiers.space.c_str(), access->memory.address, lowering);
  access->element_bytes = ptx::SizeOf(qualifiers.type);
  access->memory.bytes = access->element_bytes * qualifiers.vector;
  access->memory.alignment = access->memory.bytes;
  access->order = qualifiers.order;
  if (access->memory.bytes > kMaxBytes)
    lowering.Refuse(fmt::format("an access of {} bytes", access->memory.bytes));
}

void PollDigest::Finish(Warp& warp, std::uint32_t poll) {
  if (poll == Op::kNone) return;
  auto& before = *warp.Lanes<std::uint64_t>(poll);
  if (before == digest_) {
    warp.machine().NotePoll(warp);
  } else {
    NoteNews(warp);
  }
  before = digest_;
}

void NoteNews(Warp& warp) { warp.exec->polls = 0; }

}  // namespace emu
