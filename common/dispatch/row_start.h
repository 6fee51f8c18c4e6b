// What it costs that rows of an operand start at no multiple of 128 bytes, of which the copy engine, or a request of a warp, asks for
// as many.
#pragma once

#include <cstdint>

namespace gemm::dispatch {

// Of 128 bytes of a row, if the operand's address is a multiple of 128: `one_line` where they are a line of the L2;
// `two_lines` of two lines and four sectors of 32 bytes; `five_sectors` where the row starts at an odd multiple of 16.
inline double ByRowStart(std::int64_t ld_bytes, double one_line, double two_lines, double five_sectors) {
  if (ld_bytes % 128 == 0) return one_line;
  return ld_bytes % 32 == 0 ? two_lines : five_sectors;
}

}  // namespace gemm::dispatch
