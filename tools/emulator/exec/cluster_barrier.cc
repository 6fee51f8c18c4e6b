// barrier.cluster (PTX ISA, "barrier.cluster").
#include <fmt/core.h>

#include "tools/emulator/check/checker.h"
#include "tools/emulator/exec/barriers.h"
#include "tools/emulator/exec/state.h"

namespace emu {
namespace {

std::uint32_t CountBits(LaneMask lanes) { return static_cast<std::uint32_t>(__builtin_popcount(lanes)); }

void CompleteIfDue(Cluster& cluster) {
  ClusterBarrier& barrier = *cluster.barrier;
  if (barrier.arrived == 0 || barrier.arrived != barrier.live_threads) return;
  ++barrier.phase;
  barrier.arrived = 0;
  barrier.done = barrier.arriving;
  barrier.arriving.Clear();
  ++cluster.progress;
}

// imm: 1 for .relaxed.
Flow Arrive(Warp& warp, const Op& op) {
  Cluster& cluster = warp.cluster();
  ClusterBarrier& barrier = *cluster.barrier;
  auto& arrived = warp.exec->cluster_arrived;
  const LaneMask lanes = warp.active();
  const LaneMask again = lanes & (arrived[0] | arrived[1]);
  if (again != 0) {
    warp.Fail(
        FindingKind::kBarrierMisuse, op, FirstLane(again),
        "arrives at the barrier of the cluster again without a barrier.cluster.wait since its last arrival");
  }
  warp.checker().Release(warp, lanes, &barrier.arriving, op.imm != 0);
  arrived[barrier.phase & 1] |= lanes;
  barrier.arrived += CountBits(lanes);
  CompleteIfDue(cluster);
  return Flow::kNext;
}

std::string Describe(const Warp& warp, const Op&) {
  const ClusterBarrier& barrier = *warp.cluster().barrier;
  return fmt::format("{} of {} threads of the cluster have arrived", barrier.arrived, barrier.live_threads);
}

Flow WaitFor(Warp& warp, const Op& op) {
  ClusterBarrier& barrier = *warp.cluster().barrier;
  auto& arrived = warp.exec->cluster_arrived;
  const LaneMask lanes = warp.active();
  const LaneMask never = lanes & ~(arrived[0] | arrived[1]);
  if (never != 0) {
    warp.Fail(FindingKind::kBarrierMisuse, op, FirstLane(never),
              "waits at the barrier of the cluster without having arrived there");
  }
  if ((lanes & arrived[barrier.phase & 1]) != 0) {
    warp.BlockedOn("the barrier of the cluster", barrier.phase, Describe);
    return Flow::kBlock;
  }
  warp.checker().Acquire(warp, lanes, barrier.done);
  for (LaneMask& mask : arrived) mask &= ~lanes;
  return Flow::kNext;
}

}  // namespace

void LeaveClusterBarrier(Warp& warp, LaneMask lanes) {
  ClusterBarrier& barrier = *warp.cluster().barrier;
  LaneMask& arrived = warp.exec->cluster_arrived[barrier.phase & 1];
  barrier.live_threads -= CountBits(lanes);
  barrier.arrived -= CountBits(lanes & arrived);
  arrived &= ~lanes;
  CompleteIfDue(warp.cluster());
}

Op LowerClusterBarrier(const ptx::Instruction& instruction, Lowering& lowering) {
  Op op;
  for (const std::string& modifier : instruction.modifiers) {
    if (modifier == "arrive")
      op.run = Arrive;
    else if (modifier == "wait")
      op.run = WaitFor;
    else if (modifier == "relaxed")
      op.imm = 1;
    else if (modifier == "aligned")
      op.aligned = true;
    else if (modifier != "cluster" && modifier != "release" && modifier != "acquire") {
      lowering.Refuse("unknown modifier ." + modifier);
    }
  }
  if (op.run == nullptr || !instruction.operands.empty()) lowering.Refuse("an unknown form");
  return op;
}

}  // namespace emu
