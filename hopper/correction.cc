#include "hopper/correction.h"

#include <algorithm>
#include <cmath>

#include "common/dispatch/forest.h"

namespace gemm::hopper {
namespace {

#include "hopper/forest.inc"

constexpr dispatch::Forest kForest = {kNodes, kRoots, std::size(kRoots), kUnits, kLeafUnit};
static_assert(std::size(kUnits) == feature::kCount, "the forest has other features than features.h");

}  // namespace

double Corrected(double us, const Features& features) {
  const double part = std::log2(kUncorrectedUs / us) / std::log2(kUncorrectedUs / kWhollyCorrectedUs);
  if (part <= 0) return us;
  const double log =
      std::clamp<double>(dispatch::Evaluate(kForest, features.data()), -kMostCorrection, kMostCorrection);
  return us * std::exp(std::min(part, 1.0) * log);
}

}  // namespace gemm::hopper
