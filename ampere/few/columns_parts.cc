#include "ampere/few/columns_parts.h"

#include <algorithm>

#include "ampere/few/columns.h"
#include "ampere/few/columns_predict.h"
#include "ampere/few/slices.h"
#include "common/base/math.h"
#include "common/dispatch/cost.h"

namespace gemm::ampere::few {

using dispatch::Device;
using dispatch::KernelRow;
using problem::Normalized;

int ColumnsOf(const KernelRow& row, const Normalized& p) {
  return ColumnsOfCta(row.tile.n, WideInput(p).alignment >= kPieceBytes);
}

std::int64_t ColumnTiles(const KernelRow& row, const Normalized& p) {
  return base::CeilDiv<std::int64_t>(WideRows(p), ColumnsOf(row, p));
}

std::int64_t StepsOf(const Normalized& p) { return base::CeilDiv<std::int64_t>(p.k, kStepK); }

int ColumnPartsOf(const KernelRow& row, const Normalized& p, const Device& device) {
  if (!SplitsK(row)) return 1;
  const auto us = [&](int parts) { return PredictColumnsUs(row, p, device, parts); };
  const int parts = dispatch::CheapestParts(std::min(StepsOf(p), kMostParts), us);
  return parts > 0 && us(parts) < us(1) ? parts : 1;
}

}  // namespace gemm::ampere::few
