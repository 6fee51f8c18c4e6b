// cuTensorMapEncodeTiled. The other forms of tensor maps, which gather images and so on, are not emulated.
#include "tools/emulator/async/tensor_map.h"

#include <fmt/format.h>

#include <cstdio>

#include "tools/emulator/driver/entry.h"

using namespace emu;
using namespace emu::driver;

CUresult cuTensorMapEncodeTiled(CUtensorMap* map, CUtensorMapDataType type, cuuint32_t rank, void* address,
                                const cuuint64_t* dims, const cuuint64_t* strides, const cuuint32_t* box,
                                const cuuint32_t* element_strides, CUtensorMapInterleave interleave,
                                CUtensorMapSwizzle swizzle, CUtensorMapL2promotion promotion,
                                CUtensorMapFloatOOBfill fill) {
  return Locked([&] {
    // The driver asks no context for this: the first device stands for all of them.
    const DeviceLimits& limits = GetState().devices[0]->profile->limits;
    TiledRequest request;
    request.map = map;
    request.type = static_cast<std::uint32_t>(type);
    request.rank = rank;
    request.address = reinterpret_cast<std::uint64_t>(address);
    request.dims = reinterpret_cast<const std::uint64_t*>(dims);
    request.strides = reinterpret_cast<const std::uint64_t*>(strides);
    request.box = box;
    request.element_strides = element_strides;
    request.interleave = static_cast<std::uint32_t>(interleave);
    request.swizzle = static_cast<std::uint32_t>(swizzle);
    request.l2_promotion = static_cast<std::uint32_t>(promotion);
    request.fill = static_cast<std::uint32_t>(fill);
    request.compute_major = limits.compute_major;
    const std::string problem = EncodeTiled(request);
    if (problem.empty()) return CUDA_SUCCESS;
    std::fprintf(stderr, "emulator: cuTensorMapEncodeTiled: %s\n", problem.c_str());
    return CUDA_ERROR_INVALID_VALUE;
  });
}

CUresult cuTensorMapReplaceAddress(CUtensorMap* map, void* address) {
  return Locked([&] {
    TensorMap decoded;
    if (map == nullptr || !Decode(reinterpret_cast<const std::byte*>(map), &decoded))
      return CUDA_ERROR_INVALID_VALUE;
    decoded.address = reinterpret_cast<std::uint64_t>(address);
    if (!decoded.Problem().empty()) return CUDA_ERROR_INVALID_VALUE;
    Encode(decoded, reinterpret_cast<std::byte*>(map));
    return CUDA_SUCCESS;
  });
}
