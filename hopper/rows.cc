// The registry rows of this backend, from the same table that instantiates the kernels.
#include "hopper/skinny/rows.h"

#include <iterator>
#include <vector>

#include "common/dispatch/kernel.h"
#include "hopper/hopper_kernels.h"
#include "hopper/launch.h"
#include "hopper/packed.h"
#include "hopper/row.h"
#include "hopper/schedule.h"
#include "hopper/shared.cuh"

// First reading of the table: the constants of each row.
#define GEMM_HOPPER_KK(...) GEMM_HOPPER_DEFINE_ROW(bf16, kBF16, kk, false, false, __VA_ARGS__)
#define GEMM_HOPPER_KN(...) GEMM_HOPPER_DEFINE_ROW(bf16, kBF16, kn, false, true, __VA_ARGS__)
#define GEMM_HOPPER_MK(...) GEMM_HOPPER_DEFINE_ROW(bf16, kBF16, mk, true, false, __VA_ARGS__)
#define GEMM_HOPPER_MN(...) GEMM_HOPPER_DEFINE_ROW(bf16, kBF16, mn, true, true, __VA_ARGS__)
#include "hopper/kernels.inc"

#define GEMM_HOPPER_KK(...) GEMM_HOPPER_DEFINE_ROW(fp16, kFP16, kk, false, false, __VA_ARGS__)
#define GEMM_HOPPER_KN(...) GEMM_HOPPER_DEFINE_ROW(fp16, kFP16, kn, false, true, __VA_ARGS__)
#define GEMM_HOPPER_MK(...) GEMM_HOPPER_DEFINE_ROW(fp16, kFP16, mk, true, false, __VA_ARGS__)
#define GEMM_HOPPER_MN(...) GEMM_HOPPER_DEFINE_ROW(fp16, kFP16, mn, true, true, __VA_ARGS__)
#include "hopper/kernels.inc"

namespace gemm::hopper {
namespace {

const dispatch::KernelFamily kFamily = {"hopper", Reject, PredictMicroseconds, WorkspaceBytes,
                                        Prepare,  true,   &kTiledModel};

// `source` is the .cu file that instantiates the row; for FP16 what is derived of it (BUILD).
template <class Row, bool kTransposed = false>
constexpr dispatch::KernelRow MakeRow(const char* name, const char* symbol, const char* source) {
  using C = Config<Row>;
  dispatch::KernelRow row = {};
  row.name = name;
  row.family = &kFamily;
  row.image = &images::hopper_kernels;
  row.source = source;
  row.symbol = symbol;
  row.input_type = C::kInput == InputType::kBF16 ? DataType::kBF16 : DataType::kFP16;
  row.a_major = C::kATransposed ? problem::Major::kMN : problem::Major::kK;
  row.b_major = C::kBTransposed ? problem::Major::kMN : problem::Major::kK;
  row.tile = {C::kTileM, C::kTileN, C::kTileK};
  row.stages = C::kStages;
  row.cluster_m = C::kClusterM;
  row.cluster_n = C::kClusterN;
  row.threads = C::kThreads;
  row.shared_bytes = sizeof(Shared<C>);
  row.variant = VariantOf(C::kSchedule, kTransposed);
  static_assert(sizeof(Shared<C>) <= kSharedLimit);
  static_assert(!kTransposed || C::kTransposes, "the kernel has no such epilogue");
  return row;
}

#define GEMM_HOPPER_STRING(x) GEMM_HOPPER_STRING_OF(x)
#define GEMM_HOPPER_STRING_OF(x) #x
#define GEMM_HOPPER_MAKE(source, type, layout, ...)                    \
  MakeRow<rows::GEMM_HOPPER_NAME(type, layout, __VA_ARGS__)>(          \
      GEMM_HOPPER_STRING(GEMM_HOPPER_NAME(type, layout, __VA_ARGS__)), \
      GEMM_HOPPER_STRING(GEMM_HOPPER_NAME(type, layout, __VA_ARGS__)), source),
#define GEMM_HOPPER_MAKE_TRANSPOSED(source, type, layout, ...)                    \
  MakeRow<rows::GEMM_HOPPER_NAME(type, layout, __VA_ARGS__), true>(               \
      GEMM_HOPPER_STRING(GEMM_HOPPER_TRANSPOSED_NAME(type, layout, __VA_ARGS__)), \
      GEMM_HOPPER_STRING(GEMM_HOPPER_NAME(type, layout, __VA_ARGS__)), source),

// Second reading: the rows.
const dispatch::KernelRow kRows[] = {
#define GEMM_HOPPER_KK(...) GEMM_HOPPER_MAKE("bf16_kk", bf16, kk, __VA_ARGS__)
#define GEMM_HOPPER_KK_T(...) GEMM_HOPPER_MAKE_TRANSPOSED("bf16_kk", bf16, kk, __VA_ARGS__)
#define GEMM_HOPPER_KN(...) GEMM_HOPPER_MAKE("bf16_kn", bf16, kn, __VA_ARGS__)
#define GEMM_HOPPER_MK(...) GEMM_HOPPER_MAKE("bf16_m", bf16, mk, __VA_ARGS__)
#define GEMM_HOPPER_MN(...) GEMM_HOPPER_MAKE("bf16_m", bf16, mn, __VA_ARGS__)
#include "hopper/kernels.inc"
#define GEMM_HOPPER_KK(...) GEMM_HOPPER_MAKE("fp16_kk", fp16, kk, __VA_ARGS__)
#define GEMM_HOPPER_KK_T(...) GEMM_HOPPER_MAKE_TRANSPOSED("fp16_kk", fp16, kk, __VA_ARGS__)
#define GEMM_HOPPER_KN(...) GEMM_HOPPER_MAKE("fp16_kn", fp16, kn, __VA_ARGS__)
#define GEMM_HOPPER_MK(...) GEMM_HOPPER_MAKE("fp16_m", fp16, mk, __VA_ARGS__)
#define GEMM_HOPPER_MN(...) GEMM_HOPPER_MAKE("fp16_m", fp16, mn, __VA_ARGS__)
#include "hopper/kernels.inc"
};

}  // namespace
}  // namespace gemm::hopper

namespace gemm::dispatch {

KernelTable HopperKernels() {
  static const std::vector<KernelRow> rows = [] {
    std::vector<KernelRow> all =
        hopper::WithPackedRows({hopper::kRows, sizeof(hopper::kRows) / sizeof(hopper::kRows[0])});
    const std::vector<KernelRow> skinny = hopper::skinny::Rows();
    all.insert(all.end(), skinny.begin(), skinny.end());
    return all;
  }();
  return {rows.data(), rows.size()};
}

}  // namespace gemm::dispatch
