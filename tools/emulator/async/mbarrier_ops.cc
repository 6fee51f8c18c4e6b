// mbarrier.init, inval, arrive, arrive_drop, expect_tx, complete_tx, pending_count.
#include <fmt/core.h>

#include "tools/emulator/async/instructions.h"
#include "tools/emulator/async/mbarrier.h"
#include "tools/emulator/async/operands.h"

namespace emu {
namespace {

struct BarrierDetails : Details {
  SharedOperand barrier;
  bool cluster = false;  // .shared::cluster: may be another CTA's
  bool relaxed = false;
  bool expect_tx = false;
  bool drop = false;
  bool no_complete = false;
};

const BarrierDetails& Of(const Op& op) { return *static_cast<const BarrierDetails*>(op.details); }

void BarrierAddresses(const Warp& warp, const Op& op, std::uint32_t (&out)[kWarpSize]) {
  SharedAddresses(warp, op, Of(op).barrier, warp.active(), Mbarrier::kBytes, out);
  if (Of(op).cluster) return;
  for (const std::uint32_t lane : Each(warp.active())) {
    if (RankOf(out[lane]) == warp.cta().rank) continue;
    warp.Fail(FindingKind::kBadOperand, op, lane,
              fmt::format("a barrier of the CTA with rank {}: only .shared::cluster may name another CTA's",
                          RankOf(out[lane])));
  }
}

Flow RunInit(Warp& warp, const Op& op) {
  std::uint32_t addresses[kWarpSize];
  BarrierAddresses(warp, op, addresses);
  const std::uint32_t* counts = warp.Lanes<std::uint32_t>(op.at[1]);
  for (const std::uint32_t lane : Each(warp.active())) {
    InitMbarrier({&warp, &op, lane}, addresses[lane], counts[lane]);
    warp.checker().InitBarrier(warp, op, lane, addresses[lane]);
  }
  return Flow::kNext;
}

Flow RunInvalidate(Warp& warp, const Op& op) {
  std::uint32_t addresses[kWarpSize];
  BarrierAddresses(warp, op, addresses);
  for (const std::uint32_t lane : Each(warp.active())) {
    InvalidateMbarrier({&warp, &op, lane}, addresses[lane]);
    warp.checker().InvalidateBarrier(warp, op, lane, addresses[lane]);
  }
  return Flow::kNext;
}

void ArriveLane(Warp& warp, const Op& op, std::uint32_t lane, Mbarrier& barrier) {
  const BarrierDetails& details = Of(op);
  const Who who{&warp, &op, lane};
  const std::uint32_t amount = op.at[1] == Op::kNone ? 1 : warp.Lanes<std::uint32_t>(op.at[1])[lane];
  if (details.expect_tx) barrier.ExpectTx(who, amount);
  if (op.at[0] != Op::kNone) warp.Lanes<std::uint64_t>(op.at[0])[lane] = barrier.State();
  barrier.Arrive(who, details.expect_tx ? 1 : amount, details.drop, details.no_complete);
}

// Whether the lanes arrive at one barrier and all in its present phase: what they know can then be told at once.
bool ArriveTogether(const Warp& warp, const Op& op, const std::uint32_t (&addresses)[kWarpSize],
                    const Mbarrier& barrier) {
  const std::uint32_t first = addresses[FirstLane(warp.active())];
  std::uint64_t total = 0;
  for (const std::uint32_t lane : Each(warp.active())) {
    if (addresses[lane] != first) return false;
    const bool counted = op.at[1] != Op::kNone && !Of(op).expect_tx;
    total += counted ? warp.Lanes<std::uint32_t>(op.at[1])[lane] : 1;
  }
  return total <= barrier.pending();
}

Flow RunArrive(Warp& warp, const Op& op) {
  std::uint32_t addresses[kWarpSize];
  BarrierAddresses(warp, op, addresses);
  const bool relaxed = Of(op).relaxed;
  const std::uint32_t first = FirstLane(warp.active());
  Mbarrier& shared = FindMbarrier({&warp, &op, first}, addresses[first]);
  if (ArriveTogether(warp, op, addresses, shared)) {
    for (const std::uint32_t lane : Each(warp.active()))
      warp.checker().UseBarrier(warp, op, lane, addresses[lane]);
    warp.checker().Release(warp, warp.active(), shared.current(), relaxed);
    for (const std::uint32_t lane : Each(warp.active())) ArriveLane(warp, op, lane, shared);
    return Flow::kNext;
  }
  for (const std::uint32_t lane : Each(warp.active())) {
    Mbarrier& barrier = FindMbarrier({&warp, &op, lane}, addresses[lane]);
    warp.checker().UseBarrier(warp, op, lane, addresses[lane]);
    warp.checker().Release(warp, LaneMask{1} << lane, barrier.current(), relaxed);
    ArriveLane(warp, op, lane, barrier);
  }
  return Flow::kNext;
}

template <bool kExpect>
Flow RunTransactions(Warp& warp, const Op& op) {
  std::uint32_t addresses[kWarpSize];
  BarrierAddresses(warp, op, addresses);
  const std::uint32_t* bytes = warp.Lanes<std::uint32_t>(op.at[1]);
  for (const std::uint32_t lane : Each(warp.active())) {
    const Who who{&warp, &op, lane};
    Mbarrier& barrier = FindMbarrier(who, addresses[lane]);
    warp.checker().UseBarrier(warp, op, lane, addresses[lane]);
    if (kExpect) {
      barrier.ExpectTx(who, bytes[lane]);
    } else {
      barrier.CompleteTx(who, bytes[lane]);
    }
  }
  return Flow::kNext;
}

Flow RunPendingCount(Warp& warp, const Op& op) {
  std::uint32_t* counts = warp.Lanes<std::uint32_t>(op.at[0]);
  const std::uint64_t* states = warp.Lanes<std::uint64_t>(op.at[1]);
  for (const std::uint32_t lane : Each(warp.active())) counts[lane] = Mbarrier::PendingCount(states[lane]);
  return Flow::kNext;
}

BarrierDetails LowerDetails(const ptx::Instruction& instruction, const ptx::Operand& address,
                            Lowering& lowering) {
  BarrierDetails details;
  details.cluster = instruction.Has("shared::cluster");
  details.barrier = LowerShared(
      address, details.cluster || instruction.Has("shared") || instruction.Has("shared::cta"), lowering);
  details.relaxed = instruction.Has("relaxed");
  details.expect_tx = instruction.Has("expect_tx");
  details.no_complete = instruction.Has("noComplete");
  return details;
}

Op LowerArrive(const ptx::Instruction& instruction, Lowering& lowering, bool drop) {
  AllowModifiers(instruction, lowering,
                 {"arrive", "arrive_drop", "expect_tx", "noComplete", "release", "relaxed", "cta", "cluster",
                  "shared", "shared::cta", "shared::cluster", "b64"});
  RequireOperands(instruction, lowering, 2, 3);
  BarrierDetails details = LowerDetails(instruction, instruction.operands[1], lowering);
  details.drop = drop;
  if (details.expect_tx && details.no_complete)
    lowering.Refuse(".expect_tx and .noComplete exclude each other");
  if ((details.expect_tx || details.no_complete) && instruction.operands.size() < 3)
    lowering.Refuse("a count is missing");
  const ptx::Operand& state = instruction.operands[0];
  const bool sink = state.kind == ptx::Operand::Kind::kSink;
  if (details.cluster && !sink) lowering.Refuse("an arrival in .shared::cluster returns no state");
  Op op;
  op.run = RunArrive;
  if (!sink) op.at[0] = lowering.Destination(state, ptx::Type::kB64);
  if (instruction.operands.size() == 3) op.at[1] = lowering.Source(instruction.operands[2], ptx::Type::kU32);
  op.details = lowering.Make(details);
  return op;
}

// [address], count
Op LowerWithCount(const ptx::Instruction& instruction, Lowering& lowering, Handler run) {
  RequireOperands(instruction, lowering, 2, 2);
  Op op;
  op.run = run;
  op.at[1] = lowering.Source(instruction.operands[1], ptx::Type::kU32);
  op.details = lowering.Make(LowerDetails(instruction, instruction.operands[0], lowering));
  return op;
}

Op LowerPendingCount(const ptx::Instruction& instruction, Lowering& lowering) {
  AllowModifiers(instruction, lowering, {"pending_count", "b64"});
  RequireOperands(instruction, lowering, 2, 2);
  Op op;
  op.run = RunPendingCount;
  op.at[0] = lowering.Destination(instruction.operands[0], ptx::Type::kU32);
  op.at[1] = lowering.Source(instruction.operands[1], ptx::Type::kB64);
  return op;
}

}  // namespace

Op LowerMbarrier(const ptx::Instruction& instruction, Lowering& lowering) {
  const std::string word = instruction.modifiers.empty() ? "" : instruction.modifiers[0];
  if (word == "test_wait" || word == "try_wait") return LowerMbarrierWait(instruction, lowering);
  if (word == "arrive" || word == "arrive_drop")
    return LowerArrive(instruction, lowering, word == "arrive_drop");
  if (word == "pending_count") return LowerPendingCount(instruction, lowering);
  if (word == "init") {
    AllowModifiers(instruction, lowering, {"init", "shared", "shared::cta", "b64"});
    return LowerWithCount(instruction, lowering, RunInit);
  }
  if (word == "expect_tx" || word == "complete_tx") {
    AllowModifiers(instruction, lowering,
                   {"expect_tx", "complete_tx", "relaxed", "cta", "cluster", "shared", "shared::cta",
                    "shared::cluster", "b64"});
    return LowerWithCount(instruction, lowering,
                          word == "expect_tx" ? RunTransactions<true> : RunTransactions<false>);
  }
  if (word == "inval") {
    AllowModifiers(instruction, lowering, {"inval", "shared", "shared::cta", "b64"});
    RequireOperands(instruction, lowering, 1, 1);
    Op op;
    op.run = RunInvalidate;
    op.details = lowering.Make(LowerDetails(instruction, instruction.operands[0], lowering));
    return op;
  }
  return Refused(lowering, "an instruction that is not known");
}

}  // namespace emu
