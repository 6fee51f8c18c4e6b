#include "common/correction/correction.h"

#include <algorithm>
#include <cmath>

#include "common/dispatch/forest.h"

namespace gemm::correction {
namespace {

#include "common/correction/forest.inc"

constexpr dispatch::Forest kOfAllLaunches = {kNodes, kRoots, kTreesOfAllLaunches, kUnits, kLeafUnit};
// What these trees leave, of some launches.
constexpr dispatch::Forest kOfEarlyOnes = {kNodes, kRoots + kTreesOfAllLaunches, kTreesOfEarlyOnes, kUnits,
                                           kLeafUnit};
constexpr dispatch::Forest kOfColumns = {kNodes, kRoots + kTreesOfAllLaunches + kTreesOfEarlyOnes,
                                         kTreesOfColumns, kUnits, kLeafUnit};
static_assert(kTreesOfAllLaunches + kTreesOfEarlyOnes + kTreesOfColumns == std::size(kRoots));
static_assert(std::size(kUnits) == feature::kCount, "the forest has other features than features.h");

// How much of the correction a prediction has: from 0 to 1.
double CorrectedPart(double us, const Features& features) {
  if (features[feature::kOperandLine] < 1) return 1;
  return std::clamp(std::log2(kUncorrectedUs / us) / std::log2(kUncorrectedUs / kWhollyCorrectedUs), 0.0, 1.0);
}

float LogOf(const Features& features) {
  const float of_all = dispatch::Evaluate(kOfAllLaunches, features.data());
  if (features[feature::kEarly] > 0) return of_all + dispatch::Evaluate(kOfEarlyOnes, features.data());
  if (features[feature::kMnMajor] > 0) return of_all + dispatch::Evaluate(kOfColumns, features.data());
  return of_all;
}

}  // namespace

double Corrected(double us, const Features& features) {
  const double part = CorrectedPart(us, features);
  if (part == 0) return us;
  const double log = std::clamp<double>(LogOf(features), -kMostCorrection, kMostCorrection);
  return us * std::exp(part * log);
}

}  // namespace gemm::correction
