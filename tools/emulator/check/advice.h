// What two accesses that nothing orders are called, and what would order them.
#pragma once

#include <string>

#include "tools/emulator/base/finding.h"
#include "tools/emulator/check/state.h"
#include "tools/emulator/check/view.h"

namespace emu {

struct Encounter {
  Actor now;
  bool now_writes = false;
  Actor before;  // it ran before; nothing says that it had to
  bool before_writes = false;
  // Of operations: whether the other side knew that it had been issued.
  bool now_issue_known = false, before_issue_known = false;
};

// The same whichever of the two ran first.
FindingKind KindOf(const Encounter& encounter);
// "To fix: ..."
std::string Advice(const Encounter& encounter);
// What a CTA that exits must wait for first.
std::string ExitAdvice(const Actor& actor, bool own_cta);

}  // namespace emu
