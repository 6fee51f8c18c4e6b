// The shared memory of a CTA of a skinny kernel. Read by host code too: sizeof is what the launch asks for.
#pragma once

#include "hopper/shared.cuh"
#include "hopper/skinny/config.cuh"

namespace gemm::hopper::skinny {

// Boxes start on multiples of 1024, where the 128-byte swizzle begins anew.
//   wide, narrow  one stage each: kBoxes boxes of 64 k, as wgmma reads them (operand_layout.cuh)
//   partials      the reduction's (reduction.cuh)
//   full          a stage's bytes have come. 1 arrival (the producer) and the bytes
//   empty         the stage is read. 1 arrival of each warp that reads it, of each CTA that shares the narrow operand
//   received      partial sums have come from the CTAs that share the tile. 1 arrival and the bytes
//   read          what this CTA has sent was received and read. 1 arrival of each consumer warp of those CTAs
template <class C>
struct alignas(1024) Shared {
  unsigned char wide[C::kStages][C::kBoxes][C::kWideBoxBytes];
  unsigned char narrow[C::kStages][C::kBoxes][C::kNarrowBoxBytes];
  float partials[2][C::kPartialFloats];
  BarrierWord full[C::kStages];
  BarrierWord empty[C::kStages];
  BarrierWord received;
  BarrierWord read;
};

}  // namespace gemm::hopper::skinny
