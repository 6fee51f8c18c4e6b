// The emulated GPU (tools/emulator) in the place of the driver, for `gemm run` on a machine without a GPU.
#pragma once

#include "gemm/status.h"

namespace gemm::tool {

// Whether an NVIDIA driver can be opened here and sees a device. Opens and closes it beside the library, which opens a
// driver once in a process and remembers what it found: this must come before the library is asked for anything.
bool HasGpu();

// Opens the emulated GPU's libcuda.so.1, so that it is what the library opens next. It is looked for where
// $GEMM_EMULATED_GPU says (the file), else among the program's runfiles. kNoDriver when there is none.
Status OpenEmulatedGpu();

}  // namespace gemm::tool
