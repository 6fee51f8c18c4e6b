#include "tests/support/bytes.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>

#include "tests/support/parallel.h"

namespace gemm::tests {
namespace {

// Compared in a tenth of a millisecond, several times what it takes to start a thread.
constexpr std::size_t kPerTask = std::size_t{1} << 20;

std::size_t FirstDifferenceHere(const unsigned char* x, const unsigned char* y, std::size_t count) {
  if (count == 0 || std::memcmp(x, y, count) == 0) return count;
  return static_cast<std::size_t>(std::mismatch(x, x + count, y).first - x);
}

}  // namespace

std::size_t FirstDifference(const unsigned char* x, const unsigned char* y, std::size_t count) {
  if (count <= 2 * kPerTask) return FirstDifferenceHere(x, y, count);
  std::atomic<std::size_t> first{count};
  const auto tasks = static_cast<std::int64_t>((count + kPerTask - 1) / kPerTask);
  ParallelFor(tasks, 0, [&](std::int64_t task) {
    const std::size_t begin = static_cast<std::size_t>(task) * kPerTask;
    std::size_t least = first.load();
    if (begin >= least) return;
    const std::size_t size = std::min(kPerTask, count - begin);
    const std::size_t at = FirstDifferenceHere(x + begin, y + begin, size);
    if (at == size) return;
    while (begin + at < least && !first.compare_exchange_weak(least, begin + at)) {
    }
  });
  return first;
}

}  // namespace gemm::tests
