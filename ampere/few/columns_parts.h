// How CTAs of the kernels for few rows times a matrix that lies by columns share a product.
#pragma once

#include <cstdint>

#include "common/dispatch/device.h"
#include "common/dispatch/kernel.h"
#include "common/problem/problem.h"

namespace gemm::ampere::few {

// Columns of the longer operand that a CTA computes (columns.h, ColumnsOfCta).
int ColumnsOf(const dispatch::KernelRow& row, const problem::Normalized& p);
// CTAs of one part of K and one matrix.
std::int64_t ColumnTiles(const dispatch::KernelRow& row, const problem::Normalized& p);
// Steps of K.
std::int64_t StepsOf(const problem::Normalized& p);
// Of K; a counter of arrivals counts to 255, and each costs ColumnsCost::part_us.
inline constexpr std::int64_t kMostParts = 128;
// The number of parts that is predicted to take least; 1 where K is not cut.
int ColumnPartsOf(const dispatch::KernelRow& row, const problem::Normalized& p, const dispatch::Device& device);

}  // namespace gemm::ampere::few
