// How wgmma finds an operand of a stage.
#pragma once

#include <cuda/std/cstdint>

#include "common/device/ptx/mbarrier.cuh"
#include "common/device/ptx/wgmma.cuh"

namespace gemm::hopper {

// Where the operands of one stage lie, as wgmma wants to know it (PTX ISA, "Shared Memory Matrix Layout",
// 128-byte swizzle; the core matrix is 8 rows of 16 bytes, the swizzle atom 8 rows of 128 bytes = 1024 bytes):
//   K-major   an atom is 8 rows (m or n) of 64 k. Stride offset: from 8 rows to the next, 1024. Leading offset:
//   unused,
//             since 16 k lie within one atom. 16 k further: 32 bytes.
//   MN-major  an atom is 8 k of 64 m or n. Stride offset: from 8 k to the next, 1024. Leading offset: from 64 m
//   or n to
//             the next, one box of 64 x 64 = 8192. 16 k further: two atoms, 2048 bytes.
// 64 rows of A further are 8192 bytes in both.
template <bool Transposed>
struct OperandLayout {
  static constexpr unsigned kLeadingBytes = Transposed ? 8192 : 16;
  static constexpr unsigned kStrideBytes = 1024;
  static constexpr unsigned kBytesPerK16 = Transposed ? 2048 : 32;
  static constexpr unsigned kBytesPerRows64 = 8192;

  static __device__ __forceinline__ cuda::std::uint64_t Descriptor(const void* shared) {
    return device::ptx::WgmmaDescriptor(device::ptx::SharedAddress(shared), kLeadingBytes, kStrideBytes);
  }
};

}  // namespace gemm::hopper
