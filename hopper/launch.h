// Conditions, prediction and launch of the rows of kernels.inc (dispatch::KernelFamily's functions), and what
// of them the skinny rows share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "common/dispatch/cost_model.h"
#include "common/dispatch/kernel.h"
#include "common/driver/driver.h"
#include "hopper/clusters.h"
#include "hopper/params.h"
#include "hopper/raster.h"

namespace gemm::hopper {

// Whether the copy engine can address an input: rows and matrices at multiples of 16 bytes, less than 2^40 apart.
bool TmaTakesInput(const problem::Input& input, DataType type);
// Coordinates are 32 bits with a sign and may pass the edge by less than a cluster tile.
inline constexpr std::int64_t kExtentLimit = (std::int64_t{1} << 31) - 4096;

// What every kernel of this backend asks of the device, the types, the sizes and both inputs.
std::optional<std::string> RejectInputs(const dispatch::KernelRow& row, const problem::Normalized& problem,
                                        const dispatch::Device& device);

// The tensor map of an input. `rows` is M of A or N of B, `box` the rows that one load brings of a K-major
// operand; boxes of an MN-major one are 64 x 64 (producer.cuh).
driver::TensorMapShape InputShape(const problem::Normalized& problem, const problem::Input& input,
                                  std::int64_t rows, std::int64_t box);

// `divisor` is from 1 to 2^31 - 1.
Divisor MakeDivisor(std::int64_t divisor);

// Of across x along tiles, fewer than 2^31; `width` is from 1 to `across`.
Bands MakeBands(std::int64_t across, std::int64_t along, std::int64_t width);

// How a tiled kernel's cluster tiles are numbered, to Params or AddPartsParams.
template <class Parameters>
void SetTileOrder(const dispatch::KernelRow& row, const Raster& raster, Parameters* params) {
  params->cluster = MakeClusterShape(row.cluster_m, row.cluster_n);
  params->bands_across_n = raster.bands_across_n ? 1 : 0;
  params->per_matrix = MakeDivisor(raster.tiles_m * raster.tiles_n);
  params->bands = MakeBands(raster.Across(), raster.Along(), raster.band);
}

std::optional<std::string> Reject(const dispatch::KernelRow& row, const problem::Normalized& problem,
                                  const dispatch::Device& device);

std::size_t WorkspaceBytes(const dispatch::KernelRow& row, const problem::Normalized& problem,
                           const dispatch::Device& device);

// The model behind PredictMicroseconds.
extern const dispatch::CostModel kTiledModel;

double PredictMicroseconds(const dispatch::KernelRow& row, const problem::Normalized& problem,
                           const dispatch::Device& device);

Status Prepare(const dispatch::KernelRow& row, const problem::Normalized& problem,
               const dispatch::Device& device, const PlanOptions& options, driver::Kernel kernel,
               std::unique_ptr<const dispatch::Launcher>* launcher);

}  // namespace gemm::hopper
