#include "common/correction/correction.h"

#include <algorithm>
#include <cmath>

#include "common/dispatch/forest.h"

namespace gemm::correction {
namespace {

#include "common/correction/forest.inc"

constexpr dispatch::Forest kOfAllLaunches = {kNodes, kRoots, kTreesOfAllLaunches, kUnits, kLeafUnit};
constexpr dispatch::Forest kOfEarlyOnes = {kNodes, kRoots, std::size(kRoots), kUnits, kLeafUnit};
static_assert(std::size(kUnits) == feature::kCount, "the forest has other features than features.h");

// How much of the correction a prediction has: from 0 to 1.
double CorrectedPart(double us, const Features& features) {
  if (features[feature::kOperandLine] < 1) return 1;
  return std::clamp(std::log2(kUncorrectedUs / us) / std::log2(kUncorrectedUs / kWhollyCorrectedUs), 0.0, 1.0);
}

}  // namespace

double Corrected(double us, const Features& features) {
  const double part = CorrectedPart(us, features);
  if (part == 0) return us;
  const dispatch::Forest& forest = features[feature::kEarly] > 0 ? kOfEarlyOnes : kOfAllLaunches;
  const double log =
      std::clamp<double>(dispatch::Evaluate(forest, features.data()), -kMostCorrection, kMostCorrection);
  return us * std::exp(part * log);
}

}  // namespace gemm::correction
