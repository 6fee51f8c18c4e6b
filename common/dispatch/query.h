// A live device as selection sees it.
#pragma once

#include "common/dispatch/device.h"
#include "gemm/status.h"

namespace gemm::dispatch {

// Reads the properties of the driver's device `ordinal`. Needs no context. kNoDevice, naming the count, for an
// ordinal that the driver does not have; the failures of driver::Load. The driver is asked
// once for each device: either clock rate takes it 0.35 ms (H200, 2026-11-22), and what a device is does not change.
Status QueryDevice(int ordinal, Device* device);

}  // namespace gemm::dispatch
