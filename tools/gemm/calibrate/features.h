// What the correction of predicted times is learned from.
#pragma once

#include <string>

#include "tools/gemm/calibrate/measurements.h"

namespace gemm::tool::calibrate {

// Comma-separated: a line of names, and one for each time of a row whose model has features (dispatch::CostModel): the device, the
// product as "MxNxK", the row, the measured microseconds, and the features.
std::string FeaturesCsv(const Measurements& measurements);

}  // namespace gemm::tool::calibrate
