// The tensor maps of C and D, and which of them there are: the host's side of epilogue.cuh, sector_store.cuh and
// transposed_store.cuh.
#pragma once

#include <cstdint>

#include "common/base/status.h"
#include "common/dispatch/kernel.h"
#include "common/driver/driver.h"
#include "common/problem/problem.h"
#include "hopper/params.h"
#include "hopper/raster.h"

namespace gemm::hopper {

class OutputMaps {
 public:
  // Sets all that *params says of C and D but their addresses and maps. `computed` is AsComputed's problem.
  OutputMaps(const dispatch::KernelRow& row, const problem::Normalized& computed, const Raster& raster,
             Params* params);

  // Sets addresses and maps of *params, which is a copy of the constructor's. `c` may be null where no C is read.
  Status Encode(const void* c, void* d, Params* params) const noexcept;

 private:
  Status EncodeD(void* d, Params* params) const noexcept;
  // For the chunks that are narrower because the tile is no multiple of them (epilogue.cuh).
  Status EncodeNarrow(driver::TensorMapShape shape, const void* address, TensorMap* map) const noexcept;

  bool by_panels_;                // D's columns are d_'s rows
  std::uint32_t narrow_columns_;  // 0: there are no narrow chunks
  driver::TensorMapShape c_;
  driver::TensorMapShape d_;
  driver::TensorMapShape pairs_;
  driver::TensorMapShape first_pairs_;  // of an off row's first chunk
};

}  // namespace gemm::hopper
