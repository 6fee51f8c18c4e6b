// Launches of the kernels on TMA.
#include "ladder/rung.h"
#include "ladder/wgmma/config.h"

namespace gemm::ladder {
namespace {

// A row-major matrix in boxes of `box_rows` rows of 128 bytes, with a third dimension of 1, which LoadTile has.
Status Encode(DataType type, const void* data, int rows, int columns, int box_rows, TensorMap* map) {
  const bool wide = type == DataType::kFP32;
  driver::TensorMapShape shape;
  shape.type = wide                      ? CU_TENSOR_MAP_DATA_TYPE_FLOAT32
               : type == DataType::kFP16 ? CU_TENSOR_MAP_DATA_TYPE_FLOAT16
                                         : CU_TENSOR_MAP_DATA_TYPE_BFLOAT16;
  shape.rank = 3;
  shape.extent[0] = static_cast<std::uint64_t>(columns);
  shape.extent[1] = static_cast<std::uint64_t>(rows);
  shape.extent[2] = 1;
  shape.stride_bytes[0] = shape.extent[0] * (wide ? 4 : 2);
  shape.stride_bytes[1] = shape.stride_bytes[0] * shape.extent[1];
  shape.box[0] = wide ? 32 : 64;
  shape.box[1] = static_cast<std::uint32_t>(box_rows);
  shape.box[2] = 1;
  return driver::EncodeTensorMap(shape, data, map);
}

}  // namespace

Status LaunchTma(const Rung& rung, driver::Kernel kernel, const driver::LaunchShape& shape,
                 const Params& params, CUstream stream) {
  TmaParams filled = {};
  filled.p = params;
  Status status = Encode(rung.in, params.a, params.m, params.k, rung.tile_m, &filled.a);
  if (status.ok()) status = Encode(rung.in, params.b, params.k, params.n, 64, &filled.b);
  if (status.ok() && params.beta != 0)
    status = Encode(rung.out, params.c, params.m, params.n, rung.tile_m, &filled.c);
  if (!status.ok()) return status;
  void* arguments[] = {&filled};
  return driver::Launch(kernel, shape, stream, arguments);
}

}  // namespace gemm::ladder
