// Which products' D leaves as whole sectors of the L2 (sector_store.cuh): the host's side.
#pragma once

#include <cstdint>

#include "common/base/data_type.h"
#include "common/dispatch/kernel.h"
#include "common/problem/problem.h"
#include "hopper/config.cuh"
#include "hopper/schedule.h"

namespace gemm::hopper {

// Whether D's rows start at odd and at even multiples of 16 bytes by turns, so that every second one begins and ends within a sector.
inline bool HasHalfSectors(const problem::Normalized& problem) {
  constexpr std::int64_t kUnit = 16;
  const std::int64_t row_bytes = problem.d.row_stride * base::ElementBytes(problem.output_type);
  return problem.m > 1 && problem.d.alignment >= kUnit && row_bytes % kUnit == 0 &&
         row_bytes % (2 * kUnit) != 0;
}

// Whether the row stores such a D as whole sectors. `several_tiles`: some CTA computes more than one.
inline bool StoresSectors(const dispatch::KernelRow& row, const problem::Normalized& problem,
                          bool several_tiles) {
  const Schedule schedule = ScheduleOf(row);
  return HasHalfSectors(problem) && HasSectorStore(schedule, row.tile.n) &&
         (several_tiles || schedule == Schedule::kPingpong) && !IsTransposed(row) &&
         problem.output_type != DataType::kFP32 && problem.n % 8 == 0;
}

}  // namespace gemm::hopper
