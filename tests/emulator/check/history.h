// Random histories of threads, asynchronous operations and what orders them.
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "tests/emulator/check/reference.h"
#include "tests/emulator/check/test_cluster.h"
#include "tools/emulator/base/random.h"

namespace emu::testing {

// One call of the checker.
struct Event {
  enum class Type {
    kAccess,
    kSyncLanes,
    kRelease,
    kAcquire,
    kFence,
    kProxyFence,
    kBegin,
    kAsyncAccess,
    kEnd,
    kCopy,
    kAcquireCopies,
    kReleaseCopies,
  };
  Type type = Type::kAccess;
  int warp = 0;
  LaneMask lanes = 0;
  Reference::Kind kind = Reference::Kind::kRead;
  std::uint32_t address[kWarpSize] = {};
  std::uint32_t bytes = 0;
  bool generic = false, relaxed = false;
  int point = -1, operation = -1;
  int copy = -1;           // kAcquireCopies: the kCopy event whose copies are over
  std::vector<int> after;  // events that must have run before
};

class History {
 public:
  static constexpr int kWarps = 3;
  static constexpr std::uint32_t kBytes = 48;

  // `discipline`: how often an access that would be a finding is left out.
  History(std::uint64_t seed, double discipline);

  const std::vector<Event>& events() const { return events_; }
  const std::set<FindingKind>& expected() const { return expected_; }

  // Runs the events in an order that `random` chooses among the legal ones. Nothing when all went well.
  std::optional<Finding> Replay(Random& random) const;

 private:
  struct Point {
    std::vector<int> nodes;  // released into it
    std::vector<int> events;
    bool acquired = false;
  };
  struct Operation {
    int node = 0;
    std::vector<int> accesses;  // events, the first is its beginning
    bool ended = false, generic = false, reads = false;
  };
  struct Lane {
    int node = -1, event = -1;                     // its last
    int fence = -1;                                // node of its last Fence
    std::vector<int> pending;                      // nodes that a relaxed acquire saw
    std::vector<int> copies, copy_events, copied;  // nodes and events of its cp.async; nodes that it knows
  };

  Lane& LaneAt(int warp, std::uint32_t lane) { return lanes_[warp * kWarpSize + lane]; }
  LaneMask SomeLanes(int most);
  void Place(Event* event, bool same_address);
  // The lane's next node.
  int Step(Lane& lane, const std::vector<int>& before = {}, bool proxy_fence = false);
  void Append(Event event);
  bool Try(const Reference::Access& access, std::set<FindingKind>* findings);

  void AddAccess();
  void AddSyncLanes(LaneMask lanes);
  void AddRelease(int point, LaneMask lanes, bool relaxed);
  void AddAcquire(int point, LaneMask lanes, bool relaxed);
  void AddFence(bool proxy);
  void AddBegin();
  void AddAsyncAccess();
  void AddEnd();
  void AddCopy();
  void AddAcquireCopies();
  void AddReleaseCopies();
  void AddBarrier();
  int SomePoint(bool for_release);

  Random random_;
  double discipline_;
  Reference reference_;
  std::vector<Event> events_;
  std::vector<Lane> lanes_;
  std::vector<Point> points_;
  std::vector<Operation> operations_;
  std::set<FindingKind> expected_;
};

}  // namespace emu::testing
