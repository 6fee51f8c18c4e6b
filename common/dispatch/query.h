// A live device as selection sees it.
#pragma once

#include "common/dispatch/device.h"
#include "gemm/status.h"

namespace gemm::dispatch {

// Reads the properties of the driver's device `ordinal`. Needs no context. kNoDevice, naming the count, for an
// ordinal that the driver does not have; the failures of driver::Load. A device does not change:
// the driver is asked once for each.
Status QueryDevice(int ordinal, Device* device);

}  // namespace gemm::dispatch
