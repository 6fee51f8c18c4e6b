// Copies of operands in workspace, whose rows TMA can address: the host's side of pack.cu.
#pragma once

#include <cstddef>
#include <cstdint>

#include "common/base/status.h"
#include "common/dispatch/device.h"
#include "common/driver/driver.h"
#include "hopper/pack.h"

namespace gemm::hopper {

inline constexpr std::int64_t kCopyElementBytes = 2;
inline constexpr std::int64_t kGridLimit = 65535;  // CTAs of a grid along y or z

// One operand's copy.
struct Copy {
  PackOperand operand = {};  // all but the addresses; blocks is 0 where the operand stays where it is
  std::size_t bytes = 0;     // of workspace
  double moved_bytes = 0;    // read and written
};

// Of `matrices` matrices of `rows` rows of `elements`, which lie `ld` and `stride` elements apart. False where it would be too large.
bool MakeCopy(std::int64_t rows, std::int64_t elements, std::int64_t ld, std::int64_t stride,
              std::int64_t matrices, Copy* copy);

// What it takes to move so many bytes.
double CopyUs(double bytes, const dispatch::Device& device);

// Of pack.cu's kernel.
driver::LaunchShape CopyShape(const PackParams& params, bool programmatic);
Status FindCopyKernel(driver::Kernel* kernel);

}  // namespace gemm::hopper
