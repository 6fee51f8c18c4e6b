// Matrices of wgmma in shared memory (PTX ISA, "Shared Memory Matrix Layout", "Matrix Descriptor Format", "Strides",
// "Canonical Layouts").
//
// Everything is in granules of 16 bytes. A K-major matrix has, for each row (of A) or column (of B), granules along k; an
// MN-major one has, for each k, granules along m or n.
#pragma once

#include <cstdint>

namespace emu {

constexpr int kGranule = 16;

struct MatrixDescriptor {
  std::uint32_t start = 0, leading = 0, stride = 0;  // bytes; start is relative to the CTA's shared memory
  std::uint32_t base_offset = 0;                     // 0..7: (address of the swizzle pattern's start >> 7) & 7
  std::uint32_t swizzle = 0;                         // bytes of a swizzled line: 32, 64 or 128; 0 without
};

// Bits: 0-13 start, 16-29 leading, 32-45 stride, each without its lowest 4 bits; 49-51 base offset; 62-63 mode.
MatrixDescriptor DecodeDescriptor(std::uint64_t bits);

// Offset in shared memory of granule `along` (of k) of row or column `mn`. An instruction has two granules along k.
std::uint32_t KMajorGranule(const MatrixDescriptor& matrix, std::uint32_t mn, std::uint32_t along);

// Offset in shared memory of granule `along` (of m or n) at `k`.
std::uint32_t MnMajorGranule(const MatrixDescriptor& matrix, std::uint32_t along, std::uint32_t k);

}  // namespace emu
