// The host side of the kernels of ring.inc.
#pragma once

#include "common/dispatch/kernel.h"
#include "common/simt/config.h"

namespace gemm::simt {

// KernelRow::variant of the rows of ring.inc: a shape, and kSplit beside it where K is split.
enum RingVariant : int { kHuge, kSquare, kTall, kWide, kLow, kSplit = 16 };

#define RING_SHAPE(shape, ...) using shape = RingShape<__VA_ARGS__>;
#define RING_KERNEL(...)
#include "common/simt/ring.inc"
#undef RING_SHAPE
#undef RING_KERNEL

extern const dispatch::KernelFamily kRingFamily;

}  // namespace gemm::simt
