// The shared memory of a CTA of a skinny kernel. Read by host code too: sizeof is what the launch asks for.
#pragma once

#include "hopper/shared.cuh"
#include "hopper/skinny/config.cuh"

namespace gemm::hopper::skinny {

// Boxes start on multiples of 1024, where the 128-byte swizzle begins anew.
//   wide, narrow  one stage each: kBoxes boxes of 64 k, as wgmma reads them (operand_layout.cuh)
//   sums          of other CTAs of the cluster for columns that this one stores (reduction.cuh)
//   staged        columns on their way to D (epilogue.cuh)
//   full          a stage's bytes have come. 1 arrival (the producer) and the bytes
//   empty         the stage is read. 1 arrival of each consumer warp
//   received      the sums have come. 1 arrival and the bytes
//   read          what this CTA has sent was read. 1 arrival of each consumer warp of each CTA that stores columns
//   released      the kernel's predecessor in the stream has finished. 1 arrival (a consumer's thread)
template <class C>
struct alignas(1024) Shared {
  unsigned char wide[C::kStages][C::kBoxes][C::kWideBoxBytes];
  unsigned char narrow[C::kStages][C::kBoxes][C::kNarrowBoxBytes];
  alignas(16) float sums[C::kReceivedFloats];
  alignas(16) unsigned char staged[C::kStagedBytes];
  BarrierWord full[C::kStages];
  BarrierWord empty[C::kStages];
  BarrierWord received;
  BarrierWord read;
  BarrierWord released;
};

}  // namespace gemm::hopper::skinny
