#include "ampere/reject.h"

#include <algorithm>
#include <climits>
#include <cstdint>

#include "ampere/config.h"
#include "ampere/k_parts.h"
#include "ampere/row.h"
#include "common/base/data_type.h"
#include "common/base/math.h"
#include "common/base/status.h"

namespace gemm::ampere {
namespace {

// The kernels count K in int, and some run up to kStages tiles past its end.
constexpr std::int64_t kMaxK = INT_MAX - 4096;

// Copy::kAligned counts the bytes from a tile's first row to any other (up to 255, and 512 bytes along the row) in 32 bits.
constexpr std::int64_t kMaxAlignedLdBytes = (1 << 24) - 128;

const char* MajorName(problem::Major major) { return major == problem::Major::kK ? "K" : "MN"; }

}  // namespace

std::optional<std::string> RejectKernel(const dispatch::KernelRow& row, const problem::Normalized& p,
                                        const dispatch::Device& device, ComputeType compute) {
  if (p.compute != compute)
    return base::Concat("the compute type is ", Name(p.compute), ", not ", Name(compute));
  if (p.input_type != row.input_type) {
    return base::Concat("A and B are ", Name(p.input_type), ", not ", Name(row.input_type));
  }
  if (row.shared_bytes > device.max_shared_bytes_per_block) {
    return base::Concat("it needs ", row.shared_bytes, " bytes of shared memory, the device has ",
                        device.max_shared_bytes_per_block);
  }
  return std::nullopt;
}

std::optional<std::string> Reject(const dispatch::KernelRow& row, const problem::Normalized& p,
                                  const dispatch::Device& device) {
  const ComputeType compute = Rounds(row) ? ComputeType::kTF32 : ComputeType::kTensor;
  if (auto why = RejectKernel(row, p, device, compute)) return why;
  if (p.a.major != row.a_major || p.b.major != row.b_major) {
    return base::Concat("A is ", MajorName(p.a.major), "-major and B ", MajorName(p.b.major), "-major, not ",
                        MajorName(row.a_major), " and ", MajorName(row.b_major));
  }
  if (CopyOf(row) == Copy::kAligned) {
    const int alignment = std::min(p.a.alignment, p.b.alignment);
    if (alignment < 16) {
      return base::Concat(p.a.alignment < 16 ? "A" : "B", " is aligned to ", alignment, " bytes, not 16");
    }
    const std::int64_t ld = std::max(p.a.ld, p.b.ld);
    const std::int64_t most = kMaxAlignedLdBytes / base::ElementBytes(p.input_type);
    if (ld > most) return base::Concat("a leading dimension, ", ld, ", is above ", most);
  }
  if (p.k > kMaxK) return base::Concat("K = ", p.k, " is above ", kMaxK);
  if (TilesPerMatrix(row, p) > INT_MAX) return std::string("a matrix has more than 2^31 - 1 tiles");
  std::int64_t tiles = 0;
  if (!base::CheckedMultiply(TilesPerMatrix(row, p), p.batch, &tiles) || tiles > kMaxGridX * kMaxGridY) {
    return base::Concat("the batch has more than ", kMaxGridX * kMaxGridY, " tiles");
  }
  if (IsSplit(row) && p.batch_invariant) return std::string("where it splits K depends on M");
  if (PartsOf(row, p, device) == 0) {
    return std::string(
        SplitsRest(row)
            ? "no round of tiles is full, or the last one is more than half, or K is too short to be split"
            : "K is too short to be split, or the tiles are many");
  }
  return std::nullopt;
}

}  // namespace gemm::ampere
