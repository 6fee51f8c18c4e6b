// What a gemm::Tuning holds.
#pragma once

#include "common/dispatch/tuning.h"
#include "gemm/gemm.h"

namespace gemm {

struct Tuning::Impl {
  dispatch::TuningTable table;
};

}  // namespace gemm
