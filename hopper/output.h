// What the copy engine can do with D: the host's side.
#pragma once

#include <cstdint>

#include "common/base/data_type.h"
#include "common/dispatch/kernel.h"
#include "common/problem/problem.h"
#include "hopper/config.cuh"
#include "hopper/schedule.h"

namespace gemm::hopper {

inline constexpr std::int64_t kStrideLimit = std::int64_t{1} << 40;  // bytes between rows or matrices

// What the copy engine can address.
inline bool IsAddressable(std::int32_t alignment, std::int64_t row_bytes, std::int64_t batch_bytes) {
  return alignment >= 16 && row_bytes < kStrideLimit && batch_bytes < kStrideLimit;
}

inline bool TmaTakesOutput(const problem::Output& output, DataType type) {
  const std::int64_t bytes = base::ElementBytes(type);
  return IsAddressable(output.alignment, output.row_stride * bytes, output.batch_stride * bytes);
}

// Params::transposed: whether the kernel's rows, D's columns, can be stored 16 bytes at a time.
inline bool InUnits(const problem::Normalized& computed) {
  return TmaTakesOutput(computed.d, computed.output_type) &&
         computed.m * base::ElementBytes(computed.output_type) % 16 == 0;
}

// Whether the row's kernel stores D's transpose in panels (transposed_store.cuh).
inline bool StoresPanels(const dispatch::KernelRow& row, const problem::Normalized& computed) {
  return IsTransposed(row) && OwnsTiles(ScheduleOf(row)) && computed.output_type != DataType::kFP32 &&
         InUnits(computed);
}

// Whether C comes in such panels (panels_of_c.cuh).
inline bool ReadsPanels(const dispatch::KernelRow& row, const problem::Normalized& computed) {
  return StoresPanels(row, computed) && TmaTakesOutput(computed.c, computed.output_type);
}

}  // namespace gemm::hopper
