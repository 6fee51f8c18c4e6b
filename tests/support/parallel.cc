#include "tests/support/parallel.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <thread>
#include <vector>

namespace gemm::tests {

void ParallelFor(std::int64_t count, int threads, const std::function<void(std::int64_t)>& body,
                 const std::function<void(double)>& progress) {
  if (threads <= 0) threads = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  std::atomic<std::int64_t> next{0};
  std::mutex mutex;
  std::int64_t finished = 0;  // guarded by mutex
  const auto work = [&] {
    for (std::int64_t i = next.fetch_add(1); i < count; i = next.fetch_add(1)) {
      body(i);
      if (!progress) continue;
      const std::lock_guard lock(mutex);
      progress(static_cast<double>(++finished) / static_cast<double>(count));
    }
  };
  std::vector<std::thread> others;
  const std::int64_t helpers = std::min<std::int64_t>(threads, count) - 1;
  for (std::int64_t i = 0; i < helpers; ++i) others.emplace_back(work);
  work();
  for (std::thread& thread : others) thread.join();
}

}  // namespace gemm::tests
