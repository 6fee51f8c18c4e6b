// The tensor maps of A and B: the host's side of producer.cuh.
#pragma once

#include <cstdint>

#include "common/base/status.h"
#include "common/dispatch/kernel.h"
#include "common/driver/driver.h"
#include "common/problem/problem.h"
#include "hopper/params.h"

namespace gemm::hopper {

// Whether the copy engine can address an input: rows and matrices at multiples of 16 bytes, less than 2^40 apart.
bool TmaTakesInput(const problem::Input& input, DataType type);

// The tensor map of an input. `rows` is M of A or N of B, `box` the rows that one load brings of a K-major
// operand; boxes of an MN-major one are 64 x 64 (producer.cuh).
driver::TensorMapShape InputShape(const problem::Normalized& problem, const problem::Input& input,
                                  std::int64_t rows, std::int64_t box);

// One operand's maps of whole boxes and of the tail's, as far as there are such boxes (boxes.h).
class OperandMaps {
 public:
  OperandMaps() = default;  // without boxes
  // `rows` is M of A or N of B, of which a tile has tile_rows.
  OperandMaps(const problem::Normalized& problem, const problem::Input& input, std::int64_t rows,
              std::int64_t tile_rows);

  // The same with boxes of so many k.
  OperandMaps Narrowed(int k) const;
  Status Encode(const void* address, TensorMap* whole, TensorMap* tail) const noexcept;

 private:
  int k_dimension_ = 0;
  driver::TensorMapShape whole_;  // no box where there is none
  driver::TensorMapShape tail_;
};

// Both operands' maps, as the row's kernel has them: `computed` is AsComputed's problem. Kernels whose threads load have none.
class InputMaps {
 public:
  InputMaps(const dispatch::KernelRow& row, const problem::Normalized& computed);

  // Params::last_slices.
  unsigned last_slices() const { return last_slices_; }
  // Sets the maps of *params. `a` and `b` are the kernel's operands.
  Status Encode(const void* a, const void* b, Params* params) const noexcept;

 private:
  unsigned last_slices_;
  OperandMaps a_;
  OperandMaps b_;
  OperandMaps a_ragged_;  // of the last step, where it is narrower than the others
  OperandMaps b_ragged_;
};

}  // namespace gemm::hopper
