#include "tests/emulator/check/history.h"

#include <algorithm>

namespace emu::testing {
namespace {

constexpr std::uint32_t kSomeLanes[] = {0, 1, 2, 31};

}  // namespace

History::History(std::uint64_t seed, double discipline)
    : random_(seed), discipline_(discipline), lanes_(kWarps * kWarpSize) {
  // Everything is written first, mostly.
  if (random_.Chance(0.9)) {
    Event event;
    event.kind = Reference::Kind::kWrite;
    event.lanes = 1;
    event.bytes = kBytes;
    Lane& lane = LaneAt(0, 0);
    reference_.Remember({Step(lane), 0, event.kind, false, false, 0, kBytes});
    event.after = {};
    Append(event);
    if (random_.Chance(0.7)) {
      Event fence;
      fence.type = Event::Type::kProxyFence;
      fence.lanes = 1;
      Step(LaneAt(0, 0), {}, true);
      Append(fence);
    }
    AddBarrier();
  }
  const int length = 20 + static_cast<int>(random_.Below(60));
  for (int i = 0; i < length && !reference_.Full(); ++i) {
    switch (random_.Below(20)) {
      case 0:
        AddSyncLanes(SomeLanes(4));
        break;
      case 1:
      case 2:
        AddRelease(SomePoint(true), SomeLanes(3), random_.Chance(0.2));
        break;
      case 3:
      case 4:
        AddAcquire(SomePoint(false), SomeLanes(3), random_.Chance(0.2));
        break;
      case 5:
        AddFence(random_.Chance(0.7));
        break;
      case 6:
        AddBegin();
        break;
      case 7:
      case 8:
      case 9:
        AddAsyncAccess();
        break;
      case 10:
      case 11:
        AddEnd();
        break;
      case 12:
        AddCopy();
        break;
      case 13:
        AddAcquireCopies();
        break;
      case 14:
        AddReleaseCopies();
        break;
      case 15:
        AddBarrier();
        break;
      default:
        AddAccess();
        break;
    }
  }
}

LaneMask History::SomeLanes(int most) {
  LaneMask lanes = 0;
  for (int i = 0; i < most; ++i) lanes |= 1u << kSomeLanes[random_.Below(4)];
  return lanes;
}

void History::Place(Event* event, bool same_address) {
  static constexpr std::uint32_t kSizes[] = {1, 2, 4, 4, 8, 16, 16, 3};
  event->bytes = kSizes[random_.Below(8)];
  std::uint32_t last = 0;
  for (std::uint32_t lane : Each(event->lanes)) {
    std::uint32_t offset = random_.Below(kBytes - event->bytes + 1);
    if (!random_.Chance(0.1)) offset = offset / event->bytes * event->bytes;
    event->address[lane] = same_address && lane != FirstLane(event->lanes) ? last : offset;
    last = event->address[lane];
  }
}

int History::Step(Lane& lane, const std::vector<int>& before, bool proxy_fence) {
  std::vector<int> all = before;
  if (lane.node >= 0) all.push_back(lane.node);
  return lane.node = reference_.Add(all, proxy_fence);
}

void History::Append(Event event) {
  const int index = static_cast<int>(events_.size());
  for (std::uint32_t lane : Each(event.lanes)) {
    Lane& of = LaneAt(event.warp, lane);
    if (of.event >= 0) event.after.push_back(of.event);
    of.event = index;
  }
  events_.push_back(std::move(event));
}

// False when the access is to be left out.
bool History::Try(const Reference::Access& access, std::set<FindingKind>* findings) {
  const std::set<FindingKind> found = reference_.Judge(access);
  if (!found.empty() && random_.Chance(discipline_)) return false;
  findings->insert(found.begin(), found.end());
  return true;
}

void History::AddAccess() {
  Event event;
  event.warp = static_cast<int>(random_.Below(kWarps));
  event.lanes = SomeLanes(random_.Chance(0.5) ? 1 : 3);
  const std::uint32_t choice = random_.Below(10);
  event.kind = choice < 5   ? Reference::Kind::kRead
               : choice < 8 ? Reference::Kind::kWrite
               : choice < 9 ? Reference::Kind::kStrongRead
                            : Reference::Kind::kStrongWrite;
  Place(&event, event.kind == Reference::Kind::kRead && random_.Chance(0.5));
  const Reference before = reference_;
  const std::vector<Lane> lanes = lanes_;
  std::set<FindingKind> findings;
  for (std::uint32_t lane : Each(event.lanes)) {
    const int actor = event.warp * kWarpSize + static_cast<int>(lane);
    const Reference::Access access{
        Step(LaneAt(event.warp, lane)), actor, event.kind, false, false, event.address[lane], event.bytes};
    if (!Try(access, &findings)) {
      reference_ = before;
      lanes_ = lanes;
      return;
    }
    reference_.Remember(access);
  }
  expected_.insert(findings.begin(), findings.end());
  Append(event);
}

void History::AddSyncLanes(LaneMask lanes) {
  Event event;
  event.type = Event::Type::kSyncLanes;
  event.warp = static_cast<int>(random_.Below(kWarps));
  event.lanes = lanes;
  std::vector<int> before;
  for (std::uint32_t lane : Each(lanes)) {
    Lane& of = LaneAt(event.warp, lane);
    if (of.node >= 0) before.push_back(of.node);
  }
  const int node = reference_.Add(before);
  for (std::uint32_t lane : Each(lanes)) LaneAt(event.warp, lane).node = node;
  Append(event);
}

int History::SomePoint(bool for_release) {
  if (points_.empty() || (for_release && random_.Chance(0.4))) points_.emplace_back();
  const std::uint32_t count = static_cast<std::uint32_t>(points_.size());
  const std::uint32_t recent = random_.Below(std::min(count, 4u));
  int point = static_cast<int>(count - 1 - recent);
  if (for_release && points_[point].acquired) {
    points_.emplace_back();
    point = static_cast<int>(count);
  }
  return point;
}

void History::AddRelease(int point, LaneMask lanes, bool relaxed) {
  Event event;
  event.type = Event::Type::kRelease;
  event.warp = static_cast<int>(random_.Below(kWarps));
  event.lanes = lanes;
  event.point = point;
  event.relaxed = relaxed;
  for (std::uint32_t lane : Each(lanes)) {
    Lane& of = LaneAt(event.warp, lane);
    const int node = Step(of);
    if (!relaxed) points_[point].nodes.push_back(node);
    if (relaxed && of.fence >= 0) points_[point].nodes.push_back(of.fence);
  }
  points_[point].events.push_back(static_cast<int>(events_.size()));
  Append(event);
}

void History::AddAcquire(int point, LaneMask lanes, bool relaxed) {
  Event event;
  event.type = Event::Type::kAcquire;
  event.warp = static_cast<int>(random_.Below(kWarps));
  event.lanes = lanes;
  event.point = point;
  event.relaxed = relaxed;
  points_[point].acquired = true;
  event.after = points_[point].events;
  for (std::uint32_t lane : Each(lanes)) {
    Lane& of = LaneAt(event.warp, lane);
    if (relaxed) {
      of.pending.insert(of.pending.end(), points_[point].nodes.begin(), points_[point].nodes.end());
    } else {
      Step(of, points_[point].nodes);
    }
  }
  Append(event);
}

void History::AddFence(bool proxy) {
  Event event;
  event.type = proxy ? Event::Type::kProxyFence : Event::Type::kFence;
  event.warp = static_cast<int>(random_.Below(kWarps));
  event.lanes = SomeLanes(4);
  for (std::uint32_t lane : Each(event.lanes)) {
    Lane& of = LaneAt(event.warp, lane);
    if (proxy) {
      Step(of, {}, true);
    } else {
      of.fence = Step(of, of.pending);
      of.pending.clear();
    }
  }
  Append(event);
}

void History::AddBegin() {
  Event event;
  event.type = Event::Type::kBegin;
  event.warp = static_cast<int>(random_.Below(kWarps));
  event.lanes = SomeLanes(random_.Chance(0.7) ? 1 : 4);
  event.operation = static_cast<int>(operations_.size());
  std::vector<int> before;
  for (std::uint32_t lane : Each(event.lanes)) before.push_back(Step(LaneAt(event.warp, lane)));
  Operation operation;
  operation.node = reference_.Add(before);
  operation.accesses.push_back(static_cast<int>(events_.size()));
  operation.reads = random_.Chance(0.5);
  operation.generic = !operation.reads && random_.Chance(0.2);
  operations_.push_back(operation);
  Append(event);
}

void History::AddAsyncAccess() {
  if (operations_.empty()) return AddBegin();
  const int index =
      static_cast<int>(operations_.size() - 1 - random_.Below(std::min<std::size_t>(operations_.size(), 3)));
  Operation& operation = operations_[index];
  if (operation.ended) return;
  Event event;
  event.type = Event::Type::kAsyncAccess;
  event.operation = index;
  event.kind = operation.reads       ? Reference::Kind::kRead
               : random_.Chance(0.8) ? Reference::Kind::kWrite
                                     : Reference::Kind::kStrongWrite;
  event.generic = operation.generic;
  event.lanes = 1;
  Place(&event, false);
  event.lanes = 0;
  const Reference::Access access{operation.node, 10000 + index,    event.kind, true,
                                 !event.generic, event.address[0], event.bytes};
  std::set<FindingKind> findings;
  if (!Try(access, &findings)) return;
  expected_.insert(findings.begin(), findings.end());
  reference_.Remember(access);
  event.after = {operation.accesses.front()};
  operation.accesses.push_back(static_cast<int>(events_.size()));
  Append(event);
}

void History::AddEnd() {
  for (int index = 0; index < static_cast<int>(operations_.size()); ++index) {
    Operation& operation = operations_[index];
    if (operation.ended || random_.Chance(0.3)) continue;
    operation.ended = true;
    Event event;
    event.type = Event::Type::kEnd;
    event.operation = index;
    event.point = SomePoint(true);
    event.after = operation.accesses;
    points_[event.point].nodes.push_back(operation.node);
    points_[event.point].events.push_back(static_cast<int>(events_.size()));
    const int point = event.point;
    Append(event);
    if (random_.Chance(0.5)) AddAcquire(point, SomeLanes(4), false);
    return;
  }
}

void History::AddCopy() {
  Event event;
  event.type = Event::Type::kCopy;
  event.warp = static_cast<int>(random_.Below(kWarps));
  event.lanes = SomeLanes(2);
  event.kind = Reference::Kind::kWrite;
  Place(&event, false);
  const Reference before = reference_;
  const std::vector<Lane> lanes = lanes_;
  std::set<FindingKind> findings;
  for (std::uint32_t lane : Each(event.lanes)) {
    Lane& of = LaneAt(event.warp, lane);
    // The copy knows what its thread knows, and who waits for the copy was or asked its thread.
    std::vector<int> start = of.node >= 0 ? std::vector<int>{of.node} : std::vector<int>{};
    const int node = reference_.Add(start);
    const int actor = 20000 + static_cast<int>(events_.size()) * kWarpSize + static_cast<int>(lane);
    const Reference::Access access{node, actor, event.kind, true, false, event.address[lane], event.bytes};
    if (!Try(access, &findings)) {
      reference_ = before;
      lanes_ = lanes;
      return;
    }
    reference_.Remember(access);
    of.copies.push_back(node);
    of.copy_events.push_back(static_cast<int>(events_.size()));
  }
  expected_.insert(findings.begin(), findings.end());
  Append(event);
}

void History::AddAcquireCopies() {
  for (int tries = 0; tries < 4; ++tries) {
    Event event;
    event.type = Event::Type::kAcquireCopies;
    event.warp = static_cast<int>(random_.Below(kWarps));
    event.lanes = SomeLanes(1);
    Lane& of = LaneAt(event.warp, FirstLane(event.lanes));
    if (of.copies.empty()) continue;
    const std::size_t count = 1 + random_.Below(static_cast<std::uint32_t>(of.copies.size()));
    event.copy = of.copy_events[count - 1];
    Step(of, {of.copies.begin(), of.copies.begin() + static_cast<std::ptrdiff_t>(count)});
    Append(event);
    return;
  }
}

void History::AddReleaseCopies() {
  Event event;
  event.type = Event::Type::kReleaseCopies;
  event.warp = static_cast<int>(random_.Below(kWarps));
  event.lanes = SomeLanes(2);
  event.point = SomePoint(true);
  Point& point = points_[event.point];
  for (std::uint32_t lane : Each(event.lanes)) {
    Lane& of = LaneAt(event.warp, lane);
    point.nodes.push_back(Step(of));
    point.nodes.insert(point.nodes.end(), of.copies.begin(), of.copies.end());
  }
  point.events.push_back(static_cast<int>(events_.size()));
  Append(event);
}

void History::AddBarrier() {
  points_.emplace_back();
  const int point = static_cast<int>(points_.size()) - 1;
  std::vector<Event> acquires;
  for (int warp = 0; warp < kWarps; ++warp) {
    Event event;
    event.warp = warp;
    event.lanes = 1u << 0 | 1u << 1 | 1u << 2 | 1u << 31;
    event.point = point;
    event.type = Event::Type::kRelease;
    for (std::uint32_t lane : Each(event.lanes)) points_[point].nodes.push_back(Step(LaneAt(warp, lane)));
    points_[point].events.push_back(static_cast<int>(events_.size()));
    Append(event);
  }
  points_[point].acquired = true;
  for (int warp = 0; warp < kWarps; ++warp) {
    Event event;
    event.warp = warp;
    event.lanes = 1u << 0 | 1u << 1 | 1u << 2 | 1u << 31;
    event.point = point;
    event.type = Event::Type::kAcquire;
    event.after = points_[point].events;
    for (std::uint32_t lane : Each(event.lanes)) Step(LaneAt(warp, lane), points_[point].nodes);
    Append(event);
  }
}

namespace {

class Player {
 public:
  explicit Player(const std::vector<Event>& events) : events_(events), ids_(events.size()) {}

  void Run(int index) {
    const Event& event = events_[index];
    const Warp& warp = cluster_.warp(0, event.warp);
    const Op& op = cluster_.OpAt(index + 1, "operation");
    switch (event.type) {
      case Event::Type::kAccess:
        return Access(event, warp, op);
      case Event::Type::kSyncLanes:
        return checker_.SyncLanes(warp, event.lanes);
      case Event::Type::kRelease:
        return checker_.Release(warp, event.lanes, &Point(event), event.relaxed);
      case Event::Type::kAcquire:
        return checker_.Acquire(warp, event.lanes, Point(event), event.relaxed);
      case Event::Type::kFence:
        return checker_.Fence(warp, event.lanes);
      case Event::Type::kProxyFence:
        return checker_.FenceProxyAsync(warp, event.lanes);
      case Event::Type::kBegin:
        Operation(event) = checker_.Begin(warp, op, event.lanes);
        return;
      case Event::Type::kAsyncAccess:
        return AsyncAccess(event);
      case Event::Type::kEnd:
        return checker_.End(Operation(event), &Point(event));
      case Event::Type::kCopy:
        ids_[index] = checker_.Copy(warp, op, event.lanes, event.address, event.bytes);
        return;
      case Event::Type::kAcquireCopies:
        return checker_.AcquireCopies(warp, event.lanes, ids_[event.copy]);
      case Event::Type::kReleaseCopies:
        return checker_.ReleaseCopies(warp, event.lanes, &Point(event));
    }
  }

 private:
  template <class T>
  static T& Grown(std::vector<T>& all, int index) {
    if (index >= static_cast<int>(all.size())) all.resize(index + 1);
    return all[index];
  }
  SyncPoint& Point(const Event& event) { return Grown(points_, event.point); }
  AsyncId& Operation(const Event& event) { return Grown(operations_, event.operation); }

  void Access(const Event& event, const Warp& warp, const Op& op) {
    switch (event.kind) {
      case Reference::Kind::kRead:
        return checker_.Read(warp, op, event.lanes, event.address, event.bytes);
      case Reference::Kind::kWrite:
        return checker_.Write(warp, op, event.lanes, event.address, event.bytes);
      default:
        return checker_.Strong(warp, op, event.lanes, event.address, event.bytes,
                               event.kind == Reference::Kind::kStrongWrite);
    }
  }
  void AsyncAccess(const Event& event) {
    switch (event.kind) {
      case Reference::Kind::kRead:
        return checker_.AsyncRead(Operation(event), event.address[0], event.bytes);
      case Reference::Kind::kWrite:
        return checker_.AsyncWrite(Operation(event), event.address[0], event.bytes, event.generic);
      default:
        return checker_.AsyncStrong(Operation(event), event.address[0], event.bytes, event.generic);
    }
  }

  const std::vector<Event>& events_;
  std::vector<AsyncId> ids_;
  TestCluster cluster_{1, History::kWarps, 64};
  Checker& checker_ = cluster_.checker();
  std::vector<SyncPoint> points_;
  std::vector<AsyncId> operations_;
};

}  // namespace

std::optional<Finding> History::Replay(Random& random) const {
  const int count = static_cast<int>(events_.size());
  std::vector<int> missing(count);
  std::vector<std::vector<int>> followers(count);
  std::vector<int> ready;
  for (int i = 0; i < count; ++i) {
    missing[i] = static_cast<int>(events_[i].after.size());
    for (int before : events_[i].after) followers[before].push_back(i);
    if (missing[i] == 0) ready.push_back(i);
  }
  Player player(events_);
  return Caught([&] {
    // Latest first, earliest first or anything, as in runs where one warp is far ahead.
    const std::uint32_t style = random.Below(3);
    while (!ready.empty()) {
      std::size_t pick = random.Below(static_cast<std::uint32_t>(ready.size()));
      if (style == 1) pick = ready.size() - 1;
      if (style == 2 && random.Chance(0.8)) pick = 0;
      const int index = ready[pick];
      ready.erase(ready.begin() + static_cast<std::ptrdiff_t>(pick));
      player.Run(index);
      for (int follower : followers[index]) {
        if (--missing[follower] == 0) ready.push_back(follower);
      }
    }
  });
}

}  // namespace emu::testing
