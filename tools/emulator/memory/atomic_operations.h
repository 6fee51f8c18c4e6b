// What atom and red compute.
#pragma once

#include <cstdint>
#include <string>

#include "tools/emulator/memory/lanes.h"
#include "tools/emulator/ptx/module.h"

namespace emu {

// The new value of a location of up to 64 bits, from the old one and the operands. Bits beyond the type's are zero in, and
// ignored out. `c` is of cas only.
using Combine = std::uint64_t (*)(std::uint64_t old, std::uint64_t b, std::uint64_t c);

struct AtomicOperation {
  Combine shared = nullptr;  // on shared memory; null when the ISA has no such operation
  Combine global = nullptr;  // on global memory, where additions in .f32 flush subnormals
  bool vector = false;       // also has the forms with .v2, .v4, .v8
  bool scalar = true;
};

// PTX ISA, "Parallel Synchronization and Communication Instructions: atom". Not for .b128.
AtomicOperation FindAtomicOperation(const std::string& operation, ptx::Type type, bool noftz);

}  // namespace emu
