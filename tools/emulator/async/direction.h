// Where a bulk copy goes, and to which CTAs.
#pragma once

#include <memory>

#include "tools/emulator/async/bulk.h"
#include "tools/emulator/async/reduce.h"

namespace emu {

struct Direction {
  bool to_shared = false;
  bool from_shared = false;
  bool cluster = false;    // the destination is .shared::cluster: it may be another CTA's
  bool multicast = false;  // to each CTA of a mask
};
// From the modifiers ".dst.src.completion_mechanism{.multicast::cluster}". Refuses what is no direction of a bulk copy.
Direction LowerDirection(const ptx::Instruction& instruction, Lowering& lowering);
// The reduction that the modifiers name. Refuses none and several.
Reduction OnlyReduction(const ptx::Instruction& instruction, Lowering& lowering);

// Issues the copy to the CTA that `landing` names or, multicast, to the same offsets in each CTA of `ctas`.
void IssueLandings(const Who& who, const std::shared_ptr<const Transfer>& transfer, const Landing& landing,
                   const Direction& direction, std::uint32_t ctas);
// Stops with kBadOperand when the shared address is another CTA's. `what`: "the source".
void RequireOwn(const Who& who, std::uint32_t address, const char* what);

}  // namespace emu
