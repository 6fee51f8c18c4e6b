// Asynchronous operations: the slots they have in clocks, and what they know.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "tools/emulator/check/view.h"
#include "tools/emulator/check/warp_knowledge.h"
#include "tools/emulator/exec/warp.h"

namespace emu {

// One operation, or what remains to be told of it when its slot has gone to another.
struct Operation {
  const Op* op = nullptr;
  const Warp* warp = nullptr;  // who issued it
  std::uint32_t lane = 0;
  std::uint32_t time = 0;  // in its slot
  // Of the first lane that issued it: who knows these knows that it was issued.
  std::uint32_t issuer = 0, issue_time = 0;
};

// A slot is used again when the next operation's issuer knows the end of the one before it: who knows the later operation
// then knows the earlier one too.
class Operations {
 public:
  explicit Operations(std::uint32_t first_slot) : first_(first_slot), next_(first_slot) {}

  // Starts an operation of these lanes, with what they know; returns its slot.
  std::uint32_t Begin(const Warp& warp, const Op& op, LaneMask lanes, WarpKnowledge& issuer);
  // 32 slots that are nobody else's: the cp.async of a warp's lanes.
  std::uint32_t TakeCopySlots(const Warp& warp);

  std::uint32_t first_slot() const { return first_; }
  bool IsOperation(std::uint32_t slot) const { return slot >= first_; }
  bool IsCopy(std::uint32_t slot) const { return IsOperation(slot) && At(slot).copies; }
  std::uint32_t TimeOf(std::uint32_t slot) const { return At(slot).now.time; }
  bool IsOpen(std::uint32_t slot, std::uint32_t time) const {
    return At(slot).open && At(slot).now.time == time;
  }
  // The view of an open operation.
  const View& ViewOf(std::uint32_t slot) const { return At(slot).view; }
  const Op& OpOf(std::uint32_t slot) const { return *At(slot).now.op; }
  // What who waits for the operation knows. Its slot is free then.
  Knowledge End(std::uint32_t slot);
  // What is known of an operation: the present one of the slot or one of the last before it. Otherwise only the warp.
  Operation Find(std::uint32_t slot, std::uint32_t time) const;

  template <class Visit>
  void ForEachOpen(const Visit& visit) const {
    for (std::uint32_t i = 0; i < slots_.size(); ++i) {
      if (slots_[i].open) visit(first_ + i, slots_[i].now);
    }
  }

 private:
  static constexpr std::uint32_t kPast = 3;
  struct Slot {
    Operation now;
    std::array<Operation, kPast> past;  // the latest first
    bool open = false, copies = false;
    LaneMask lanes = 0;
    Knowledge start;
    View view;  // of the start
  };
  const Slot& At(std::uint32_t slot) const { return slots_[slot - first_]; }
  Slot& At(std::uint32_t slot) { return slots_[slot - first_]; }
  static View ViewFrom(const Slot& slot, std::uint32_t number);
  std::uint32_t Reusable(std::uint32_t warp_slot, const View& view);

  std::uint32_t first_, next_;
  std::vector<Slot> slots_;
  std::vector<std::vector<std::uint32_t>> ended_;  // by the issuing warp: slots to be used again
};

}  // namespace emu
