// What the emulator has to say against a kernel, and how it stops one.
#pragma once

#include <cstdint>
#include <exception>
#include <string>

namespace emu {

enum class FindingKind {
  kUnwrittenShared,      // shared memory is read that nothing has written
  kRace,                 // two accesses to shared memory that nothing orders, one of them a write
  kUnwaitedCopy,         // a race in which one side is an asynchronous copy: data used before, or a buffer freed before, its wait
  kOverwrittenInFlight,  // a race in which one side is an asynchronous read (wgmma, a copy out of shared memory)
  kMissingProxyFence,    // an ordinary write reaches an asynchronous reader without fence.proxy.async
  kAccumulatorInFlight,  // a register of a wgmma is touched before the wgmma was waited for
  kOutOfBounds,          // an address outside every allocation, variable or window
  kMisaligned,           // an address that is no multiple of what the instruction asks for
  kRegisterBudget,       // setmaxnreg asks for more registers than the CTA has
  kClusterExit,          // a CTA could be gone when a peer addresses it
  kBarrierMisuse,        // counts, phases or life time of a barrier: too many arrivals, not initialised, overwritten ...
  kDivergence,           // an .aligned instruction by a part of the warp; a collective without its members
  kDeadlock,             // nobody can go on; the message is the table of who waits for what
  kBadOperand,           // an operand whose value the instruction does not allow (a descriptor, a tensor map, a shape)
  kTrap,                 // trap, brkpt, a failed assert
  kUnsupported,          // an instruction or a feature that the emulator does not know
};

// "missing proxy fence"
const char* ToString(FindingKind kind);

struct Finding {
  FindingKind kind = FindingKind::kUnsupported;
  std::string kernel;
  int line = 0;         // of the PTX text, from 1; 0 when there is none
  std::string message;  // several lines: what happened, who, where, and the history that led there
};

// "emulator: missing proxy fence in kernel_name, PTX line 123\n<message>\n"
std::string ToString(const Finding& finding);

// Ends the launch. Thrown by handlers and the checker, caught by who launched.
class Stop : public std::exception {
 public:
  explicit Stop(Finding finding);
  const char* what() const noexcept override { return text_.c_str(); }
  const Finding& finding() const { return finding_; }

 private:
  Finding finding_;
  std::string text_;
};

}  // namespace emu
