// The host side of the kernels of ring.inc.
#pragma once

#include <cstddef>
#include <memory>

#include "common/dispatch/kernel.h"
#include "common/problem/problem.h"
#include "common/simt/config.h"

namespace gemm::simt {

// KernelRow::variant of the rows of ring.inc: a shape, and kSplit beside it where K is split.
enum RingVariant : int { kSquare, kWide, kSlicedSquare, kSlicedTall, kSlicedWide, kSlicedLow, kSplit = 16 };

#define RING_SHAPE(shape, ...) using shape = RingShape<__VA_ARGS__>;
#define RING_KERNEL(...)
#include "common/simt/ring.inc"
#undef RING_SHAPE
#undef RING_KERNEL

extern const dispatch::KernelFamily kRingFamily;

// What the family does once it has chosen the number of parts of K, for `gemm sweep`, which is told them. Of more than one,
// each has two panels or more.
std::size_t RingWorkspaceBytes(const dispatch::KernelRow& row, const problem::Normalized& problem, int parts);
Status PrepareRing(const dispatch::KernelRow& row, const problem::Normalized& problem, int parts,
                   bool programmatic, driver::Kernel kernel,
                   std::unique_ptr<const dispatch::Launcher>* launcher);

}  // namespace gemm::simt
