// cuda.h with every version of every function declared under the name that the library exports: cuMemAlloc_v2,
// cuLaunchKernel_ptsz. What is defined with such a name is exported; the rest of the library is compiled with
// -fvisibility=hidden.
#pragma once

#pragma GCC visibility push(default)
#define __CUDA_API_VERSION_INTERNAL
#include <cuda.h>
#pragma GCC visibility pop

#include <cudaTypedefs.h>
