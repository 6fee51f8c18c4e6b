// Whether the sums that one CTA adds up have room in its ring. ring_sums.cuh says how they lie there.
#pragma once

#include <cstdint>

#include "common/base/math.h"
#include "common/dispatch/kernel.h"
#include "hopper/schedule.h"

namespace gemm::hopper {

// Of a tile whose K is cut into `parts`: the other parts' sums of the rows of as many warps as one CTA stores.
inline bool SumsFitRing(const dispatch::KernelRow& row, std::int64_t parts) {
  const std::int64_t warps = ConsumerWarps(row);
  const std::int64_t warp_bytes = 4 * std::int64_t{row.tile.m} * row.tile.n / warps;
  return base::CeilDiv(warps, parts) * (parts - 1) * warp_bytes <= RingBytes(row);
}

}  // namespace gemm::hopper
