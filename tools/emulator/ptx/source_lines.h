// From lines of PTX to lines of the source that it was compiled from.
#pragma once

#include <string>
#include <string_view>

namespace emu::ptx {

// For every PTX line that the message speaks of ("PTX line 120", "line 120"), a line "  line 120: pipeline.cuh:88, inlined at
// kernel.cuh:40", in rising order, below a heading: what the PTX's .loc directives say (PTX ISA, "Debugging Directives: .loc").
// Empty when the PTX has none, as without nvcc's -lineinfo.
std::string SourceLines(std::string_view text, std::string_view message);

}  // namespace emu::ptx
