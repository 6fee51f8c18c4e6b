// Nodes' parameters, to and from actions.
#pragma once

#include "tools/emulator/driver/graph.h"

namespace emu::driver {

CUresult MakeAction(const CUDA_KERNEL_NODE_PARAMS& parameters, const CUlaunchAttribute* attributes,
                    unsigned count, Action* action);
CUresult MakeAction(const CUDA_MEMCPY3D& parameters, Action* action);
CUresult MakeAction(const CUDA_MEMSET_NODE_PARAMS& parameters, Action* action);
CUresult MakeAction(const CUDA_HOST_NODE_PARAMS& parameters, Action* action);

// Version 1 has neither a CUkernel nor a context.
CUDA_KERNEL_NODE_PARAMS FromVersion1(const CUDA_KERNEL_NODE_PARAMS_v1& parameters);

}  // namespace emu::driver
