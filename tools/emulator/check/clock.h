// Vector clocks: for every slot (a thread, or a place for asynchronous operations) the time up to which it is known.
#pragma once

#include <cstdint>
#include <utility>

namespace emu {

// An array of times, shared by whoever knows the same. Slots beyond its size have time 0. Used by one host thread.
class Clock {
 public:
  std::uint32_t size() const { return size_; }  // a multiple of kChunk
  std::uint32_t* times() { return times_; }
  const std::uint32_t* times() const { return times_; }
  std::uint32_t At(std::uint32_t slot) const { return slot < size_ ? times_[slot] : 0; }

 private:
  friend class ClockRef;
  Clock() = default;
  std::uint32_t references_ = 0, size_ = 0;
  alignas(64) std::uint32_t times_[1];  // size_ of them
};

// A shared clock, copied when it is changed while others see it. Null: knows nothing.
class ClockRef {
 public:
  static constexpr std::uint32_t kChunk = 64;

  ClockRef() = default;
  ClockRef(const ClockRef& other) : clock_(other.clock_) {
    if (clock_ != nullptr) ++clock_->references_;
  }
  ClockRef(ClockRef&& other) noexcept : clock_(std::exchange(other.clock_, nullptr)) {}
  ClockRef& operator=(ClockRef other) noexcept {
    std::swap(clock_, other.clock_);
    return *this;
  }
  ~ClockRef() {
    if (clock_ != nullptr && --clock_->references_ == 0) Free(clock_);
  }

  explicit operator bool() const { return clock_ != nullptr; }
  const Clock* get() const { return clock_; }
  const Clock* operator->() const { return clock_; }
  bool operator==(const ClockRef& other) const { return clock_ == other.clock_; }
  std::uint32_t At(std::uint32_t slot) const { return clock_ == nullptr ? 0 : clock_->At(slot); }

  // Every slot gets the later of both times. Nothing is copied where one side has all that the other has.
  void Join(const ClockRef& other);
  // Times of this reference's own, for at least `slots` slots, to be written.
  std::uint32_t* Own(std::uint32_t slots);
  // The slot's time becomes `time` unless it is later.
  void Raise(std::uint32_t slot, std::uint32_t time) {
    if (At(slot) >= time) return;
    Own(slot + 1)[slot] = time;
  }

 private:
  static Clock* Allocate(std::uint32_t slots);
  static void Free(Clock* clock);
  Clock* clock_ = nullptr;
};

}  // namespace emu
