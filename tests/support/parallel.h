// A loop over several threads.
#pragma once

#include <cstdint>
#include <functional>

namespace gemm::tests {

// Calls body(i) once for every i of [0, count), in any order, on `threads` threads (0: one per core). Returns
// when all calls have. Where threads cannot be had, fewer do. What `body` or `progress` throws on any thread is thrown
// here, after calls that have begun have ended; the others are left out. `progress`, if given, is called with the finished fraction by one thread at a time.
void ParallelFor(std::int64_t count, int threads, const std::function<void(std::int64_t)>& body,
                 const std::function<void(double)>& progress = nullptr);

}  // namespace gemm::tests
