// From the addresses of an instruction to the bytes behind them, checked.
#pragma once

#include <cstdint>
#include <string>

#include "tools/emulator/exec/lowering.h"

namespace emu {

// What an instruction's addresses count in (PTX ISA, "State Spaces", "Generic Addressing").
enum class Window : std::uint8_t {
  kGeneric,
  kGlobal,
  kConst,          // host addresses as of global memory
  kShared,         // of the warp's own CTA
  kSharedCluster,  // of any CTA of the cluster
  kLocal,          // offsets in the thread's local memory
  kParam,          // offsets in the kernel's parameters
};

// The memory operand of an instruction.
struct MemoryOperand {
  AddressOperand address;
  Window window = Window::kGeneric;
  std::uint32_t bytes = 0;      // per lane; 0 for an address that is only looked at
  std::uint32_t alignment = 1;  // a power of two
  const char* verb = "reads";   // for messages: "<verb> <bytes> bytes at ..."
};

struct Places {
  std::uint64_t host[kWarpSize];    // of the first byte, for the lanes that were asked for
  std::uint32_t shared[kWarpSize];  // shared addresses of the lanes of in_shared
  LaneMask in_shared = 0;
};

// The window that ".shared::cluster" and the operand itself tell. `modifier`: null for a generic instruction. Refuses an
// operand of another space, and a modifier that is none.
Window WindowOf(const char* modifier, const AddressOperand& address, const Lowering& lowering);
// Whether the modifier names a state space: "global", "shared::cta", "param::entry", ...
bool IsSpace(const std::string& modifier);

// The lanes' addresses in the window, before any check. Those of other lanes are some number.
void Addresses(const Warp& warp, const AddressOperand& operand, std::uint64_t (&out)[kWarpSize]);

// Stops with kOutOfBounds, kMisaligned or kClusterExit when the bytes of a lane of `mask` cannot be accessed.
void Resolve(const Warp& warp, const Op& op, const MemoryOperand& operand, LaneMask mask, Places* places);

// Stops: the access of `lane` at `address` lies outside everything that its window has.
[[noreturn]] void FailOutside(const Warp& warp, const Op& op, const MemoryOperand& operand, std::uint32_t lane,
                              std::uint64_t address);

}  // namespace emu
