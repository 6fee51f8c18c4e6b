// cuTensorMapEncodeTiled with its documented constraints (CUDA Driver API, Tensor Map Object Management).
#include <cstring>

#include "tests/fake_driver/libcuda/functions.h"
#include "tests/fake_driver/libcuda/state.h"

namespace gemm::fake {
namespace {

// 0 for a type that libgemm does not use.
unsigned ElementBytes(CUtensorMapDataType type) {
  switch (type) {
    case CU_TENSOR_MAP_DATA_TYPE_UINT8:
      return 1;
    case CU_TENSOR_MAP_DATA_TYPE_UINT16:
    case CU_TENSOR_MAP_DATA_TYPE_FLOAT16:
    case CU_TENSOR_MAP_DATA_TYPE_BFLOAT16:
      return 2;
    case CU_TENSOR_MAP_DATA_TYPE_UINT32:
    case CU_TENSOR_MAP_DATA_TYPE_INT32:
    case CU_TENSOR_MAP_DATA_TYPE_FLOAT32:
      return 4;
    default:
      return 0;
  }
}

// The longest inner box that a swizzle takes, in bytes; 0 without one, where only 256 elements limit it.
unsigned SwizzleBytes(CUtensorMapSwizzle swizzle) {
  switch (swizzle) {
    case CU_TENSOR_MAP_SWIZZLE_32B:
      return 32;
    case CU_TENSOR_MAP_SWIZZLE_64B:
      return 64;
    case CU_TENSOR_MAP_SWIZZLE_128B:
      return 128;
    default:
      return 0;
  }
}

}  // namespace

CUresult TensorMapEncodeTiled(CUtensorMap* map, CUtensorMapDataType type, cuuint32_t rank, void* address,
                              const cuuint64_t* extent, const cuuint64_t* strides, const cuuint32_t* box,
                              const cuuint32_t* element_strides, CUtensorMapInterleave interleave,
                              CUtensorMapSwizzle swizzle, CUtensorMapL2promotion promotion,
                              CUtensorMapFloatOOBfill) {
  GEMM_FAKE_ENTER("cuTensorMapEncodeTiled");
  const unsigned bytes = ElementBytes(type);
  if (map == nullptr || reinterpret_cast<std::size_t>(map) % 64 != 0) return CUDA_ERROR_INVALID_VALUE;
  if (bytes == 0 || rank < 1 || rank > 5 || interleave != CU_TENSOR_MAP_INTERLEAVE_NONE)
    return CUDA_ERROR_INVALID_VALUE;
  TensorMap encoded = {};
  encoded.address = reinterpret_cast<unsigned long long>(address);
  if (address == nullptr || encoded.address % 16 != 0) return CUDA_ERROR_INVALID_VALUE;
  for (unsigned d = 0; d < rank; ++d) {
    if (extent[d] == 0 || extent[d] > 1ull << 32) return CUDA_ERROR_INVALID_VALUE;
    if (box[d] == 0 || box[d] > 256 || element_strides[d] == 0 || element_strides[d] > 8)
      return CUDA_ERROR_INVALID_VALUE;
    if (d > 0 && (strides[d - 1] % 16 != 0 || strides[d - 1] >= 1ull << 40)) return CUDA_ERROR_INVALID_VALUE;
    encoded.extent[d] = extent[d];
    encoded.box[d] = static_cast<unsigned short>(box[d]);
    if (d > 0) encoded.stride_bytes[d - 1] = strides[d - 1];
  }
  const unsigned inner = box[0] * bytes;
  if (inner % 16 != 0 || (SwizzleBytes(swizzle) != 0 && inner > SwizzleBytes(swizzle)))
    return CUDA_ERROR_INVALID_VALUE;
  encoded.type = static_cast<unsigned char>(type);
  encoded.rank = static_cast<unsigned char>(rank);
  encoded.swizzle = static_cast<unsigned char>(swizzle);
  encoded.promotion = static_cast<unsigned char>(promotion);
  static_assert(sizeof(encoded) <= sizeof(*map));
  std::memset(map, 0, sizeof(*map));
  std::memcpy(map, &encoded, sizeof(encoded));
  return CUDA_SUCCESS;
}

}  // namespace gemm::fake
