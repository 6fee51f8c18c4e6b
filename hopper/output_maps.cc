#include "hopper/output_maps.h"

#include <algorithm>
#include <iterator>

#include "common/base/data_type.h"
#include "hopper/config.cuh"
#include "hopper/output.h"
#include "hopper/schedule.h"
#include "hopper/sectors.h"
#include "hopper/tensor_maps.h"

namespace gemm::hopper {
namespace {

using driver::TensorMapShape;

// convert.cuh's ElementType, which NVRTC must be able to read, has these values.
static_assert(static_cast<int>(DataType::kFP32) == 0 && static_cast<int>(DataType::kFP16) == 1 &&
              static_cast<int>(DataType::kBF16) == 2);

constexpr std::int64_t kPanel = 64;  // rows and columns of a panel of transposed_store.cuh

std::int64_t Bytes(const problem::Normalized& problem) { return base::ElementBytes(problem.output_type); }

std::int64_t ChunkColumns(const problem::Normalized& problem) { return kSwizzleBytes / Bytes(problem); }

// Params::whole_columns.
std::int64_t WholeColumns(const problem::Normalized& problem) {
  if (!TmaTakesOutput(problem.d, problem.output_type)) return 0;
  const std::int64_t per_unit = 16 / Bytes(problem);
  return problem.n / per_unit * per_unit;
}

// C or D for a kernel that computes D's transpose (transposed_store.cuh).
TensorMapShape PanelShape(const problem::Normalized& computed, const problem::Output& output) {
  return MapOf(
      {computed.output_type, computed.m, computed.n, output.row_stride, computed.batch, output.batch_stride},
      kPanel, kPanel);
}

TensorMapShape OutputShape(const problem::Normalized& problem, const problem::Output& output,
                           std::int64_t columns) {
  return MapOf({problem.output_type, columns, problem.m, output.row_stride, problem.batch, output.batch_stride},
               ChunkColumns(problem), kChunkRows);
}

// Params::by_sectors.
bool BySectors(const dispatch::KernelRow& row, const problem::Normalized& problem, const Raster& raster) {
  return StoresSectors(row, problem, raster.tiles > raster.clusters) && WholeColumns(problem) == problem.n &&
         IsAddressable(problem.d.alignment, 2 * problem.d.row_stride * Bytes(problem), 0);
}

// D as pairs of rows.
TensorMapShape PairsShape(const problem::Normalized& problem, std::int64_t box_columns) {
  const std::int64_t row_bytes = problem.d.row_stride * Bytes(problem);
  TensorMapShape shape;
  shape.type = MapType(problem.output_type);
  shape.rank = 4;
  const std::int64_t extent[] = {problem.n, 2, problem.m / 2, problem.batch};
  const std::int64_t stride[] = {row_bytes, 2 * row_bytes,
                                 problem.batch == 1 ? 16 : problem.d.batch_stride * Bytes(problem)};
  std::copy(std::begin(extent), std::end(extent), shape.extent);
  std::copy(std::begin(stride), std::end(stride), shape.stride_bytes);
  const std::int64_t box[] = {box_columns, 1, 8, 1};
  std::copy(std::begin(box), std::end(box), shape.box);
  return shape;
}

void DescribeOutput(const dispatch::KernelRow& row, const problem::Normalized& computed, const Raster& raster,
                    Params* params) {
  const bool transposed = IsTransposed(row);
  const bool by_maps = !transposed && !IsParallelSplitK(row);
  params->transposed = !transposed ? 0 : InUnits(computed) ? kTransposedUnits : kTransposed;
  params->by_sectors = BySectors(row, computed, raster) ? 1 : 0;
  params->whole_columns = static_cast<int>(by_maps ? WholeColumns(computed) : 0);
  const bool has_map_of_c =
      by_maps ? TmaTakesOutput(computed.c, computed.output_type) : ReadsPanels(row, computed);
  params->c_by_threads = has_map_of_c ? 0 : 1;
  params->output_type = static_cast<int>(computed.output_type);
  params->c_batch_step = computed.c.batch_stride == 0 ? 0 : 1;
  params->c_row_stride = computed.c.row_stride;
  params->c_batch_stride = computed.c.batch_stride;
  params->d_row_stride = computed.d.row_stride;
  params->d_batch_stride = computed.d.batch_stride;
}

}  // namespace

OutputMaps::OutputMaps(const dispatch::KernelRow& row, const problem::Normalized& computed,
                       const Raster& raster, Params* params)
    : by_panels_(StoresPanels(row, computed)),
      narrow_columns_(static_cast<std::uint32_t>(row.tile.n % ChunkColumns(computed))) {
  DescribeOutput(row, computed, raster, params);
  c_ = by_panels_ ? PanelShape(computed, computed.c) : OutputShape(computed, computed.c, computed.n);
  d_ = by_panels_ ? PanelShape(computed, computed.d) : OutputShape(computed, computed.d, params->whole_columns);
  if (params->by_sectors == 0) return;
  pairs_ = PairsShape(computed, ChunkColumns(computed));
  first_pairs_ = PairsShape(computed, ChunkColumns(computed) - 8);
}

Status OutputMaps::Encode(const void* c, void* d, Params* params) const noexcept {
  params->c_address = c;
  params->d_address = d;
  if (Status status = EncodeD(d, params); !status.ok()) return status;
  if (params->c_by_threads != 0 || c == nullptr) return Status();
  if (Status status = EncodeMap(c_, c, &params->c); !status.ok()) return status;
  return EncodeNarrow(c_, c, &params->c_narrow);
}

Status OutputMaps::EncodeD(void* d, Params* params) const noexcept {
  if (params->whole_columns > 0 || by_panels_) {
    if (Status status = EncodeMap(d_, d, &params->d); !status.ok()) return status;
    if (Status status = EncodeNarrow(d_, d, &params->d_narrow); !status.ok()) return status;
  }
  if (params->by_sectors == 0) return Status();
  if (Status status = EncodeMap(pairs_, d, &params->d_pairs); !status.ok()) return status;
  if (Status status = EncodeNarrow(pairs_, d, &params->d_pairs_narrow); !status.ok()) return status;
  return EncodeMap(first_pairs_, d, &params->d_pairs_first);
}

Status OutputMaps::EncodeNarrow(TensorMapShape shape, const void* address, TensorMap* map) const noexcept {
  if (narrow_columns_ == 0) return Status();
  shape.box[by_panels_ ? 1 : 0] = narrow_columns_;
  return EncodeMap(shape, address, map);
}

}  // namespace gemm::hopper
