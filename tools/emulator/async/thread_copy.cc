// cp.async without .bulk: every lane copies 4, 8 or 16 bytes, in groups that it commits and waits for (PTX ISA, "Data
// Movement and Conversion Instructions: Non-bulk copy").
#include <fmt/core.h>

#include <algorithm>
#include <cstring>

#include "tools/emulator/async/instructions.h"
#include "tools/emulator/async/mbarrier.h"
#include "tools/emulator/async/operands.h"
#include "tools/emulator/async/state.h"
#include "tools/emulator/exec/async_queue.h"

namespace emu {
namespace {

struct CopyDetails : Details {
  SharedOperand to;
  AddressOperand from;
  std::uint32_t bytes = 0;
  bool ignore_negated = false;
};

class ThreadCopy : public AsyncOperation {
 public:
  ThreadCopy(const Warp& warp, const Op& op, std::shared_ptr<CopyRecord> record)
      : warp_(warp), op_(op), lanes_(warp.active()), record_(std::move(record)) {
    record_->queued = this;
  }

  // `from`: what is read, `read` bytes of it; zeros follow up to `bytes`.
  void Set(std::uint32_t lane, std::uint32_t to, std::uint64_t from, std::uint32_t read) {
    parts_[lane] = {from, to, read};
  }

  void Perform() override {
    const std::uint32_t bytes = static_cast<const CopyDetails*>(op_.details)->bytes;
    for (const std::uint32_t lane : Each(lanes_)) {
      const Part& part = parts_[lane];
      std::byte* to = warp_.cluster().Shared(warp_, op_, lane, part.to, bytes);
      if (part.read != 0) std::memcpy(to, reinterpret_cast<const void*>(part.from), part.read);
      if (part.read != bytes) std::memset(to + part.read, 0, bytes - part.read);
    }
    record_->queued = nullptr;
  }

  std::string Describe() const override {
    return fmt::format("{} of warp {}, PTX line {}", op_.name, warp_.index(), op_.line);
  }

 private:
  struct Part {
    std::uint64_t from;
    std::uint32_t to, read;
  };
  const Warp& warp_;
  const Op& op_;
  LaneMask lanes_;
  std::array<Part, kWarpSize> parts_;
  std::shared_ptr<CopyRecord> record_;
};

// Bytes that a lane reads: the third operand, or none when the source is to be ignored.
std::uint32_t BytesToRead(const Warp& warp, const Op& op, const CopyDetails& details, std::uint32_t lane) {
  if (op.at[2] != Op::kNone) {
    const std::uint32_t read = warp.Lanes<std::uint32_t>(op.at[2])[lane];
    if (read > details.bytes) {
      warp.Fail(FindingKind::kBadOperand, op, lane,
                fmt::format("a source of {} bytes for a copy of {} bytes", read, details.bytes));
    }
    return read;
  }
  if (op.at[3] == Op::kNone) return details.bytes;
  const bool ignored = ((warp.Mask(op.at[3]) >> lane & 1) != 0) != details.ignore_negated;
  return ignored ? 0 : details.bytes;
}

Flow RunCopy(Warp& warp, const Op& op) {
  const auto& details = *static_cast<const CopyDetails*>(op.details);
  std::uint32_t to[kWarpSize];
  std::uint64_t from[kWarpSize];
  SharedAddresses(warp, op, details.to, warp.active(), details.bytes, to);
  LaneAddresses(warp, details.from, warp.active(), from);
  auto record = std::make_shared<CopyRecord>();
  auto operation = std::make_unique<ThreadCopy>(warp, op, record);
  for (const std::uint32_t lane : Each(warp.active())) {
    const Who who{&warp, &op, lane};
    if (RankOf(to[lane]) != warp.cta().rank)
      who.Fail(FindingKind::kBadOperand, "copies to another CTA's shared memory");
    warp.cluster().Shared(warp, op, lane, to[lane], details.bytes);
    const std::uint32_t read = BytesToRead(warp, op, details, lane);
    RequireAligned(who, from[lane], details.bytes, "source address");
    RequireGlobal(who, from[lane], read, "reads");
    operation->Set(lane, to[lane], from[lane], read);
  }
  record->id = warp.checker().Copy(warp, op, warp.active(), to, details.bytes);
  CopyState& state = *warp.copies;
  state.copies.push_back({record, warp.active(), state.committed});
  warp.cluster().queue->Issue(std::move(operation));
  return Flow::kNext;
}

Flow RunCommit(Warp& warp, const Op&) {
  for (const std::uint32_t lane : Each(warp.active())) ++warp.copies->committed[lane];
  return Flow::kNext;
}

// Each lane waits until at most op.imm of its newest groups are pending. kAll: for what is not committed, too.
template <bool kAll>
Flow RunWait(Warp& warp, const Op& op) {
  CopyState& state = *warp.copies;
  if (kAll) RunCommit(warp, op);
  AsyncId last[kWarpSize] = {};
  LaneMask learning = 0;
  for (LaneCopies& copy : state.copies) {
    LaneMask awaited = 0;
    for (const std::uint32_t lane : Each(copy.lanes & warp.active())) {
      const bool over = std::int64_t{copy.group[lane]} < std::int64_t{state.committed[lane]} - op.imm;
      awaited |= LaneMask{over} << lane;
    }
    if (awaited == 0) continue;
    if (copy.record->queued != nullptr) warp.cluster().queue->PerformNow(copy.record->queued);
    for (const std::uint32_t lane : Each(awaited)) last[lane] = copy.record->id;
    learning |= awaited;
    copy.lanes &= ~awaited;
  }
  while (learning != 0) {
    const AsyncId id = last[FirstLane(learning)];
    LaneMask same = 0;
    for (const std::uint32_t lane : Each(learning)) same |= LaneMask{last[lane] == id} << lane;
    warp.checker().AcquireCopies(warp, same, id);
    learning &= ~same;
  }
  std::erase_if(state.copies, [](const LaneCopies& copy) { return copy.lanes == 0; });
  return Flow::kNext;
}

struct ArriveDetails : Details {
  SharedOperand barrier;
  bool no_increment = false;
};

// The arrival of one lane at a barrier once its copies so far have landed.
class ArriveAfterCopies : public AsyncOperation {
 public:
  ArriveAfterCopies(const Who& who, std::uint32_t address, SyncPoint point,
                    std::vector<std::shared_ptr<CopyRecord>> after)
      : who_(who), address_(address), point_(std::move(point)), after_(std::move(after)) {}

  bool Ready() const override {
    return std::all_of(after_.begin(), after_.end(),
                       [](const auto& record) { return record->queued == nullptr; });
  }
  void Perform() override {
    Mbarrier& barrier = FindMbarrier(who_, address_);
    who_.warp->checker().Join(barrier.current(), point_);
    barrier.Arrive(who_, 1);
  }
  std::string Describe() const override {
    return fmt::format("{} by {}, PTX line {}", who_.op->name, who_.warp->Name(who_.lane), who_.op->line);
  }

 private:
  Who who_;
  std::uint32_t address_;
  SyncPoint point_;  // what the lane knew, and its copies
  std::vector<std::shared_ptr<CopyRecord>> after_;
};

Flow RunArrive(Warp& warp, const Op& op) {
  const auto& details = *static_cast<const ArriveDetails*>(op.details);
  std::uint32_t addresses[kWarpSize];
  SharedAddresses(warp, op, details.barrier, warp.active(), Mbarrier::kBytes, addresses);
  for (const std::uint32_t lane : Each(warp.active())) {
    const Who who{&warp, &op, lane};
    if (RankOf(addresses[lane]) != warp.cta().rank)
      who.Fail(FindingKind::kBadOperand, "a barrier of another CTA");
    Mbarrier& barrier = FindMbarrier(who, addresses[lane]);
    warp.checker().UseBarrier(warp, op, lane, addresses[lane]);
    if (!details.no_increment) barrier.AddPending(who);
    std::vector<std::shared_ptr<CopyRecord>> after;
    for (const LaneCopies& copy : warp.copies->copies) {
      if ((copy.lanes >> lane & 1) != 0) after.push_back(copy.record);
    }
    SyncPoint point;
    warp.checker().ReleaseCopies(warp, LaneMask{1} << lane, &point);
    warp.cluster().queue->Issue(
        std::make_unique<ArriveAfterCopies>(who, addresses[lane], std::move(point), std::move(after)));
  }
  return Flow::kNext;
}

Op LowerArrive(const ptx::Instruction& instruction, Lowering& lowering) {
  AllowModifiers(instruction, lowering,
                 {"async", "mbarrier", "arrive", "noinc", "shared", "shared::cta", "b64"});
  RequireOperands(instruction, lowering, 1, 1);
  ArriveDetails details;
  details.barrier = LowerShared(instruction.operands[0],
                                instruction.Has("shared") || instruction.Has("shared::cta"), lowering);
  details.no_increment = instruction.Has("noinc");
  Op op;
  op.run = RunArrive;
  op.details = lowering.Make(details);
  return op;
}

std::uint32_t LowerBytes(const ptx::Instruction& instruction, Lowering& lowering) {
  const ptx::Operand& operand = instruction.operands[2];
  if (operand.kind != ptx::Operand::Kind::kInteger) lowering.Refuse("the size is no constant");
  const bool cg = instruction.Has("cg");
  if (operand.bits != 16 && (cg || (operand.bits != 4 && operand.bits != 8))) {
    lowering.Refuse(
        fmt::format("a size of {} bytes: {} allowed", operand.bits, cg ? "16 is" : "4, 8 and 16 are"));
  }
  return static_cast<std::uint32_t>(operand.bits);
}

Op LowerCopy(const ptx::Instruction& instruction, Lowering& lowering) {
  AllowModifiers(instruction, lowering,
                 {"async", "ca", "cg", "shared", "shared::cta", "global", "L2::cache_hint", "L2::64B",
                  "L2::128B", "L2::256B"});
  const std::size_t operands = OperandsWithoutPolicy(instruction, lowering);
  if (operands < 3 || operands > 4) lowering.Refuse("the number of operands");
  if (instruction.Has("ca") == instruction.Has("cg")) lowering.Refuse("one of .ca and .cg is to be given");
  CopyDetails details;
  details.to = LowerShared(instruction.operands[0], instruction.Has("shared") || instruction.Has("shared::cta"),
                           lowering);
  details.from = lowering.Address(instruction.operands[1]);
  details.bytes = LowerBytes(instruction, lowering);
  Op op;
  op.run = RunCopy;
  if (operands == 4) {
    const ptx::Operand& last = instruction.operands[3];
    if (last.negated || lowering.RegisterType(last) == ptx::Type::kPred) {
      op.at[3] = lowering.Predicate(last, &details.ignore_negated);
    } else {
      op.at[2] = lowering.Source(last, ptx::Type::kU32);
    }
  }
  op.details = lowering.Make(details);
  return op;
}

}  // namespace

Op LowerThreadCopy(const ptx::Instruction& instruction, Lowering& lowering) {
  if (instruction.Has("mbarrier")) return LowerArrive(instruction, lowering);
  const std::string word = instruction.modifiers.size() < 2 ? "" : instruction.modifiers[1];
  Op op;
  if (word == "commit_group" || word == "wait_all") {
    AllowModifiers(instruction, lowering, {"async", "commit_group", "wait_all"});
    RequireOperands(instruction, lowering, 0, 0);
    op.run = word == "wait_all" ? RunWait<true> : RunCommit;
    return op;
  }
  if (word == "wait_group") {
    AllowModifiers(instruction, lowering, {"async", "wait_group"});
    op.run = RunWait<false>;
    op.imm = LowerGroupCount(instruction, lowering);
    return op;
  }
  if (instruction.modifiers.empty() || instruction.modifiers[0] != "async") {
    return Refused(lowering, "an instruction that is not known");
  }
  return LowerCopy(instruction, lowering);
}

}  // namespace emu
