// One conversion of PTX ISA, "cvt", in integers and exactly: what every faster way must equal.
#pragma once

#include <cstdint>

#include "tools/emulator/alu/format.h"
#include "tools/emulator/exec/op.h"
#include "tools/emulator/ptx/module.h"

namespace emu::alu {

// One side of a conversion.
struct Side {
  const Format* format = nullptr;  // null for integers and ue8m0
  bool is_signed = false;          // of integers
  bool scale = false;              // ue8m0: 2^(bits - 127), 255 for NaN
  int bits = 0;
};

// Of a scalar type, or of the elements of a packed one; bits is 0 for types that cvt does not have.
Side SideOf(ptx::Type type);

struct Conversion {
  Side from, to;
  Rounding rounding = Rounding::kNearest;
  bool to_integer = false;  // .rni ...: to an integral value
  bool flush = false;       // .ftz: subnormal singles that come in or out
  bool saturate = false;    // .sat
  bool finite = false;      // .satfinite
  bool relu = false;
  std::uint64_t nan = 0;  // an integer's value for NaN
};

// The low `from.bits` of `raw` converted. Signed integers are extended to 64 bits, the others are zero above `to.bits`.
std::uint64_t Convert(const Conversion& conversion, std::uint64_t raw);

}  // namespace emu::alu
