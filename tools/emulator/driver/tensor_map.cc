// cuTensorMap*. Maps that gather images (im2col) are refused: their copies are not emulated.
#include "tools/emulator/async/tensor_map.h"

#include <fmt/core.h>

#include "tools/emulator/driver/entry.h"
#include "tools/emulator/driver/report.h"

namespace emu::driver {
namespace {

CUresult Refuse(const char* function) {
  return Locked([&] {
    Report(fmt::format("emulator: {}: tensor maps for im2col are not emulated\n", function));
    return CUDA_ERROR_NOT_SUPPORTED;
  });
}

}  // namespace
}  // namespace emu::driver

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
    Report(fmt::format("emulator: cuTensorMapEncodeTiled: {}\n", problem));
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

CUresult cuTensorMapEncodeIm2col(CUtensorMap*, CUtensorMapDataType, cuuint32_t, void*, const cuuint64_t*,
                                 const cuuint64_t*, const int*, const int*, cuuint32_t, cuuint32_t,
                                 const cuuint32_t*, CUtensorMapInterleave, CUtensorMapSwizzle,
                                 CUtensorMapL2promotion, CUtensorMapFloatOOBfill) {
  return Refuse("cuTensorMapEncodeIm2col");
}

CUresult cuTensorMapEncodeIm2colWide(CUtensorMap*, CUtensorMapDataType, cuuint32_t, void*, const cuuint64_t*,
                                     const cuuint64_t*, int, int, cuuint32_t, cuuint32_t, const cuuint32_t*,
                                     CUtensorMapInterleave, CUtensorMapIm2ColWideMode, CUtensorMapSwizzle,
                                     CUtensorMapL2promotion, CUtensorMapFloatOOBfill) {
  return Refuse("cuTensorMapEncodeIm2colWide");
}
