// ld and st, atom and red: what they have in common.
#pragma once

#include <cstdint>
#include <vector>

#include "tools/emulator/memory/addresses.h"
#include "tools/emulator/memory/lanes.h"
#include "tools/emulator/memory/order.h"
#include "tools/emulator/memory/qualifiers.h"

namespace emu {

struct MemoryAccess : Details {
  MemoryOperand memory;
  Order order = Order::kWeak;
  std::uint32_t element_bytes = 0;
  std::uint32_t poll = Op::kNone;  // of strong reads: a number that tells what was read the last time
};

// The registers of a vector, or the only one.
std::vector<const ptx::Operand*> Elements(const ptx::Operand& operand, std::uint32_t vector,
                                          const Lowering& lowering);

// Fills what `qualifiers` and the address operand say. Refuses vectors that are too long.
void ReadAccess(const Qualifiers& qualifiers, const ptx::Operand& address, Lowering& lowering,
                MemoryAccess* access);

// A running digest of what a strong read returned. Machine::NotePoll is told when it is what the same instruction of the
// same warp returned before, from the same addresses.
class PollDigest {
 public:
  void Add(std::uint64_t value) { digest_ = (digest_ ^ value) * 0x9e3779b97f4a7c15u + (digest_ >> 29); }
  void Finish(Warp& warp, std::uint32_t poll);

 private:
  std::uint64_t digest_ = 0x243f6a8885a308d3u;
};

// The warp has read something new or changed what others may wait for: it does not only poll.
void NoteNews(Warp& warp);

Op LowerLoad(const ptx::Instruction& instruction, Lowering& lowering);
Op LowerUniformLoad(const ptx::Instruction& instruction, Lowering& lowering);  // ldu
Op LowerStore(const ptx::Instruction& instruction, Lowering& lowering);
Op LowerAtomic(const ptx::Instruction& instruction, Lowering& lowering);
Op LowerReduction(const ptx::Instruction& instruction, Lowering& lowering);
// st.bulk
Op LowerBulkStore(const ptx::Instruction& instruction, Lowering& lowering);

}  // namespace emu
