// At multiples of what the rows of an operand start, if its address is a multiple of 128 bytes. 128 bytes of a row are what the
// copy engine asks for at a time.
#pragma once

#include <cstdint>

namespace gemm::hopper {

enum class RowStart {
  kLine,        // 128 bytes: one line of the L2, four sectors
  kSector,      // 32 bytes: two lines, four sectors
  kHalfSector,  // 16 bytes: two lines, five sectors
};

inline RowStart RowStartOf(std::int64_t ld_bytes) {
  if (ld_bytes % 128 == 0) return RowStart::kLine;
  return ld_bytes % 32 == 0 ? RowStart::kSector : RowStart::kHalfSector;
}

}  // namespace gemm::hopper
