// Numbers for instructions, small enough to be kept with every word of shared memory.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <unordered_map>
#include <vector>

#include "tools/emulator/exec/op.h"

namespace emu {

class Sites {
 public:
  // 0, which is no instruction, when there are too many.
  std::uint16_t Of(const Op& op) {
    auto& [cached, number] = cache_[reinterpret_cast<std::uintptr_t>(&op) / alignof(Op) % cache_.size()];
    if (cached == &op) return number;
    cached = &op;
    return number = Find(&op);
  }
  const Op* At(std::uint16_t site) const { return ops_[site]; }

 private:
  std::uint16_t Find(const Op* op) {
    if (const auto found = numbers_.find(op); found != numbers_.end()) return found->second;
    if (ops_.size() > std::numeric_limits<std::uint16_t>::max()) return 0;
    ops_.push_back(op);
    return numbers_[op] = static_cast<std::uint16_t>(ops_.size() - 1);
  }

  std::array<std::pair<const Op*, std::uint16_t>, 251> cache_{};  // a prime: ops lie at equal distances
  std::unordered_map<const Op*, std::uint16_t> numbers_;
  std::vector<const Op*> ops_{nullptr};
};

}  // namespace emu
