#include "hopper/correction.h"

#include <algorithm>
#include <cmath>

#include "common/dispatch/forest.h"

namespace gemm::hopper {
namespace {

#include "hopper/forest.inc"

constexpr dispatch::Forest kForest = {kNodes, kRoots, std::size(kRoots)};

}  // namespace

double Corrected(double us, const Features& features) {
  const double log = dispatch::Evaluate(kForest, features.data());
  return us * std::exp(std::clamp(log, -kMostCorrection, kMostCorrection));
}

}  // namespace gemm::hopper
