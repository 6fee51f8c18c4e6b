#include "tools/emulator/base/finding.h"

#include <utility>

namespace emu {

const char* ToString(FindingKind kind) {
  switch (kind) {
    case FindingKind::kUnwrittenShared:
      return "read of unwritten shared memory";
    case FindingKind::kRace:
      return "race";
    case FindingKind::kUnwaitedCopy:
      return "unwaited copy";
    case FindingKind::kOverwrittenInFlight:
      return "overwritten in flight";
    case FindingKind::kMissingProxyFence:
      return "missing proxy fence";
    case FindingKind::kAccumulatorInFlight:
      return "accumulator in flight";
    case FindingKind::kOutOfBounds:
      return "out of bounds";
    case FindingKind::kMisaligned:
      return "misaligned address";
    case FindingKind::kRegisterBudget:
      return "register budget exceeded";
    case FindingKind::kClusterExit:
      return "cluster exit";
    case FindingKind::kBarrierMisuse:
      return "barrier misuse";
    case FindingKind::kDivergence:
      return "divergence";
    case FindingKind::kDeadlock:
      return "deadlock";
    case FindingKind::kBadOperand:
      return "bad operand";
    case FindingKind::kTrap:
      return "trap";
    case FindingKind::kUnsupported:
      return "unsupported";
  }
  return "finding of an unknown kind";
}

std::string ToString(const Finding& finding) {
  std::string text = "emulator: ";
  text += ToString(finding.kind);
  if (!finding.kernel.empty()) text += " in " + finding.kernel;
  if (finding.line > 0) text += ", PTX line " + std::to_string(finding.line);
  text += "\n" + finding.message;
  if (text.back() != '\n') text += '\n';
  return text;
}

Stop::Stop(Finding finding) : finding_(std::move(finding)), text_(ToString(finding_)) {}

}  // namespace emu
