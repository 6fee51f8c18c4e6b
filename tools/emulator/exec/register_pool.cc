// setmaxnreg (PTX ISA, "Miscellaneous Instructions: setmaxnreg").
#include <fmt/core.h>

#include "tools/emulator/exec/branch.h"
#include "tools/emulator/exec/state.h"

namespace emu {
namespace {

constexpr std::uint32_t kLeast = 24, kMost = 256, kMultiple = 8;

// imm: the number of registers; at[0]: 1 for .inc, 0 for .dec.
std::string Describe(const Warp& warp, const Op& op) {
  std::string others;
  for (const auto& other : warp.cta().warps) others += fmt::format(" {}", other->exec->registers);
  return fmt::format(
      "has {} registers per thread and asks for {}; the pool of the CTA has {} registers left; per thread, the "
      "warps have{}",
      warp.exec->registers, op.imm, warp.cta().barriers->free_registers, others);
}

Flow SetMaxRegisters(Warp& warp, const Op& op) {
  CtaBarriers& cta = *warp.cta().barriers;
  // "May have no effect" when the kernel does not say how many registers it is launched with.
  if (!cta.pool) return Flow::kNext;
  const auto wanted = static_cast<std::uint32_t>(op.imm);
  std::uint32_t& has = warp.exec->registers;
  const std::uint32_t lane = FirstLane(warp.active());
  if (op.at[0] == 0) {
    if (wanted > has) {
      warp.Fail(FindingKind::kRegisterBudget, op, lane,
                fmt::format("releases registers down to {} and has only {}", wanted, has));
    }
    cta.free_registers += (has - wanted) * kWarpSize;
    has = wanted;
    ++warp.cluster().progress;
    return Flow::kNext;
  }
  if (wanted < has) {
    warp.Fail(FindingKind::kRegisterBudget, op, lane,
              fmt::format("asks for {} registers and has {} already", wanted, has));
  }
  const std::uint32_t more = (wanted - has) * kWarpSize;
  if (more > cta.free_registers) {
    std::uint32_t most = cta.free_registers;
    for (const auto& other : warp.cta().warps) {
      if (other.get() != &warp && other->exec->registers > kLeast)
        most += (other->exec->registers - kLeast) * kWarpSize;
    }
    if (more > most) {
      warp.Fail(FindingKind::kRegisterBudget, op, lane,
                "the CTA can never have that many: it " + Describe(warp, op));
    }
    warp.BlockedOn("registers of the CTA's pool", op.imm, Describe);
    return Flow::kBlock;
  }
  cta.free_registers -= more;
  has = wanted;
  return Flow::kNext;
}

}  // namespace

// setmaxnreg.{inc,dec}.sync.aligned.u32 n;
Op LowerSetMaxRegisters(const ptx::Instruction& instruction, Lowering& lowering) {
  Op op;
  const bool more = instruction.Has("inc");
  if (more == instruction.Has("dec") || instruction.operands.size() != 1 ||
      instruction.operands[0].kind != ptx::Operand::Kind::kInteger) {
    lowering.Refuse("an unknown form");
  }
  const std::uint64_t count = instruction.operands[0].bits;
  if (count < kLeast || count > kMost || count % kMultiple != 0) {
    lowering.Refuse("a number of registers that is no multiple of 8 from 24 to 256");
  }
  op.run = SetMaxRegisters;
  op.aligned = true;
  op.at[0] = more ? 1 : 0;
  op.imm = static_cast<std::int64_t>(count);
  return op;
}

}  // namespace emu
