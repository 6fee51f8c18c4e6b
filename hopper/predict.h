// Predicted times of the tiled kernels.
//
// A kernel's time is the launch plus about the longest of
// - cycles: what the busiest SM does one after the other, at the highest clock: K steps (each the longest of its wgmma, the
//   operands' way into the SM, and a load's latency over the ring's depth), and the part of epilogues that nothing hides.
//   The way into the SM is its own part, and the L2's, which serves all SMs that are at work;
// - power: at the power limit the clock falls, and the energy of an operation with it. With E the time that the energy would take at
//   the highest clock's voltage, it is cycles^(1 - x) E^x. Energy is of FLOP, of bytes from memory, from the L2 and into the SMs,
//   and of the cycles themselves;
// - memory: each matrix once, and longer by what is asked of the L2 at the same time;
// and for schedules that split K what follows the last K step, which no memory traffic hides: the exchange of partial sums and the
// epilogue. What is asked of the L2 counts once for the CTAs of a cluster (multicast) and of a GPC that read it together (raster.h).
#pragma once

#include "common/dispatch/kernel.h"
#include "common/problem/problem.h"
#include "hopper/cost.h"
#include "hopper/raster.h"
#include "hopper/share.h"

namespace gemm::hopper {

// Microseconds, launch included, without the correction (correction.h). `computed` is AsComputed's problem; raster and share are of it.
double PredictUs(const CostConstants& cost, const dispatch::KernelRow& row, const problem::Normalized& computed,
                 const dispatch::Device& device, const Raster& raster, const Share& share);

}  // namespace gemm::hopper
