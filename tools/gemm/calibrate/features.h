// What the correction of predicted times is learned from.
#pragma once

#include <string>

#include "tools/gemm/calibrate/measurements.h"

namespace gemm::tool::calibrate {

// Comma-separated: a line of names, and one for each time: the device, the product as "MxNxK", its layout as shape files have it and
// its batch, the row, the measured microseconds, and the features of the row's model (dispatch::CostModel), of which a row without has
// only the first, log2 of what is predicted.
std::string FeaturesCsv(const Measurements& measurements);

}  // namespace gemm::tool::calibrate
