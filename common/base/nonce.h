#pragma once

#include <cstdint>

namespace gemm::base {

// 64 bits that no earlier call of this process returned, never 0, and that memory which was not written on purpose holds
// with a probability of 2^-64: a counter from a random start, mixed. No lock; any thread.
std::uint64_t NextNonce() noexcept;

}  // namespace gemm::base
