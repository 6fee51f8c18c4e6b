// How CTAs and warps of the kernels for few rows share a product: the longer operand's rows, and K.
#pragma once

#include <cstdint>

#include "common/dispatch/device.h"
#include "common/dispatch/kernel.h"
#include "common/problem/problem.h"

namespace gemm::ampere::few {

// One row of the shorter operand, without mma.sync.
bool IsGemv(const dispatch::KernelRow& row);
// Rows that start anywhere, K of any length.
bool StartsAnywhere(const dispatch::KernelRow& row);
// Whether CTAs share K.
bool SplitsK(const dispatch::KernelRow& row);
// Whether the longer operand is B.
bool WideIsB(const problem::Normalized& p);
std::int64_t WideRows(const problem::Normalized& p);
std::int64_t FewRows(const problem::Normalized& p);
const problem::Input& WideInput(const problem::Normalized& p);
const problem::Input& FewInput(const problem::Normalized& p);

// Rows of the longer operand after which they start alike beside what copies begin at (config.h, StartsAt); 1 where all start there.
int Period(const dispatch::KernelRow& row, const problem::Normalized& p);
// Rows of the longer operand that a CTA takes, CTAs of one matrix, and of a product, where 2^bits warps take each row.
std::int64_t RowsOfCta(const dispatch::KernelRow& row, int bits);
std::int64_t CtasOfMatrix(const dispatch::KernelRow& row, const problem::Normalized& p, int bits);
std::int64_t Ctas(const dispatch::KernelRow& row, const problem::Normalized& p, int bits);
// CTAs that the device runs at a time.
std::int64_t CtasAtOnce(const dispatch::KernelRow& row, const dispatch::Device& device);

// Pieces of K that a warp loads one after the other where 2^bits share it.
std::int64_t Turns(const dispatch::KernelRow& row, const problem::Normalized& p, int bits);
// The part of what all warps could load in those turns that there is.
double Used(const dispatch::KernelRow& row, const problem::Normalized& p, int bits);

// Log2 of the warps of a CTA that take slices of K. All do where there is mma.sync; otherwise as many as load twice (half of
// these where much of the last turn would be empty), and all that load once where CTAs are fewer than run at a time.
// (1x8192x1024 with 4 slices for 2 took 5.9 us for 5.6, 1x4096x4096 with 4 for 8 10.0 for 9.6; H200, 2026-11-23.)
int SliceBits(const dispatch::KernelRow& row, const problem::Normalized& p, const dispatch::Device& device);

}  // namespace gemm::ampere::few
