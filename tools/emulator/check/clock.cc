#include "tools/emulator/check/clock.h"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <new>

namespace emu {
namespace {

using Times = std::uint32_t __attribute__((vector_size(32)));
constexpr std::uint32_t kTimesPerVector = 8;

// Which of two clocks has a later time somewhere.
struct Later {
  bool first = false, second = false;
};

// The loops, for the vectors of whatever the function that they are inlined into is compiled for. `size` is a multiple of
// ClockRef::kChunk.
[[gnu::always_inline]] inline Later CompareLoop(const std::uint32_t* a, const std::uint32_t* b,
                                                std::uint32_t size) {
  Later later;
  for (std::uint32_t chunk = 0; chunk < size && !(later.first && later.second); chunk += ClockRef::kChunk) {
    Times first{}, second{};
    for (std::uint32_t i = 0; i < ClockRef::kChunk; i += kTimesPerVector) {
      const auto& x = *reinterpret_cast<const Times*>(a + chunk + i);
      const auto& y = *reinterpret_cast<const Times*>(b + chunk + i);
      first |= reinterpret_cast<Times>(x > y);
      second |= reinterpret_cast<Times>(y > x);
    }
    for (std::uint32_t i = 0; i < kTimesPerVector; ++i) {
      later.first |= first[i] != 0;
      later.second |= second[i] != 0;
    }
  }
  return later;
}

[[gnu::always_inline]] inline void MaxLoop(std::uint32_t* into, const std::uint32_t* from, std::uint32_t size) {
  for (std::uint32_t i = 0; i < size; i += kTimesPerVector) {
    auto& x = *reinterpret_cast<Times*>(into + i);
    const auto& y = *reinterpret_cast<const Times*>(from + i);
    x = x > y ? x : y;
  }
}

#if defined(__x86_64__)
[[gnu::target("avx2")]] Later CompareAvx2(const std::uint32_t* a, const std::uint32_t* b, std::uint32_t size) {
  return CompareLoop(a, b, size);
}
[[gnu::target("avx2")]] void MaxAvx2(std::uint32_t* into, const std::uint32_t* from, std::uint32_t size) {
  MaxLoop(into, from, size);
}
bool HasAvx2() {
  static const bool has = __builtin_cpu_supports("avx2");
  return has;
}
#else
Later CompareAvx2(const std::uint32_t*, const std::uint32_t*, std::uint32_t) { return {}; }
void MaxAvx2(std::uint32_t*, const std::uint32_t*, std::uint32_t) {}
bool HasAvx2() { return false; }
#endif

Later Compare(const std::uint32_t* a, const std::uint32_t* b, std::uint32_t size) {
  return HasAvx2() ? CompareAvx2(a, b, size) : CompareLoop(a, b, size);
}

void Max(std::uint32_t* into, const std::uint32_t* from, std::uint32_t size) {
  HasAvx2() ? MaxAvx2(into, from, size) : MaxLoop(into, from, size);
}

}  // namespace

Clock* ClockRef::Allocate(std::uint32_t slots) {
  const std::uint32_t size = (slots + kChunk - 1) / kChunk * kChunk;
  const std::size_t bytes = offsetof(Clock, times_) + std::size_t{size} * sizeof(std::uint32_t);
  void* memory = std::aligned_alloc(64, bytes);
  if (memory == nullptr) throw std::bad_alloc();
  Clock* clock = new (memory) Clock;
  clock->size_ = size;
  return clock;
}

void ClockRef::Free(Clock* clock) { std::free(clock); }

std::uint32_t* ClockRef::Own(std::uint32_t slots) {
  const std::uint32_t known = clock_ == nullptr ? 0 : clock_->size_;
  if (clock_ != nullptr && clock_->references_ == 1 && slots <= known) return clock_->times();
  Clock* mine = Allocate(std::max(slots, known));
  if (known > 0) std::memcpy(mine->times(), clock_->times(), known * sizeof(std::uint32_t));
  std::memset(mine->times() + known, 0, (mine->size_ - known) * sizeof(std::uint32_t));
  mine->references_ = 1;
  if (clock_ != nullptr && --clock_->references_ == 0) Free(clock_);
  clock_ = mine;
  return mine->times();
}

void ClockRef::Join(const ClockRef& other) {
  if (!other || other == *this) return;
  if (!*this) {
    *this = other;
    return;
  }
  const std::uint32_t common = std::min(clock_->size_, other->size());
  const Later later = Compare(clock_->times(), other->times(), common);
  if (!later.second && other->size() <= clock_->size_) return;
  if (!later.first && clock_->size_ <= other->size()) {
    *this = other;
    return;
  }
  Max(Own(other->size()), other->times(), other->size());
}

}  // namespace emu
