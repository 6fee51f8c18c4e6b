#include "hopper/input_maps.h"

#include "common/base/data_type.h"
#include "common/base/math.h"
#include "hopper/boxes.h"
#include "hopper/config.cuh"
#include "hopper/output.h"
#include "hopper/schedule.h"
#include "hopper/tensor_maps.h"

namespace gemm::hopper {
namespace {

// A tile's first step is always a whole one.
unsigned LastSlices(const dispatch::KernelRow& row, const problem::Normalized& problem) {
  const bool k_major = problem.a.major == problem::Major::kK && problem.b.major == problem::Major::kK;
  const std::int64_t rest = problem.k % row.tile.k;
  const bool has_ragged = HasRagged(ScheduleOf(row), k_major, StartsAnywhere(row));
  const bool ragged = has_ragged && problem.k > row.tile.k && rest != 0;
  return static_cast<unsigned>(base::CeilDiv<std::int64_t>(ragged ? rest : row.tile.k, kWgmmaK));
}

}  // namespace

bool TmaTakesInput(const problem::Input& input, DataType type) {
  const std::int64_t element = base::ElementBytes(type);
  return IsAddressable(input.alignment, input.ld * element, input.batch_stride * element);
}

driver::TensorMapShape InputShape(const problem::Normalized& problem, const problem::Input& input,
                                  std::int64_t rows, std::int64_t box) {
  const DataType type = problem.input_type;
  if (input.major == problem::Major::kMN) {
    return MapOf({type, rows, problem.k, input.ld, problem.batch, input.batch_stride}, kMnBox, kMnBox);
  }
  return MapOf({type, problem.k, rows, input.ld, problem.batch, input.batch_stride},
               kSwizzleBytes / base::ElementBytes(type), box);
}

OperandMaps::OperandMaps(const problem::Normalized& problem, const problem::Input& input, std::int64_t rows,
                         std::int64_t tile_rows)
    : k_dimension_(input.major == problem::Major::kMN ? 1 : 0) {
  const Boxes boxes = BoxesOf(input.major, rows, tile_rows);
  if (boxes.whole > 0) whole_ = InputShape(problem, input, rows, boxes.whole);
  if (boxes.tail > 0) tail_ = InputShape(problem, input, rows, boxes.tail);
}

OperandMaps OperandMaps::Narrowed(int k) const {
  OperandMaps maps = *this;
  for (driver::TensorMapShape* shape : {&maps.whole_, &maps.tail_}) {
    if (shape->box[k_dimension_] > 0) shape->box[k_dimension_] = static_cast<std::uint32_t>(k);
  }
  return maps;
}

Status OperandMaps::Encode(const void* address, TensorMap* whole, TensorMap* tail) const noexcept {
  if (whole_.box[1] > 0) {
    if (Status status = EncodeMap(whole_, address, whole); !status.ok()) return status;
  }
  return tail_.box[1] > 0 ? EncodeMap(tail_, address, tail) : Status();
}

InputMaps::InputMaps(const dispatch::KernelRow& row, const problem::Normalized& computed)
    : last_slices_(LastSlices(row, computed)) {
  if (StartsAnywhere(row)) return;
  a_ = OperandMaps(computed, computed.a, computed.m, row.tile.m);
  b_ = OperandMaps(computed, computed.b, computed.n, row.tile.n);
  const int k = static_cast<int>(last_slices_) * kWgmmaK;
  if (k >= row.tile.k) return;
  a_ragged_ = a_.Narrowed(k);
  b_ragged_ = b_.Narrowed(k);
}

Status InputMaps::Encode(const void* a, const void* b, Params* params) const noexcept {
  if (Status status = a_.Encode(a, &params->a, &params->a_tail); !status.ok()) return status;
  if (Status status = b_.Encode(b, &params->b, &params->b_tail); !status.ok()) return status;
  if (Status status = a_ragged_.Encode(a, &params->a_ragged, &params->a_tail_ragged); !status.ok())
    return status;
  return b_ragged_.Encode(b, &params->b_ragged, &params->b_tail_ragged);
}

}  // namespace gemm::hopper
