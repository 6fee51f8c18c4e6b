#include "common/dispatch/registry.h"

namespace gemm::dispatch {

const Rows& Registry() {
  // Never destroyed, nor are the backends' tables: plans may be made while static objects are.
  static const Rows& rows = *new Rows(Collect({HopperKernels(), AmpereKernels(), SimtKernels()}));
  return rows;
}

}  // namespace gemm::dispatch
