// What the user sets by environment variables, read once by cuInit.
#pragma once

#include <cstdint>
#include <string>

#include "tools/emulator/driver/profiles.h"

namespace emu::driver {

struct Settings {
  Profile profile{};        // GPU_EMULATOR_PROFILE, with GPU_EMULATOR_SMS of its multiprocessors
  int devices = 1;          // GPU_EMULATOR_DEVICES
  std::uint64_t seed = 0;   // GPU_EMULATOR_SEED, or the last emulator_restart
  std::string report_file;  // GPU_EMULATOR_REPORT; empty: none
  std::string replacement;  // the text of GPU_EMULATOR_PTX's file; empty: none
};

// False when a variable has a value that it cannot have; *why then says which and what it may be.
bool ReadSettings(Settings* settings, std::string* why);

}  // namespace emu::driver
