// Storage for registers: per-thread liveness over the control-flow graph, then a linear scan of live intervals.
#include <algorithm>
#include <functional>
#include <queue>

#include "tools/emulator/ptx/control_flow.h"
#include "tools/emulator/ptx/effects.h"

namespace emu::ptx {
namespace {

using Bits = std::vector<std::uint64_t>;

// Sets of registers of all blocks together are at most this many words; larger functions share nothing between blocks.
constexpr std::size_t kMaxWords = std::size_t{1} << 24;

Allocation::Class ClassOf(Type type) {
  if (type == Type::kPred) return Allocation::kPredicate;
  const std::uint32_t bytes = SizeOf(type);
  if (bytes <= 2) return Allocation::kBits16;
  if (bytes <= 4) return Allocation::kBits32;
  return bytes <= 8 ? Allocation::kBits64 : Allocation::kBits128;
}

// From the first to the last instruction at which the register has a value that is needed, is read or is written.
struct Interval {
  int begin = -1, end = -1;

  void Cover(int instruction) {
    begin = begin < 0 ? instruction : std::min(begin, instruction);
    end = std::max(end, instruction);
  }
};

class Liveness {
 public:
  Liveness(const Function& function, const std::vector<Block>& blocks)
      : function_(function),
        blocks_(blocks),
        intervals_(function.registers.size()),
        index_(intervals_.size(), -1) {}

  std::vector<Interval> Run() {
    FindCarried();
    words_ = (carried_.size() + 63) / 64;
    if (words_ != 0 && blocks_.size() > kMaxWords / words_) {
      for (const int reg : carried_) Occupy(reg);
    } else if (words_ != 0) {
      Summarize();
      Propagate();
      CoverBlocks();
    }
    for (std::size_t i = 0; i < function_.results.size() + function_.params.size(); ++i) {
      const bool result = i < function_.results.size();
      const Variable& param = result ? function_.results[i] : function_.params[i - function_.results.size()];
      if (param.space != Space::kReg) continue;
      for (std::uint32_t element = 0; element < param.vector; ++element) Occupy(param_registers_++);
    }
    return std::move(intervals_);
  }

 private:
  void Occupy(int reg) {
    if (static_cast<std::size_t>(reg) >= intervals_.size()) return;
    intervals_[static_cast<std::size_t>(reg)] = {0, static_cast<int>(function_.code.size())};
  }

  // Calls `visit(instruction index, its effects)` for the block's instructions in order.
  template <class Visit>
  void ForEach(const Block& block, Visit visit) {
    for (int i = block.begin; i < block.end; ++i) {
      const Instruction& instruction = function_.code[static_cast<std::size_t>(i)];
      Effects(instruction, effects_);
      visit(i, instruction);
    }
  }

  // Covers where registers appear, and finds those whose value a block needs from before it: only these can be live
  // from one block to another.
  void FindCarried() {
    std::vector<int> written_in(intervals_.size(), -1);
    for (std::size_t b = 0; b < blocks_.size(); ++b) {
      ForEach(blocks_[b], [&](int i, const Instruction& instruction) {
        const bool asynchronous = IsAsynchronous(instruction);
        for (const Effect& effect : effects_) {
          const auto reg = static_cast<std::size_t>(effect.reg);
          intervals_[reg].Cover(i);
          if (asynchronous) Occupy(effect.reg);
          if (effect.access == Access::kWritten || written_in[reg] == static_cast<int>(b) || index_[reg] >= 0)
            continue;
          index_[reg] = static_cast<int>(carried_.size());
          carried_.push_back(effect.reg);
        }
        for (const Effect& effect : effects_) {
          if (Kills(instruction, effect))
            written_in[static_cast<std::size_t>(effect.reg)] = static_cast<int>(b);
        }
      });
    }
  }

  static bool Kills(const Instruction& instruction, const Effect& effect) {
    return effect.access == Access::kWritten && instruction.guard < 0;
  }

  void Summarize() {
    needs_.assign(blocks_.size() * words_, 0);
    kills_.assign(blocks_.size() * words_, 0);
    for (std::size_t b = 0; b < blocks_.size(); ++b) {
      std::uint64_t* const needs = &needs_[b * words_];
      std::uint64_t* const kills = &kills_[b * words_];
      ForEach(blocks_[b], [&](int, const Instruction& instruction) {
        for (const Effect& effect : effects_) {
          const int index = index_[static_cast<std::size_t>(effect.reg)];
          if (index < 0 || effect.access == Access::kWritten) continue;
          const std::uint64_t bit = std::uint64_t{1} << (index & 63);
          if ((kills[index >> 6] & bit) == 0) needs[index >> 6] |= bit;
        }
        for (const Effect& effect : effects_) {
          const int index = index_[static_cast<std::size_t>(effect.reg)];
          if (index >= 0 && Kills(instruction, effect)) kills[index >> 6] |= std::uint64_t{1} << (index & 63);
        }
      });
    }
  }

  // needs_ becomes what is live at the begin of each block, live_out_ at its end.
  void Propagate() {
    live_out_.assign(blocks_.size() * words_, 0);
    std::vector<std::vector<int>> predecessors(blocks_.size());
    for (std::size_t b = 0; b < blocks_.size(); ++b) {
      for (const int to : blocks_[b].successors)
        predecessors[static_cast<std::size_t>(to)].push_back(static_cast<int>(b));
    }
    std::vector<bool> waiting(blocks_.size(), true);
    std::vector<int> work(blocks_.size());
    for (std::size_t b = 0; b < blocks_.size(); ++b) work[b] = static_cast<int>(b);
    while (!work.empty()) {
      const auto b = static_cast<std::size_t>(work.back());
      work.pop_back();
      waiting[b] = false;
      if (!Update(b)) continue;
      for (const int from : predecessors[b]) {
        if (waiting[static_cast<std::size_t>(from)]) continue;
        waiting[static_cast<std::size_t>(from)] = true;
        work.push_back(from);
      }
    }
  }

  // True when more is live at the block's begin than before, or the block was not looked at yet.
  bool Update(std::size_t b) {
    std::uint64_t* const out = &live_out_[b * words_];
    for (const int to : blocks_[b].successors) {
      const std::uint64_t* const in = &needs_[static_cast<std::size_t>(to) * words_];
      for (std::size_t w = 0; w < words_; ++w) out[w] |= in[w];
    }
    bool changed = false;
    for (std::size_t w = 0; w < words_; ++w) {
      const std::uint64_t in = needs_[b * words_ + w] | (out[w] & ~kills_[b * words_ + w]);
      changed |= in != needs_[b * words_ + w];
      needs_[b * words_ + w] = in;
    }
    return changed;
  }

  void CoverBlocks() {
    const auto cover = [&](const std::uint64_t* set, int instruction) {
      for (std::size_t w = 0; w < words_; ++w) {
        for (std::uint64_t rest = set[w]; rest != 0; rest &= rest - 1) {
          const std::size_t index = w * 64 + static_cast<std::size_t>(__builtin_ctzll(rest));
          intervals_[static_cast<std::size_t>(carried_[index])].Cover(instruction);
        }
      }
    };
    for (std::size_t b = 0; b < blocks_.size(); ++b) {
      cover(&needs_[b * words_], blocks_[b].begin);
      cover(&live_out_[b * words_], blocks_[b].end - 1);
    }
  }

  const Function& function_;
  const std::vector<Block>& blocks_;
  std::vector<Interval> intervals_;
  std::vector<int> index_;    // in carried_, or -1
  std::vector<int> carried_;  // registers
  std::vector<Effect> effects_;
  std::size_t words_ = 0;
  Bits needs_, kills_, live_out_;  // per block `words_` words, a bit for each of carried_
  int param_registers_ = 0;
};

// The lowest free slot for each interval, in the order in which they begin.
void Assign(const std::vector<Interval>& intervals, Allocation& allocation) {
  std::vector<int> order;
  for (std::size_t reg = 0; reg < intervals.size(); ++reg) {
    int& count = allocation.slot_counts[allocation.classes[reg]];
    count = std::max(count, 1);  // registers that are never used are in slot 0
    if (intervals[reg].begin >= 0) order.push_back(static_cast<int>(reg));
  }
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
    return intervals[static_cast<std::size_t>(a)].begin < intervals[static_cast<std::size_t>(b)].begin;
  });
  using Busy = std::pair<int, int>;  // until, slot
  std::array<std::priority_queue<Busy, std::vector<Busy>, std::greater<>>, 5> busy;
  std::array<std::priority_queue<int, std::vector<int>, std::greater<>>, 5> free;
  std::array<int, 5> used{};
  for (const int reg : order) {
    const Interval& interval = intervals[static_cast<std::size_t>(reg)];
    const Allocation::Class bits = allocation.classes[static_cast<std::size_t>(reg)];
    while (!busy[bits].empty() && busy[bits].top().first < interval.begin) {
      free[bits].push(busy[bits].top().second);
      busy[bits].pop();
    }
    int slot = used[bits];
    if (free[bits].empty()) {
      ++used[bits];
    } else {
      slot = free[bits].top();
      free[bits].pop();
    }
    allocation.slots[static_cast<std::size_t>(reg)] = slot;
    allocation.slot_counts[bits] = std::max(allocation.slot_counts[bits], used[bits]);
    busy[bits].push({interval.end, slot});
  }
}

}  // namespace

Allocation AllocateRegisters(const Function& function) {
  Allocation allocation;
  for (const Register& reg : function.registers) allocation.classes.push_back(ClassOf(reg.type));
  allocation.slots.resize(function.registers.size(), 0);
  const std::vector<Block> blocks = ControlFlow(function);
  Assign(Liveness(function, blocks).Run(), allocation);
  return allocation;
}

}  // namespace emu::ptx
