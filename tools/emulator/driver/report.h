// What the emulator found, for people.
#pragma once

#include <string>

#include "tools/emulator/base/finding.h"
#include "tools/emulator/driver/state.h"

namespace emu::driver {

// Appends the text to the file that GPU_EMULATOR_REPORT names and keeps it for emulator_last_report; Report also prints it to
// stderr.
void Record(const std::string& text);
void Report(const std::string& text);

// What the Driver API calls a finding.
CUresult ErrorOf(const Finding& finding);

// Reports it, and from now on every call in the context fails with its error.
void Kill(Context& context, const Finding& finding);

}  // namespace emu::driver
