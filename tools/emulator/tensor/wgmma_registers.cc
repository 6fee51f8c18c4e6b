// Registers that wgmmas use while ordinary instructions run (PTX ISA, "wgmma.fence", "wgmma.wait_group").
//
// Two rules. Until a wgmma was waited for, nothing but another wgmma with the same accumulators may touch its registers:
// whether an instruction names one is looked up (CheckInFlight). And what ordinary instructions write into such a register is
// seen by a wgmma only behind a wgmma.fence: that is found by content. What the registers held at the fence, or when a wgmma
// had been waited for, is kept; a wgmma that finds something else there lacks a fence.

#include <fmt/core.h>

#include <cstring>

#include "tools/emulator/exec/program.h"
#include "tools/emulator/tensor/wgmma_call.h"

namespace emu {

namespace {

constexpr std::size_t kRegisterBytes = kWarpSize * sizeof(std::uint32_t);

void Learn(const Warp& warp, WgmmaState& state, std::uint32_t offset) {
  std::memcpy(state.known.data() + offset, warp.Lanes<std::byte>(offset), kRegisterBytes);
  state.is_known[offset / 64] = 1;
}

// "element 3 of D" of a call that uses the register.
std::string Describe(const Op& op, std::uint32_t offset) {
  const WgmmaDetails& details = DetailsOf(op);
  for (std::size_t i = 0; i < details.d_registers.size(); ++i) {
    if (details.d_registers[i] == offset) return fmt::format("register {} of the accumulator", i);
  }
  for (std::size_t i = 0; i < details.a_registers.size(); ++i) {
    if (details.a_registers[i] == offset) return fmt::format("register {} of A", i);
  }
  return "a register";
}

std::string HowToWait(const WgmmaState& state, std::uint64_t call) {
  for (std::size_t i = 0; i < state.commits.size(); ++i) {
    if (call >= state.commits[i]) continue;
    return fmt::format("it was committed and is over behind wgmma.wait_group {} or less",
                       state.commits.size() - 1 - i);
  }
  return "no wgmma.commit_group has followed it yet";
}

void RequireFence(const Warp& warp, const Op& op, const WgmmaState& state, std::uint32_t offset) {
  if (state.is_known[offset / 64] == 0) return;
  const std::byte* now = warp.Lanes<std::byte>(offset);
  const std::byte* known = state.known.data() + offset;
  if (std::memcmp(now, known, kRegisterBytes) == 0) return;
  std::uint32_t lane = 0;
  while (std::memcmp(now + lane * 4, known + lane * 4, 4) == 0) ++lane;
  warp.Fail(
      FindingKind::kAccumulatorInFlight, op, lane,
      fmt::format(
          "{} was written by an ordinary instruction and no wgmma.fence has followed (it holds {:#010x}; at "
          "the last fence or wait it held {:#010x})",
          Describe(op, offset), warp.Lanes<std::uint32_t>(offset)[lane],
          reinterpret_cast<const std::uint32_t*>(known)[lane]));
}

[[noreturn]] void FailInFlight(const Warp& warp, const Op& op, const WgmmaState& state, std::uint32_t offset,
                               const char* what) {
  const WgmmaState::Use& use = state.uses[offset / 64];
  warp.Fail(FindingKind::kAccumulatorInFlight, op, FirstLane(warp.active()),
            fmt::format("{} {} of {} of PTX line {}, which may still be running; {}", what,
                        Describe(*use.op, offset), use.op->name, use.op->line, HowToWait(state, use.call - 1)));
}

}  // namespace

void CheckRegisters(Warp& warp, const Op& op) {
  WgmmaState& state = *warp.wgmma;
  const WgmmaDetails& details = DetailsOf(op);
  if (state.fences == 0) {
    warp.Fail(FindingKind::kAccumulatorInFlight, op, 0,
              "the first wgmma needs a wgmma.fence before it, and the warp has executed none");
  }
  for (const std::uint32_t offset : details.d_registers) {
    if (!state.InFlight(offset)) {
      RequireFence(warp, op, state, offset);
      continue;
    }
    // "accumulator register accesses across multiple wgmma.mma_async instructions of the same shape" are ordered.
    const WgmmaState::Use& use = state.uses[offset / 64];
    if (!use.accumulator) FailInFlight(warp, op, state, offset, "as accumulator, it names");
    const WgmmaDetails& before = DetailsOf(*use.op);
    if (before.shape.n != details.shape.n || before.d != details.d) {
      FailInFlight(warp, op, state, offset, "with another shape, it names");
    }
  }
  for (const std::uint32_t offset : details.a_registers) {
    if (!state.InFlight(offset)) {
      RequireFence(warp, op, state, offset);
    } else if (state.uses[offset / 64].accumulator) {
      FailInFlight(warp, op, state, offset, "as A, it names");
    }
  }
}

void MarkRegisters(Warp& warp, const Op& op) {
  WgmmaState& state = *warp.wgmma;
  const WgmmaDetails& details = DetailsOf(op);
  for (const std::uint32_t offset : details.a_registers)
    state.uses[offset / 64] = {state.issued + 1, &op, false};
  for (const std::uint32_t offset : details.d_registers)
    state.uses[offset / 64] = {state.issued + 1, &op, true};
}

void LearnAtFence(Warp& warp, const Op& op) {
  WgmmaState& state = *warp.wgmma;
  const std::vector<Op>& ops = warp.grid().program->ops;
  const auto learn = [&](const std::vector<std::uint32_t>& registers) {
    for (const std::uint32_t offset : registers) {
      if (!state.InFlight(offset)) Learn(warp, state, offset);
    }
  };
  const std::vector<std::uint32_t>* last = nullptr;
  for (const Op* next = &op + 1; next != ops.data() + ops.size(); ++next) {
    if (next->run == RunWgmmaCommit || next->run == RunWgmmaFence) return;
    if (next->run != RunWgmma) continue;
    const WgmmaDetails& details = DetailsOf(*next);
    learn(details.a_registers);
    if (last == nullptr || *last != details.d_registers) learn(details.d_registers);
    last = &details.d_registers;
  }
}

void LearnResults(Warp& warp, std::uint64_t end) {
  WgmmaState& state = *warp.wgmma;
  for (std::uint64_t number = state.retired; number < end; ++number) {
    const WgmmaDetails& details = DetailsOf(*state.group->Call(number).op);
    for (const std::uint32_t offset : details.d_registers) {
      if (state.uses[offset / 64].call == number + 1) Learn(warp, state, offset);
    }
  }
}

void CheckInFlight(Warp& warp, const Op& op) {
  // wgmma looks at its registers itself.
  if (op.run == RunWgmma) return;
  const WgmmaState& state = *warp.wgmma;
  for (const std::uint32_t offset : op.registers) {
    if (offset / 64 < state.uses.size() && state.InFlight(offset)) {
      FailInFlight(warp, op, state, offset, "it touches");
    }
  }
  if (std::strcmp(op.name, "exit") != 0) return;
  const WgmmaCall& call = state.group->Call(state.retired);
  warp.Fail(FindingKind::kAccumulatorInFlight, op, FirstLane(warp.active()),
            fmt::format("the thread exits while {} of PTX line {} may still be running; {}", call.op->name,
                        call.op->line, HowToWait(state, call.number)));
}

}  // namespace emu
