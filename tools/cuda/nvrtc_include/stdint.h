// See stdlib.h here.
#ifndef TOOLS_CUDA_NVRTC_INCLUDE_STDINT_H_
#define TOOLS_CUDA_NVRTC_INCLUDE_STDINT_H_

#include <cuda/std/cstdint>

using cuda::std::int16_t;
using cuda::std::int32_t;
using cuda::std::int64_t;
using cuda::std::int8_t;
using cuda::std::intptr_t;
using cuda::std::uint16_t;
using cuda::std::uint32_t;
using cuda::std::uint64_t;
using cuda::std::uint8_t;
using cuda::std::uintptr_t;

#endif  // TOOLS_CUDA_NVRTC_INCLUDE_STDINT_H_
