// Which of an image's codes a device can run, best first. A pure function, apart from the driver so that it is
// tested without one.
#pragma once

#include <cstddef>
#include <vector>

#include "common/driver/image.h"

namespace gemm::driver {

// Indices into image.codes of the codes of `source` that may run on compute capability `major`.`minor`, in the order in
// which they are to be tried:
//   1. cubins made for exactly this architecture, those with its special instructions (sm_90a) first;
//   2. cubins of the same major version and a lower minor one, newest first. sm_XYa runs on X.Y only; sm_XYf on the
//      family of X.Y, which are minor versions from Y of the same major one;
//   3. PTX of this or a lower version by the same rules, except that PTX without a letter serves every later version.
// A target that cannot be read is left out. May throw std::bad_alloc.
// Source: CUDA C++ Programming Guide, "Binary compatibility" and "PTX compatibility", and "Family-specific features".
std::vector<std::size_t> CodesToTry(const Image& image, const char* source, int major, int minor);

// The compute capability of the code's target, 10 * major + minor; 0 for a target that cannot be read.
int CompiledFor(const Code& code);

}  // namespace gemm::driver
