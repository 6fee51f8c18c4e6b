#include "tests/support/parallel.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace gemm::tests {

void ParallelFor(std::int64_t count, int threads, const std::function<void(std::int64_t)>& body,
                 const std::function<void(double)>& progress) {
  if (threads <= 0) threads = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  std::atomic<std::int64_t> next{0};
  std::mutex mutex;
  std::int64_t finished = 0;     // guarded by mutex
  std::exception_ptr exception;  // the first; guarded by mutex
  const auto step = [&](std::int64_t i) {
    body(i);
    if (!progress) return;
    const std::lock_guard lock(mutex);
    progress(static_cast<double>(++finished) / static_cast<double>(count));
  };
  const auto work = [&] {
    try {
      for (std::int64_t i = next.fetch_add(1); i < count; i = next.fetch_add(1)) step(i);
    } catch (...) {
      next = count;
      const std::lock_guard lock(mutex);
      if (!exception) exception = std::current_exception();
    }
  };
  std::vector<std::thread> others;
  const std::int64_t helpers = std::min<std::int64_t>(threads, count) - 1;
  others.reserve(static_cast<std::size_t>(std::max<std::int64_t>(helpers, 0)));
  try {
    for (std::int64_t i = 0; i < helpers; ++i) others.emplace_back(work);
  } catch (const std::system_error&) {  // no more threads
  }
  work();
  for (std::thread& thread : others) thread.join();
  if (exception) std::rethrow_exception(exception);
}

}  // namespace gemm::tests
