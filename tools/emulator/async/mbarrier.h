// mbarrier objects (PTX ISA, "Parallel Synchronization and Communication Instructions: mbarrier"). What the 64 bits in
// shared memory would say is kept here, by address; the bytes themselves are nobody's to read.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "tools/emulator/async/operands.h"
#include "tools/emulator/check/checker.h"

namespace emu {

class Mbarrier {
 public:
  // Range of the expected and pending counts and of the transaction count ("Contents of the mbarrier object").
  static constexpr std::uint32_t kMaxCount = (1u << 20) - 1;
  static constexpr std::uint32_t kBytes = 8;

  Mbarrier(const Who& who, std::uint32_t address, std::uint32_t count);

  // Each stops with kBarrierMisuse when counts leave their range.
  // An arrival of `count` threads; `drop`: none of them is expected in later phases. `no_complete`: it must not complete
  // the phase.
  void Arrive(const Who& who, std::uint32_t count, bool drop = false, bool no_complete = false);
  // cp.async.mbarrier.arrive without .noinc: one more arrival is pending in this phase.
  void AddPending(const Who& who);
  void ExpectTx(const Who& who, std::uint32_t bytes);
  void CompleteTx(const Who& who, std::uint32_t bytes);

  // How many arrivals this phase still takes.
  std::uint32_t pending() const { return pending_; }
  std::uint64_t phase() const { return phase_; }
  bool Completed(std::uint32_t parity) const { return (phase_ & 1) != parity; }

  // What arrivals return and waits take: the phase and the count before the arrival. Opaque to programs.
  std::uint64_t State() const;
  static std::uint32_t PendingCount(std::uint64_t state);
  // Whether the phase of `state` is over. Stops with kBarrierMisuse when it is neither this phase nor the one before.
  bool Completed(const Who& who, std::uint64_t state) const;

  // What who waits for the phase before this one learns; where arrivals of this phase leave what they know.
  const SyncPoint& completed() const { return completed_; }
  SyncPoint* current() { return &current_; }

  // "mbarrier at shared address 0x400: phase 3 (parity 1): 1 of 2 arrivals, 16384 bytes expected, 8192 arrived", and the
  // last events, a line each.
  std::string Describe() const;

 private:
  enum class Kind : std::uint8_t { kInit, kArrive, kDrop, kAddPending, kExpect, kComplete };
  // The same by `times` threads in turn.
  struct Event {
    Who who, last;
    std::uint64_t phase = 0;
    Kind kind = Kind::kInit;
    std::uint32_t amount = 0, times = 1;
  };
  void Note(const Who& who, Kind kind, std::uint32_t amount);
  void CompleteWhenDone(const Who& who);
  [[noreturn]] void Misuse(const Who& who, const std::string& message) const;

  static constexpr std::size_t kHistory = 8;
  std::uint32_t address_;
  std::uint32_t expected_, pending_;
  std::uint32_t takes_;            // arrivals that complete this phase
  std::int64_t transactions_ = 0;  // expected and not arrived yet
  std::uint64_t phase_ = 0;
  std::uint64_t bytes_expected_ = 0, bytes_arrived_ = 0;  // in this phase
  SyncPoint current_, completed_;
  std::array<Event, kHistory> events_;
  std::uint64_t event_count_ = 0;  // without those that only repeat the one before
};

// The object at a shared address of any CTA of the cluster. Stops with kBarrierMisuse when there is none, kOutOfBounds,
// kClusterExit.
Mbarrier& FindMbarrier(const Who& who, std::uint32_t address);
// mbarrier.init and .inval. Stop with kBarrierMisuse.
void InitMbarrier(const Who& who, std::uint32_t address, std::uint32_t count);
void InvalidateMbarrier(const Who& who, std::uint32_t address);

}  // namespace emu
