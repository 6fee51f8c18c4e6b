// The lives of mbarriers: where one is, who made it, and what was done with it last.
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "tools/emulator/check/shadow.h"
#include "tools/emulator/check/view.h"

namespace emu {

struct BarrierLife {
  static constexpr std::uint32_t kEvents = 6;
  // Something done with it, `count` times in turn by lanes of one warp: the last of them.
  struct Event {
    std::uint16_t site = 0;
    std::uint32_t slot = 0, time = 0, count = 0;
  };

  bool live = false;
  PastAccess init;              // by one lane
  std::uint32_t published = 0;  // time of the fence.mbarrier_init that followed, in init's slot; 0: none yet
  // Uses that no later use knows of: whoever ends this life must.
  std::vector<PastAccess> uses;
  std::array<Event, kEvents> events{};  // a ring
  std::uint32_t next_event = 0;

  void Note(std::uint16_t site, std::uint32_t slot, std::uint32_t time);
  void AddUse(const PastAccess& use, const View& view);
  // The first use that the view does not know to be over; null when there is none. A use leaves nothing behind that would
  // have to be visible: it is enough that it has been performed, and of a warp that any of its lanes has told since. (match,
  // vote and shfl order no memory, but who elects a lane with them and lets it count the others out, as libcu++'s pipeline
  // does, has ended their waits.) Slots from `operations` on are operations.
  const PastAccess* UnknownUse(const View& view, std::uint32_t operations) const;
  // Events, the oldest first.
  std::vector<Event> History() const;
};

class Barriers {
 public:
  // Null when there never was one at this shared address.
  BarrierLife* Find(std::uint32_t address);
  // The barrier that the byte at this address belongs to.
  BarrierLife* Around(std::uint32_t address);
  // A new life. What is there already is kept as history.
  BarrierLife& Start(std::uint32_t address, const PastAccess& init);
  // fence.mbarrier_init by the lanes of the warp whose slots begin at `first`, at `time`.
  void Publish(std::uint32_t first, std::uint32_t lanes, std::uint32_t time);

 private:
  std::unordered_map<std::uint32_t, BarrierLife> lives_;
  std::vector<BarrierLife*> unpublished_;
  std::uint32_t last_address_ = 0;
  BarrierLife* last_ = nullptr;
};

}  // namespace emu
