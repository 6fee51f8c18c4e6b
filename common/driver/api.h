// The table of driver functions behind driver.h. Tools and tests that need functions which libgemm does not
// call (memory, streams, graphs) look them up with FindFunction; see tools/gpu.
#pragma once

#include <cuda.h>
#include <cudaTypedefs.h>

#include "gemm/status.h"

namespace gemm::driver {

// Pointers to the functions of functions.inc, without the "cu". After a successful Load() none is null.
struct Api {
#define GEMM_DRIVER_FUNCTION(name, version) PFN_cu##name##_v##version name = nullptr;
#include "common/driver/functions.inc"
#undef GEMM_DRIVER_FUNCTION
};

// The driver function `name` ("cuMemAlloc") with the ABI of CUDA `version` (3020: the number in its PFN_
// typedef). A null stream means the legacy default stream. The failures of Load(), or kDriverTooOld naming the
// function.
Status FindFunction(const char* name, int version, void** function) noexcept;

}  // namespace gemm::driver
