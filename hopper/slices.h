// Which rows of an operand's tile are loaded, in boxes of how many: the host's side of producer.cuh.
#pragma once

#include <algorithm>
#include <cstdint>

#include "common/base/math.h"
#include "common/problem/problem.h"

namespace gemm::hopper {

inline constexpr std::int64_t kMnBox = 64;  // rows of a box of an MN-major operand

struct Slices {
  std::int64_t box;     // rows of a box
  std::int64_t loaded;  // rows of a tile that boxes bring, counted from its first
};

// Of an operand with `extent` rows (M of A, N of B), whose tiles of `tile` rows `cluster` CTAs load together.
inline Slices SlicesOf(problem::Major major, std::int64_t extent, std::int64_t tile, std::int64_t cluster) {
  const std::int64_t box =
      major == problem::Major::kMN ? kMnBox : std::min(tile / cluster, std::max<std::int64_t>(extent, 1));
  return {box, extent < tile ? base::CeilDiv(extent, box) * box : tile};
}

}  // namespace gemm::hopper
