// What the threads of one warp know.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "tools/emulator/check/view.h"
#include "tools/emulator/exec/warp.h"

namespace emu {

// Lanes that know the same share their clocks. A warp has one time for all its lanes: it goes on whenever one of them tells
// others what it knows, so that what a lane does later is not taken for known. A lane's own time is not in its clock.
class WarpKnowledge {
 public:
  // Lanes with the same knowledge, apart from what is each lane's own.
  struct Group {
    LaneMask lanes = 0;
    Knowledge now;
    Knowledge released;  // at the last Fence: what relaxed releases hand on
    Knowledge pending;   // what relaxed acquires have seen: known after the next Fence

    bool SameAs(const Group& other) const {
      return now == other.now && released == other.released && pending == other.pending;
    }
  };

  explicit WarpKnowledge(std::uint32_t first_slot) : first_(first_slot) {
    groups_.push_back({kAllLanes, {}, {}, {}});
  }

  std::uint32_t first_slot() const { return first_; }
  std::uint32_t time() const { return time_; }
  const std::vector<Group>& groups() const { return groups_; }
  const Group& GroupOf(std::uint32_t lane) const;

  // A group's view without what is its lanes' own, and that of one lane.
  View ViewOf(const Group& group) const;
  View ViewOf(std::uint32_t lane) const;
  void AddOwn(std::uint32_t lane, View* view) const;

  void Sync(LaneMask mask);
  void Release(LaneMask mask, Knowledge* point, bool relaxed);
  void Acquire(LaneMask mask, const Knowledge& point, bool relaxed);
  void Fence(LaneMask mask);
  void FenceProxyAsync(LaneMask mask);
  void Tick() { ++time_; }
  // What all the lanes know together; of what they did themselves only what is fenced.
  Knowledge Together(LaneMask mask) const;

  // cp.async: slots of the lanes' copies, 0 as long as there are none, and the number of the last one.
  std::uint32_t copy_slots() const { return copy_slots_; }
  void set_copy_slots(std::uint32_t first) { copy_slots_ = first; }
  std::uint32_t copies() const { return copies_; }
  std::uint32_t NextCopy() { return ++copies_; }
  void AcquireCopies(LaneMask mask, std::uint32_t last);
  // The point learns of all copies of these lanes.
  void ReleaseCopies(LaneMask mask, Knowledge* point) const;

 private:
  // What only the lane itself knows.
  struct Own {
    std::uint32_t fenced = 0;  // its time at its last proxy fence
    std::uint32_t copied = 0,
                  fenced_copied = 0;  // cp.async of its own that are over, and were so at that fence
  };
  struct OwnAtFence {
    std::uint32_t time = 0;
    Own own;
  };

  // Makes every group lie inside or outside of the mask.
  void Split(LaneMask mask);
  void Merge();
  void AddOwn(std::uint32_t lane, const Own& own, Knowledge* into) const;
  bool HasOwn() const { return copy_slots_ != 0 || proxy_fences_; }

  std::uint32_t first_, time_ = 1;
  std::uint32_t copy_slots_ = 0, copies_ = 0;
  bool proxy_fences_ = false;  // there was one
  std::vector<Group> groups_;
  std::array<Own, kWarpSize> own_{};
  std::array<OwnAtFence, kWarpSize> at_fence_{};
};

}  // namespace emu
