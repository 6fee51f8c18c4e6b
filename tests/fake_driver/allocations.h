// Allocations of a test's own process, counted by replacing operator new; what the fake driver allocates for its books is
// left out.
#pragma once

#include <cstddef>

namespace gemm::fake {

// Counts allocations of all threads from here to its end; the one of number `fail_at` fails.
class Watch {
 public:
  explicit Watch(std::size_t fail_at = 0);
  ~Watch();
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;
};

// That the last Watch counted.
std::size_t Allocations();

}  // namespace gemm::fake
