// Tensor maps of batches of matrices: described when a plan is made, encoded with an address when it runs.
#pragma once

#include <cstdint>

#include "common/base/status.h"
#include "common/driver/driver.h"
#include "common/problem/problem.h"
#include "hopper/params.h"

namespace gemm::hopper {

inline constexpr std::int64_t kSwizzleBytes = 128;

// Coordinates are 32 bits with a sign and may pass the edge by less than a cluster tile.
inline constexpr std::int64_t kExtentLimit = (std::int64_t{1} << 31) - 4096;

CUtensorMapDataType MapType(DataType type);

// A batch of matrices with `inner` contiguous elements in each of `outer` rows. `ld` and `batch_stride` are elements.
struct MatrixBatch {
  DataType type;
  std::int64_t inner;
  std::int64_t outer;
  std::int64_t ld;
  std::int64_t batch;
  std::int64_t batch_stride;  // 0: one matrix, whatever `batch` says
};

// The map of `matrices`, of which a load or store moves box_inner elements of box_outer rows.
driver::TensorMapShape MapOf(const MatrixBatch& matrices, std::int64_t box_inner, std::int64_t box_outer);

// `address` is a multiple of 16 bytes.
Status EncodeMap(const driver::TensorMapShape& shape, const void* address, TensorMap* map) noexcept;

}  // namespace gemm::hopper
