#include "common/dispatch/registry.h"

namespace gemm::dispatch {

const Rows& Registry() {
  static const Rows rows = Collect({HopperKernels(), AmpereKernels(), SimtKernels()});
  return rows;
}

}  // namespace gemm::dispatch
