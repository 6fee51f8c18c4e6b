// In boxes of how many rows an operand is loaded: the host's side of boxes.cuh.
#pragma once

#include <cstdint>

#include "common/problem/problem.h"

namespace gemm::hopper {

inline constexpr std::int64_t kMnBox = 64;  // rows of a box of an MN-major operand

struct Slices {
  std::int64_t box;   // rows of a whole box; 0 where there is none
  std::int64_t tail;  // rows of the box that ends at a K-major operand's last row; 0 where that is a whole one
};

// Of an operand with `extent` rows (M of A, N of B), whose tiles of `tile` rows `cluster` CTAs load together.
inline Slices SlicesOf(problem::Major major, std::int64_t extent, std::int64_t tile, std::int64_t cluster) {
  if (major == problem::Major::kMN) return {kMnBox, 0};
  const std::int64_t slice = tile / cluster;
  return {extent < slice ? 0 : slice, extent % slice};
}

}  // namespace gemm::hopper
