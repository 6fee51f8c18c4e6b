// The parts of a wgmma.mma_async: what it is, when it is issued, what it reads, what it computes.
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <string>
#include <vector>

#include "tools/emulator/exec/lowering.h"
#include "tools/emulator/tensor/layouts.h"
#include "tools/emulator/tensor/state.h"

namespace emu {

struct WgmmaDetails : Details {
  Shape shape;
  Element a = Element::kF16, b = Element::kF16, d = Element::kF32;
  std::vector<std::uint32_t> d_registers;
  std::vector<std::uint32_t> a_registers;  // empty: A is in shared memory
  std::uint32_t a_descriptor = Op::kNone, b_descriptor = Op::kNone;
  std::uint32_t scale_d = Op::kNone;  // a predicate; kNone: `add`
  bool scale_d_negated = false, add = true;
  bool a_transposed = false, b_transposed = false;  // MN-major
  bool negative = false;                            // the product of imm-scale-a and imm-scale-b
  bool saturate = false;
};

inline const WgmmaDetails& DetailsOf(const Op& op) { return static_cast<const WgmmaDetails&>(*op.details); }

Flow RunWgmma(Warp& warp, const Op& op);
Flow RunWgmmaFence(Warp& warp, const Op& op);
Flow RunWgmmaCommit(Warp& warp, const Op& op);
Flow RunWgmmaWait(Warp& warp, const Op& op);  // Op::imm: groups that may be pending

// The warp's state, with its warpgroup.
WgmmaState& StateOf(Warp& warp);

// --- Registers (wgmma_registers.cc).
// Stops when a register that `op` uses is in flight as something else, or was written since the last wgmma.fence.
void CheckRegisters(Warp& warp, const Op& op);
void MarkRegisters(Warp& warp, const Op& op);
// wgmma.fence: what registers hold now is known to the wgmmas that follow up to the next commit_group or fence.
void LearnAtFence(Warp& warp, const Op& op);
// The calls up to (without) `end` are over for this warp: their results are known.
void LearnResults(Warp& warp, std::uint64_t end);

// --- Shared memory (wgmma_reads.cc). What wgmmas read that follow each other without anything between them is told to the
// checker as one operation of each warp: its 16 rows of A, and a quarter of the columns of B.
struct WgmmaReads {
  static constexpr std::size_t kGranules = (1 << 18) / 16;  // that a descriptor can address
  std::array<AsyncId, 4> ids{};
  std::array<std::bitset<kGranules>, 4> granules;
  bool told = false, ended = false;
  SyncPoint over;
};

// Finds what the call reads; stops when it is not in the CTA's shared memory.
void FindGranules(const Warp& warp, WgmmaCall* call);
// The warp arrives at the call.
void BeginReads(Warp& warp, Warpgroup& group, WgmmaCall* call);
// All have arrived, granules are known.
void AddReads(Warp& warp, WgmmaCall* call);
// To the checker, once.
void TellReads(Warp& warp, WgmmaReads* reads);
// They are over, and this warp knows it.
void EndReads(Warp& warp, WgmmaReads* reads);

// --- Arithmetic (wgmma_perform.cc).
void PerformWgmma(Warpgroup& group, const WgmmaCall& call);

}  // namespace emu
