#include "tools/emulator/exec/machine.h"

namespace emu {

struct Machine::Running {};

Machine::Machine(const DeviceLimits& limits, DeviceMemory* memory, std::uint64_t seed)
    : limits_(limits), memory_(memory), random_(seed) {}
Machine::~Machine() = default;
void Machine::Run(std::span<const LaunchRequest>) {}
void Machine::NotePoll(Warp&) {}

}  // namespace emu
