// LIBGEMM_LOG: what was chosen, said once.
#pragma once

#include "common/dispatch/device.h"
#include "common/dispatch/select.h"
#include "common/problem/problem.h"

namespace gemm::api {

// Where the environment variable LIBGEMM_LOG is set to anything but empty or 0: writes one line about the
// choice to stderr, unless the same line was written before in this process. Thread-safe; may throw
// std::bad_alloc. `when` is appended to the kernel's name.
void LogChoice(const problem::Normalized& problem, const dispatch::Device& device,
               const dispatch::Candidate& chosen, const char* when);

}  // namespace gemm::api
