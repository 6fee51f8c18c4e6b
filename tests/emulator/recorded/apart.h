// Experiments in processes apart: a GPU that refuses an instruction takes the whole context with it.
#pragma once

#include <functional>
#include <string>

#include "tests/emulator/recorded/recording.h"

namespace gemm::recorded {

// Runs every experiment in order and calls take(name, result) for each. The calling process must not have used the driver: a
// child runs them until one is refused, hangs or ends the child, and another child the rest. Returns "" or why none was run: there
// is no GPU, or none of compute capability 9.0.
std::string RunAll(const std::function<void(const std::string& name, const Result& result)>& take);

}  // namespace gemm::recorded
