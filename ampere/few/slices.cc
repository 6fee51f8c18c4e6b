#include "ampere/few/slices.h"

#include <algorithm>
#include <numeric>

#include "ampere/few/config.h"
#include "common/base/math.h"

namespace gemm::ampere::few {

using dispatch::Device;
using dispatch::KernelRow;
using problem::Normalized;

namespace {

int Warps(const KernelRow& row) { return row.threads / kWarpThreads; }

}  // namespace

bool IsGemv(const KernelRow& row) { return row.tile.m == 1; }
bool StartsAnywhere(const KernelRow& row) { return (row.variant & kStartsAnywhere) != 0; }
bool SplitsK(const KernelRow& row) { return (row.variant & kSplitsK) != 0; }
bool WideIsB(const Normalized& p) { return p.n >= p.m; }
std::int64_t WideRows(const Normalized& p) { return std::max(p.m, p.n); }
std::int64_t FewRows(const Normalized& p) { return std::min(p.m, p.n); }
const problem::Input& WideInput(const Normalized& p) { return WideIsB(p) ? p.b : p.a; }
const problem::Input& FewInput(const Normalized& p) { return WideIsB(p) ? p.a : p.b; }

int Period(const KernelRow& row, const Normalized& p) {
  if (!StartsAnywhere(row)) return 1;
  const int starts_at = StartsAt(row.tile.m);
  return starts_at / static_cast<int>(std::gcd<std::int64_t>(WideInput(p).ld, starts_at));
}

std::int64_t RowsOfCta(const KernelRow& row, int bits) { return (Warps(row) >> bits) * row.tile.n; }

std::int64_t CtasOfMatrix(const KernelRow& row, const Normalized& p, int bits) {
  const std::int64_t period = Period(row, p);
  return base::CeilDiv<std::int64_t>(WideRows(p), RowsOfCta(row, bits) * period) * period;
}

std::int64_t Ctas(const KernelRow& row, const Normalized& p, int bits) {
  return CtasOfMatrix(row, p, bits) * p.batch;
}

std::int64_t CtasAtOnce(const KernelRow& row, const Device& device) {
  constexpr int kSystemBytes = 1024;  // of shared memory, of each CTA
  // Of an SM: CUDA C++ Programming Guide, technical specifications per compute capability.
  const int cc = device.compute_capability();
  const int threads = cc == 80 || cc == 90 || cc == 100 || cc == 103 ? 2048 : 1536;
  const std::int64_t by_shared = device.max_shared_bytes_per_block / (row.shared_bytes + kSystemBytes);
  const std::int64_t most = std::min(row.variant & kVariantCtas, threads / row.threads);
  return std::max(device.sm_count, 1) * std::clamp<std::int64_t>(by_shared, 1, most);
}

std::int64_t Turns(const KernelRow& row, const Normalized& p, int bits) {
  return base::CeilDiv<std::int64_t>(base::CeilDiv<std::int64_t>(p.k, row.tile.k), std::int64_t{1} << bits);
}

double Used(const KernelRow& row, const Normalized& p, int bits) {
  return static_cast<double>(p.k) / static_cast<double>((Turns(row, p, bits) * row.tile.k) << bits);
}

int SliceBits(const KernelRow& row, const Normalized& p, const Device& device) {
  int bits = 0;
  const auto can_double = [&] { return 2 << bits <= Warps(row); };
  if (!IsGemv(row)) {
    while (can_double()) ++bits;
    return bits;
  }
  constexpr double kLeastUsed = 0.85;
  while (can_double() && p.k >= 2 * kWarpK << (bits + 1)) ++bits;
  if (bits > 0 && Used(row, p, bits) < kLeastUsed) --bits;
  while (can_double() && Turns(row, p, bits) > 1 && Ctas(row, p, bits + 1) <= CtasAtOnce(row, device)) ++bits;
  return bits;
}

}  // namespace gemm::ampere::few
