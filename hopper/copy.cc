#include "hopper/copy.h"

#include <algorithm>

#include "common/base/math.h"
#include "hopper/hopper_pack.h"
#include "hopper/launch.h"
#include "hopper/output.h"

namespace gemm::hopper {
namespace {

// Rows of a copy start at multiples of this many elements: whole lines of 128 bytes.
constexpr std::int64_t kRowElements = 64;
constexpr std::size_t kWorkspaceAlignment = 256;

// The part of Device::memory_bandwidth_gbs that copying reaches, reads and writes together: 3.99 TB/s of 4.81 on
// one H200, 2026-11-20.
constexpr double kCopyEfficiency = 0.83;

}  // namespace

bool MakeCopy(std::int64_t rows, std::int64_t elements, std::int64_t ld, std::int64_t stride,
              std::int64_t matrices, Copy* copy) {
  const std::int64_t to_ld = base::RoundUp(elements, kRowElements);
  std::int64_t to_stride = 0;
  std::int64_t bytes = 0;
  if (!base::CheckedMultiply(rows, to_ld, &to_stride) || !base::CheckedMultiply(to_stride, matrices, &bytes) ||
      !base::CheckedMultiply(bytes, kCopyElementBytes, &bytes) || bytes >= kStrideLimit) {
    return false;
  }
  PackOperand& operand = copy->operand;
  operand.from_ld = ld;
  operand.from_batch_stride = stride;
  operand.to_ld = to_ld;
  operand.to_batch_stride = to_stride;
  operand.rows = rows;
  operand.row_elements = static_cast<int>(elements);
  operand.row_vectors = static_cast<unsigned>(base::CeilDiv<std::int64_t>(elements, kPackVectorElements));
  operand.blocks = static_cast<unsigned>(
      base::CeilDiv<std::int64_t>(rows * operand.row_vectors, kPackThreads * kPackVectors));
  operand.batch = matrices;
  copy->bytes = base::RoundUp(static_cast<std::size_t>(bytes), kWorkspaceAlignment);
  copy->moved_bytes = 2.0 * kCopyElementBytes * static_cast<double>(rows) * static_cast<double>(elements) *
                      static_cast<double>(matrices);
  return true;
}

double CopyUs(double bytes, const dispatch::Device& device) {
  return bytes / (std::max(device.memory_bandwidth_gbs, 1.0) * kCopyEfficiency) * 1e-3;
}

driver::LaunchShape CopyShape(const PackParams& params, bool programmatic) {
  driver::LaunchShape shape;
  shape.grid[0] = params.a.blocks + params.b.blocks;
  shape.grid[1] =
      static_cast<unsigned>(std::clamp<std::int64_t>(std::max(params.a.batch, params.b.batch), 1, kGridLimit));
  shape.block[0] = kPackThreads;
  shape.programmatic = programmatic;
  return shape;
}

Status FindCopyKernel(driver::Kernel* kernel) {
  return FindHelper(images::hopper_pack, "pack", "hopper_pack_16bit", kernel);
}

}  // namespace gemm::hopper
