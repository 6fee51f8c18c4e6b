#include "ampere/few/columns_parts.h"

#include <algorithm>

#include "ampere/few/columns.h"
#include "ampere/few/columns_predict.h"
#include "ampere/few/slices.h"
#include "common/base/math.h"

namespace gemm::ampere::few {

using dispatch::Device;
using dispatch::KernelRow;
using problem::Normalized;

int ColumnsOf(const KernelRow& row, const Normalized& p) {
  return ColumnsOfCta(row.tile.n, WideInput(p).alignment >= kPieceBytes);
}

std::int64_t ColumnTiles(const KernelRow& row, const Normalized& p) {
  return base::CeilDiv<std::int64_t>(WideRows(p), ColumnsOf(row, p)) * p.batch;
}

std::int64_t StepsOf(const Normalized& p) { return base::CeilDiv<std::int64_t>(p.k, kStepK); }

int ColumnPartsOf(const KernelRow& row, const Normalized& p, const Device& device) {
  const std::int64_t most = std::min(StepsOf(p), kMostParts);
  int best = 1;
  double best_us = PredictColumnsUs(row, p, device, best);
  for (int parts = 2; parts <= most; ++parts) {
    const double us = PredictColumnsUs(row, p, device, parts);
    if (us >= best_us) continue;
    best = parts;
    best_us = us;
  }
  return best;
}

}  // namespace gemm::ampere::few
