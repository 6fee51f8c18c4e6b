// In boxes of how many rows an operand is loaded: the host's side of boxes.cuh.
#pragma once

#include <cstdint>

#include "common/problem/problem.h"
#include "hopper/config.cuh"

namespace gemm::hopper {

struct Boxes {
  std::int64_t whole;  // rows of a whole box; 0 where there is none
  std::int64_t tail;   // rows of the box that ends at a K-major operand's last row; 0 where that is a whole one
};

// Of an operand with `extent` rows (M of A, N of B), whose tiles have `tile` rows.
inline Boxes BoxesOf(problem::Major major, std::int64_t extent, std::int64_t tile) {
  if (major == problem::Major::kMN) return {kMnBox, 0};
  return {extent < tile ? 0 : tile, extent % tile};
}

}  // namespace gemm::hopper
