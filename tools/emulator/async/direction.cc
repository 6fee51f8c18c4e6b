#include "tools/emulator/async/direction.h"

#include <fmt/core.h>

#include <vector>

namespace emu {

Direction LowerDirection(const ptx::Instruction& instruction, Lowering& lowering) {
  std::vector<std::string> spaces;
  for (const std::string& modifier : instruction.modifiers) {
    if (modifier == "global" || modifier == "shared::cta" || modifier == "shared::cluster")
      spaces.push_back(modifier);
  }
  if (spaces.size() != 2) lowering.Refuse("two state spaces are to be given");
  Direction direction;
  direction.to_shared = spaces[0] != "global";
  direction.from_shared = spaces[1] != "global";
  direction.cluster = spaces[0] == "shared::cluster";
  direction.multicast = instruction.Has("multicast::cluster");
  const bool to_own = spaces[0] == "shared::cta" && direction.from_shared;
  if (to_own || spaces[1] == "shared::cluster" || (!direction.to_shared && !direction.from_shared)) {
    lowering.Refuse(fmt::format("a copy from .{} to .{}", spaces[1], spaces[0]));
  }
  if (direction.multicast && (!direction.cluster || direction.from_shared)) {
    lowering.Refuse(".multicast::cluster is for copies from .global to .shared::cluster");
  }
  const bool counted = instruction.Has("mbarrier::complete_tx::bytes"), grouped = instruction.Has("bulk_group");
  if (counted == grouped || counted != direction.to_shared) {
    lowering.Refuse(
        "a copy to shared memory is counted by an mbarrier, one to global memory is of a bulk group");
  }
  return direction;
}

Reduction OnlyReduction(const ptx::Instruction& instruction, Lowering& lowering) {
  Reduction result = Reduction::kNone;
  for (const std::string& modifier : instruction.modifiers) {
    const Reduction reduction = ParseReduction(modifier);
    if (reduction == Reduction::kNone) continue;
    if (result != Reduction::kNone) lowering.Refuse("several reductions");
    result = reduction;
  }
  if (result == Reduction::kNone) lowering.Refuse("the reduction is missing");
  return result;
}

void IssueLandings(const Who& who, const std::shared_ptr<const Transfer>& transfer, const Landing& landing,
                   const Direction& direction, std::uint32_t ctas) {
  if (!direction.cluster) {
    RequireOwn(who, landing.to, "the destination");
    RequireOwn(who, landing.barrier, "the barrier");
  }
  if (!direction.multicast) return IssueLanding(who, transfer, landing);
  const std::size_t count = who.warp->cluster().ctas.size();
  for (std::uint32_t rank = 0; rank < 16; ++rank) {
    if ((ctas >> rank & 1) == 0) continue;
    if (rank >= count) {
      who.Fail(FindingKind::kBadOperand,
               fmt::format("the mask {:#x} names the CTA with rank {} of a cluster of {}", ctas, rank, count));
    }
    Landing there = landing;
    there.to = SharedAddress(rank, OffsetInCta(landing.to));
    there.barrier = SharedAddress(rank, OffsetInCta(landing.barrier));
    IssueLanding(who, transfer, there);
  }
}

void RequireOwn(const Who& who, std::uint32_t address, const char* what) {
  if (RankOf(address) == who.warp->cta().rank) return;
  who.Fail(FindingKind::kBadOperand,
           fmt::format("{} is at {:#x} of the CTA with rank {}, not in the thread's own", what,
                       OffsetInCta(address), RankOf(address)));
}

}  // namespace emu
