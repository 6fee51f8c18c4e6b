#include "tools/emulator/async/bulk.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "tools/emulator/async/mbarrier.h"
#include "tools/emulator/async/state.h"
#include "tools/emulator/exec/async_queue.h"
#include "tools/emulator/exec/machine.h"

namespace emu {
namespace {

// Under a random order a copy lands in up to so many pieces.
constexpr std::uint32_t kMaxPieces = 4;

Checker& CheckerOf(const Who& who) { return who.warp->checker(); }

std::string DescribeCopy(const Who& who) {
  return fmt::format("{} by {}, PTX line {}", who.op->name, who.warp->Name(who.lane), who.op->line);
}

class Piece : public AsyncOperation {
 public:
  Piece(const Who& who, std::shared_ptr<const Transfer> transfer, std::uint32_t first, std::uint32_t last,
        const Landing& landing)
      : who_(who), transfer_(std::move(transfer)), first_(first), last_(last), landing_(landing) {
    const LaneMask lanes = Lanes();
    id_ = CheckerOf(who_).Begin(*who_.warp, *who_.op, lanes);
    if (landing_.lanes == 0) {
      Tell(first_, last_, lanes);
    } else {
      std::uint32_t unit = first_;
      for (const std::uint32_t lane : Each(lanes)) Tell(unit, unit + 1, LaneMask{1} << lane), ++unit;
    }
  }

  void Perform() override {
    std::byte* shared = who_.warp->cluster().Shared(*who_.warp, *who_.op, who_.lane, to(), span());
    Mbarrier& barrier = FindMbarrier(who_, landing_.barrier);
    transfer_->Load(first_, last_, shared, OffsetInCta(to()));
    CheckerOf(who_).End(id_, barrier.current());
    barrier.CompleteTx(who_, bytes());
  }

  std::string Describe() const override { return DescribeCopy(who_); }

 private:
  // Who issues this piece.
  LaneMask Lanes() const {
    if (landing_.lanes == 0) return LaneMask{1} << who_.lane;
    LaneMask lanes = 0;
    std::uint32_t unit = 0;
    for (const std::uint32_t lane : Each(landing_.lanes)) {
      if (unit >= first_ && unit < last_) lanes |= LaneMask{1} << lane;
      ++unit;
    }
    return lanes;
  }

  // The checker, of units [first, last), which are those of `lanes`.
  void Tell(std::uint32_t first, std::uint32_t last, LaneMask lanes) {
    Checker& checker = CheckerOf(who_);
    const std::uint32_t bytes = (last - first) * transfer_->unit_bytes;
    const std::uint32_t to = landing_.to + first * transfer_->pitch();
    if (bytes != 0) {
      if (landing_.from) checker.AsyncRead(id_, *landing_.from + first * transfer_->unit_bytes, bytes);
      transfer_->VisitLoaded(first, last, OffsetInCta(to), [&](std::uint32_t at, std::uint32_t size) {
        if (landing_.reduces) {
          checker.AsyncStrong(id_, to + at, size, landing_.generic, lanes);
        } else {
          checker.AsyncWrite(id_, to + at, size, landing_.generic, lanes);
        }
      });
    }
    checker.UseBarrier(id_, landing_.barrier, lanes);
  }

  std::uint32_t bytes() const { return (last_ - first_) * transfer_->unit_bytes; }
  std::uint32_t span() const { return (last_ - first_) * transfer_->pitch(); }
  std::uint32_t to() const { return landing_.to + first_ * transfer_->pitch(); }

  Who who_;
  std::shared_ptr<const Transfer> transfer_;
  std::uint32_t first_, last_;
  Landing landing_;
  AsyncId id_ = 0;
};

// A store on its way: first shared memory is read, later the destination is written, so that who waits for the first only
// cannot count on the second.
struct Storing {
  Who who;
  std::shared_ptr<const Transfer> transfer;
  std::uint32_t from = 0;
  std::shared_ptr<CopyRecord> reads, writes;
  std::vector<std::byte> data;
};

class StoreRead : public AsyncOperation {
 public:
  explicit StoreRead(std::shared_ptr<Storing> storing) : storing_(std::move(storing)) {
    storing_->reads->queued = this;
  }
  void Perform() override {
    const Who& who = storing_->who;
    const std::uint32_t bytes = storing_->transfer->span();
    const std::byte* from = who.warp->cluster().Shared(*who.warp, *who.op, who.lane, storing_->from, bytes);
    storing_->data.assign(from, from + bytes);
    storing_->reads->queued = nullptr;
  }
  std::string Describe() const override { return DescribeCopy(storing_->who); }

 private:
  std::shared_ptr<Storing> storing_;
};

class StoreWrite : public AsyncOperation {
 public:
  explicit StoreWrite(std::shared_ptr<Storing> storing) : storing_(std::move(storing)) {
    storing_->writes->queued = this;
  }
  bool Ready() const override { return storing_->reads->queued == nullptr; }
  void Perform() override {
    storing_->transfer->Store(storing_->data.data(), OffsetInCta(storing_->from));
    storing_->writes->queued = nullptr;
  }
  std::string Describe() const override { return DescribeCopy(storing_->who) + " (its writes)"; }

 private:
  std::shared_ptr<Storing> storing_;
};

Flow RunCommit(Warp& warp, const Op&) {
  for (const std::uint32_t lane : Each(warp.active())) ++warp.copies->bulk_committed[lane];
  return Flow::kNext;
}

// Each lane waits until at most op.imm of its newest groups are pending; kRead: until they have read shared memory.
template <bool kRead>
Flow RunWait(Warp& warp, const Op& op) {
  CopyState& state = *warp.copies;
  AsyncQueue& queue = *warp.cluster().queue;
  for (BulkCopy& copy : state.bulk) {
    if ((warp.active() >> copy.lane & 1) == 0) continue;
    if (std::int64_t{copy.group} >= std::int64_t{state.bulk_committed[copy.lane]} - op.imm) continue;
    if (copy.reads->queued != nullptr) queue.PerformNow(copy.reads->queued);
    if (!copy.reads_known) {
      SyncPoint point;
      warp.checker().End(copy.reads->id, &point);
      warp.checker().Acquire(warp, LaneMask{1} << copy.lane, point);
      copy.reads_known = true;
    }
    if (!kRead && copy.writes->queued != nullptr) queue.PerformNow(copy.writes->queued);
  }
  std::erase_if(state.bulk,
                [](const BulkCopy& copy) { return copy.reads_known && copy.writes->queued == nullptr; });
  return Flow::kNext;
}

}  // namespace

void Transfer::Load(std::uint32_t, std::uint32_t, std::byte*, std::uint32_t) const {}
void Transfer::Store(const std::byte*, std::uint32_t) const {}
void Transfer::VisitLoaded(std::uint32_t first, std::uint32_t last, std::uint32_t, const Range& visit) const {
  if (first != last) visit(0, (last - first) * unit_bytes);
}
void Transfer::VisitStored(std::uint32_t, const Range& visit) const {
  if (bytes() != 0) visit(0, bytes());
}

void IssueLanding(const Who& who, std::shared_ptr<const Transfer> transfer, const Landing& landing) {
  Cluster& cluster = who.warp->cluster();
  cluster.Shared(*who.warp, *who.op, who.lane, landing.to, transfer->span());
  if (RankOf(landing.to) != RankOf(landing.barrier)) {
    who.Fail(FindingKind::kBadOperand,
             fmt::format("the data goes to the CTA with rank {}, the barrier is in that with rank {}",
                         RankOf(landing.to), RankOf(landing.barrier)));
  }
  FindMbarrier(who, landing.barrier);
  Machine& machine = who.warp->machine();
  std::uint32_t pieces = 1;
  if (machine.completion() == Completion::kRandom) {
    pieces = 1 + machine.random().Below(std::clamp<std::uint32_t>(transfer->units, 1, kMaxPieces));
  }
  for (std::uint32_t i = 0; i < pieces; ++i) {
    const auto first = static_cast<std::uint32_t>(std::uint64_t{transfer->units} * i / pieces);
    const auto last = static_cast<std::uint32_t>(std::uint64_t{transfer->units} * (i + 1) / pieces);
    cluster.queue->Issue(std::make_unique<Piece>(who, transfer, first, last, landing));
  }
}

void IssueStore(const Who& who, std::shared_ptr<const Transfer> transfer, std::uint32_t from) {
  const Warp& warp = *who.warp;
  warp.cluster().Shared(warp, *who.op, who.lane, from, transfer->span());
  auto storing = std::make_shared<Storing>();
  *storing = {who, std::move(transfer), from, std::make_shared<CopyRecord>(), std::make_shared<CopyRecord>(),
              {}};
  storing->reads->id = warp.checker().Begin(warp, *who.op, LaneMask{1} << who.lane);
  storing->transfer->VisitStored(OffsetInCta(from), [&](std::uint32_t at, std::uint32_t bytes) {
    warp.checker().AsyncRead(storing->reads->id, from + at, bytes);
  });
  CopyState& state = *warp.copies;
  state.bulk.push_back({storing->reads, storing->writes, who.lane, state.bulk_committed[who.lane], false});
  auto read = std::make_unique<StoreRead>(storing);
  auto write = std::make_unique<StoreWrite>(storing);
  warp.cluster().queue->Issue(std::move(read));
  warp.cluster().queue->Issue(std::move(write));
}

Op LowerBulkGroup(const ptx::Instruction& instruction, Lowering& lowering) {
  AllowModifiers(instruction, lowering, {"async", "bulk", "commit_group", "wait_group", "read"});
  Op op;
  if (instruction.Has("commit_group")) {
    RequireOperands(instruction, lowering, 0, 0);
    op.run = RunCommit;
    return op;
  }
  op.run = instruction.Has("read") ? RunWait<true> : RunWait<false>;
  op.imm = LowerGroupCount(instruction, lowering);
  return op;
}

}  // namespace emu
