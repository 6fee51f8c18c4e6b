#include "ampere/k_parts.h"

#include <algorithm>
#include <cstdint>

#include "ampere/predict.h"
#include "ampere/row.h"
#include "common/base/math.h"
#include "common/dispatch/cost.h"

namespace gemm::ampere {
namespace {

using dispatch::Device;
using dispatch::KernelRow;
using problem::Normalized;

// The most parts that the tiles which do not fill a round can be cut into: all parts are to run at a time. (784 parts, whose sums do
// not fit the L2, made 5120^3 an eighth slower, 2026-11-22.)
std::int64_t MostPartsOfRest(const KernelRow& row, const Normalized& p, const Device& device) {
  constexpr std::int64_t kMostTiles = 1 << 20;  // where they are more, nobody will notice the last round
  const std::int64_t tiles = TilesPerMatrix(row, p);
  if (tiles > kMostTiles || p.batch > kMostTiles / std::max<std::int64_t>(tiles, 1)) return 0;
  const std::int64_t rest = SplitTiles(row, p, device);
  if (rest == 0 || rest == tiles * p.batch) return 0;
  return std::min<std::int64_t>(base::CeilDiv<std::int64_t>(p.k, row.tile.k),
                                std::max(device.sm_count, 1) / rest);
}

// The most parts that all tiles can be cut into.
std::int64_t MostPartsOfAll(const KernelRow& row, const Normalized& p, const Device& device) {
  constexpr std::int64_t kMostRounds = 4;  // of resident CTAs: with more there is nothing to gain
  const std::int64_t tiles = std::max<std::int64_t>(TilesPerMatrix(row, p), 1);
  const std::int64_t ctas = kMostRounds * CtasAtOnce(row, device);
  if (tiles > ctas || p.batch > ctas / tiles) return 0;
  return std::min<std::int64_t>(base::CeilDiv<std::int64_t>(p.k, row.tile.k), ctas / (tiles * p.batch));
}

}  // namespace

int PartsOf(const KernelRow& row, const Normalized& p, const Device& device) {
  if (!IsSplit(row)) return 1;
  constexpr std::int64_t kMostParts = 32;
  const std::int64_t most =
      std::min(kMostParts, SplitsRest(row) ? MostPartsOfRest(row, p, device) : MostPartsOfAll(row, p, device));
  return dispatch::CheapestParts(most, [&](int parts) { return PredictPartsUs(row, p, device, parts); });
}

}  // namespace gemm::ampere
