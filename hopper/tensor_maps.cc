#include "hopper/tensor_maps.h"

#include "common/base/data_type.h"

namespace gemm::hopper {

static_assert(sizeof(TensorMap) == sizeof(CUtensorMap) && alignof(TensorMap) >= alignof(CUtensorMap));

CUtensorMapDataType MapType(DataType type) {
  switch (type) {
    case DataType::kFP32:
      return CU_TENSOR_MAP_DATA_TYPE_FLOAT32;
    case DataType::kFP16:
      return CU_TENSOR_MAP_DATA_TYPE_FLOAT16;
    default:
      return CU_TENSOR_MAP_DATA_TYPE_BFLOAT16;
  }
}

driver::TensorMapShape MapOf(const MatrixBatch& matrices, std::int64_t box_inner, std::int64_t box_outer) {
  const std::int64_t element = base::ElementBytes(matrices.type);
  const std::int64_t batch = matrices.batch_stride == 0 ? 1 : matrices.batch;
  // The stride of a dimension of extent 1 is never used, but the driver checks it: any multiple of 16 will do.
  const std::int64_t row_bytes = matrices.outer == 1 ? 16 : matrices.ld * element;
  const std::int64_t matrix_bytes = batch == 1 ? 16 : matrices.batch_stride * element;
  driver::TensorMapShape shape;
  shape.type = MapType(matrices.type);
  shape.rank = 3;
  shape.extent[0] = static_cast<std::uint64_t>(matrices.inner);
  shape.extent[1] = static_cast<std::uint64_t>(matrices.outer);
  shape.extent[2] = static_cast<std::uint64_t>(batch);
  shape.stride_bytes[0] = static_cast<std::uint64_t>(row_bytes);
  shape.stride_bytes[1] = static_cast<std::uint64_t>(matrix_bytes);
  shape.box[0] = static_cast<std::uint32_t>(box_inner);
  shape.box[1] = static_cast<std::uint32_t>(box_outer);
  shape.box[2] = 1;
  return shape;
}

Status EncodeMap(const driver::TensorMapShape& shape, const void* address, TensorMap* map) noexcept {
  return driver::EncodeTensorMap(shape, address, reinterpret_cast<CUtensorMap*>(map));
}

}  // namespace gemm::hopper
