#include "common/base/nonce.h"

#include <sys/random.h>

#include <atomic>
#include <chrono>

namespace gemm::base {
namespace {

std::uint64_t RandomStart() noexcept {
  std::uint64_t start = 0;
  if (getrandom(&start, sizeof start, GRND_NONBLOCK) != sizeof start) {
    // Early in the life of a machine: the clock, and where the loader put this library.
    start = static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count()) ^
            reinterpret_cast<std::uintptr_t>(&start) << 20;
  }
  return start;
}

// One to one (the finalizer of splitmix64), so that different numbers stay different.
std::uint64_t Mix(std::uint64_t x) noexcept {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

// Not a global: a constructor of another file's may ask before this file's have run.
std::uint64_t Start() noexcept {
  static const std::uint64_t start = RandomStart();
  return start;
}

// When the library is loaded, so that no Run pays for it.
[[maybe_unused]] const std::uint64_t start_at_load = Start();

std::atomic<std::uint64_t> calls{0};

}  // namespace

std::uint64_t NextNonce() noexcept {
  std::uint64_t nonce = 0;
  while (nonce == 0) nonce = Mix(Start() + calls.fetch_add(1, std::memory_order_relaxed));
  return nonce;
}

}  // namespace gemm::base
