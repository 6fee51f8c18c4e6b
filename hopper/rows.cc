// The registry rows of this backend, from the same table that instantiates the kernels.
#include "hopper/skinny/rows.h"

#include <deque>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "common/dispatch/kernel.h"
#include "hopper/classes.h"
#include "hopper/clusters.h"
#include "hopper/hopper_kernels.h"
#include "hopper/k_parts.h"
#include "hopper/launch.h"
#include "hopper/model.h"
#include "hopper/packed.h"
#include "hopper/reject.h"
#include "hopper/row.h"
#include "hopper/schedule.h"
#include "hopper/shared.cuh"

// First reading of the table: the constants of each row.
#define GEMM_HOPPER_KK(...) GEMM_HOPPER_DEFINE_ROW(bf16, kBF16, kk, false, false, __VA_ARGS__)
#define GEMM_HOPPER_KK_ANY(...) GEMM_HOPPER_DEFINE_ANY_ROW(bf16, kBF16, kk, false, false, __VA_ARGS__)
#define GEMM_HOPPER_KK_ANYWHERE(...) GEMM_HOPPER_DEFINE_ANYWHERE_ROW(bf16, kBF16, kk, false, false, __VA_ARGS__)
#define GEMM_HOPPER_KN(...) GEMM_HOPPER_DEFINE_ROW(bf16, kBF16, kn, false, true, __VA_ARGS__)
#define GEMM_HOPPER_KN_ANY(...) GEMM_HOPPER_DEFINE_ANY_ROW(bf16, kBF16, kn, false, true, __VA_ARGS__, kNone)
#define GEMM_HOPPER_KN_ANYWHERE(...) GEMM_HOPPER_DEFINE_ANYWHERE_ROW(bf16, kBF16, kn, false, true, __VA_ARGS__)
#define GEMM_HOPPER_MK(...) GEMM_HOPPER_DEFINE_ROW(bf16, kBF16, mk, true, false, __VA_ARGS__)
#define GEMM_HOPPER_MK_ANY(...) GEMM_HOPPER_DEFINE_ANY_ROW(bf16, kBF16, mk, true, false, __VA_ARGS__)
#define GEMM_HOPPER_MN(...) GEMM_HOPPER_DEFINE_ROW(bf16, kBF16, mn, true, true, __VA_ARGS__)
#include "hopper/kernels.inc"

#define GEMM_HOPPER_KK(...) GEMM_HOPPER_DEFINE_ROW(fp16, kFP16, kk, false, false, __VA_ARGS__)
#define GEMM_HOPPER_KK_ANY(...) GEMM_HOPPER_DEFINE_ANY_ROW(fp16, kFP16, kk, false, false, __VA_ARGS__)
#define GEMM_HOPPER_KK_ANYWHERE(...) GEMM_HOPPER_DEFINE_ANYWHERE_ROW(fp16, kFP16, kk, false, false, __VA_ARGS__)
#define GEMM_HOPPER_KN(...) GEMM_HOPPER_DEFINE_ROW(fp16, kFP16, kn, false, true, __VA_ARGS__)
#define GEMM_HOPPER_KN_ANY(...) GEMM_HOPPER_DEFINE_ANY_ROW(fp16, kFP16, kn, false, true, __VA_ARGS__, kNone)
#define GEMM_HOPPER_KN_ANYWHERE(...) GEMM_HOPPER_DEFINE_ANYWHERE_ROW(fp16, kFP16, kn, false, true, __VA_ARGS__)
#define GEMM_HOPPER_MK(...) GEMM_HOPPER_DEFINE_ROW(fp16, kFP16, mk, true, false, __VA_ARGS__)
#define GEMM_HOPPER_MK_ANY(...) GEMM_HOPPER_DEFINE_ANY_ROW(fp16, kFP16, mk, true, false, __VA_ARGS__)
#define GEMM_HOPPER_MN(...) GEMM_HOPPER_DEFINE_ROW(fp16, kFP16, mn, true, true, __VA_ARGS__)
#include "hopper/kernels.inc"

namespace gemm::hopper {
namespace {

const dispatch::KernelFamily kFamily = {"hopper", Reject, PredictMicroseconds, WorkspaceBytes,
                                        Prepare,  true,   &kTiledModel};
// Its second kernel has as many CTAs as D asks for.
const dispatch::KernelFamily kParallelSplitKFamily = {"hopper", Reject, PredictMicroseconds, WorkspaceBytes,
                                                      Prepare,  false,  &kTiledModel};

// All but the cluster. `source` is the .cu file that instantiates the row; for FP16 what is derived of it (BUILD).
template <class Row, bool kTransposed = false>
constexpr dispatch::KernelRow MakeAnyRow(const char* name, const char* symbol, const char* source) {
  using C = Config<Row>;
  dispatch::KernelRow row = {};
  row.name = name;
  row.family = C::kParallelSplitK ? &kParallelSplitKFamily : &kFamily;
  row.image = &images::hopper_kernels;
  row.source = source;
  row.symbol = symbol;
  row.input_type = C::kInput == InputType::kBF16 ? DataType::kBF16 : DataType::kFP16;
  // Of the problem: the kernel has its B for A where it computes D's transpose.
  row.a_major = (kTransposed ? C::kBTransposed : C::kATransposed) ? problem::Major::kMN : problem::Major::kK;
  row.b_major = (kTransposed ? C::kATransposed : C::kBTransposed) ? problem::Major::kMN : problem::Major::kK;
  row.tile = {C::kTileM, C::kTileN, C::kTileK};
  row.stages = C::kStages;
  row.threads = C::kThreads;
  row.shared_bytes = sizeof(Shared<C>);
  row.variant = VariantOf(C::kSchedule, kTransposed, C::kStartsAnywhere);
  static_assert(sizeof(Shared<C>) <= kSharedLimit);
  static_assert(!kTransposed || C::kTransposes, "the kernel has no such epilogue");
  return row;
}

template <class Row, bool kTransposed = false>
constexpr dispatch::KernelRow MakeRow(const char* name, const char* symbol, const char* source) {
  dispatch::KernelRow row = MakeAnyRow<Row, kTransposed>(name, symbol, source);
  row.cluster_m = OnlyCluster(Row::kClusters).m;
  row.cluster_n = OnlyCluster(Row::kClusters).n;
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
#define GEMM_HOPPER_MAKE_ANYWHERE(source, type, layout, ...)                    \
  MakeRow<rows::GEMM_HOPPER_ANYWHERE_NAME(type, layout, __VA_ARGS__)>(          \
      GEMM_HOPPER_STRING(GEMM_HOPPER_ANYWHERE_NAME(type, layout, __VA_ARGS__)), \
      GEMM_HOPPER_STRING(GEMM_HOPPER_ANYWHERE_NAME(type, layout, __VA_ARGS__)), source),

// Second reading: the rows.
const dispatch::KernelRow kRows[] = {
#define GEMM_HOPPER_KK(...) GEMM_HOPPER_MAKE("bf16_kk", bf16, kk, __VA_ARGS__)
#define GEMM_HOPPER_KK_T(...) GEMM_HOPPER_MAKE_TRANSPOSED("bf16_kk", bf16, kk, __VA_ARGS__)
#define GEMM_HOPPER_KN(...) GEMM_HOPPER_MAKE("bf16_kn", bf16, kn, __VA_ARGS__)
#define GEMM_HOPPER_MK(...) GEMM_HOPPER_MAKE("bf16_m", bf16, mk, __VA_ARGS__)
#define GEMM_HOPPER_MK_T(...) GEMM_HOPPER_MAKE_TRANSPOSED("bf16_m", bf16, mk, __VA_ARGS__)
#define GEMM_HOPPER_MN(...) GEMM_HOPPER_MAKE("bf16_m", bf16, mn, __VA_ARGS__)
#define GEMM_HOPPER_KK_ANYWHERE(...) GEMM_HOPPER_MAKE_ANYWHERE("bf16_anywhere", bf16, kk, __VA_ARGS__)
#define GEMM_HOPPER_KN_ANYWHERE(...) GEMM_HOPPER_MAKE_ANYWHERE("bf16_anywhere", bf16, kn, __VA_ARGS__)
#include "hopper/kernels.inc"
#define GEMM_HOPPER_KK(...) GEMM_HOPPER_MAKE("fp16_kk", fp16, kk, __VA_ARGS__)
#define GEMM_HOPPER_KK_T(...) GEMM_HOPPER_MAKE_TRANSPOSED("fp16_kk", fp16, kk, __VA_ARGS__)
#define GEMM_HOPPER_KN(...) GEMM_HOPPER_MAKE("fp16_kn", fp16, kn, __VA_ARGS__)
#define GEMM_HOPPER_MK(...) GEMM_HOPPER_MAKE("fp16_m", fp16, mk, __VA_ARGS__)
#define GEMM_HOPPER_MK_T(...) GEMM_HOPPER_MAKE_TRANSPOSED("fp16_m", fp16, mk, __VA_ARGS__)
#define GEMM_HOPPER_MN(...) GEMM_HOPPER_MAKE("fp16_m", fp16, mn, __VA_ARGS__)
#define GEMM_HOPPER_KK_ANYWHERE(...) GEMM_HOPPER_MAKE_ANYWHERE("fp16_anywhere", fp16, kk, __VA_ARGS__)
#define GEMM_HOPPER_KN_ANYWHERE(...) GEMM_HOPPER_MAKE_ANYWHERE("fp16_anywhere", fp16, kn, __VA_ARGS__)
#include "hopper/kernels.inc"
};

// Rows of kernels that take their cluster from the launch, and their names.
struct AnyRows {
  std::vector<dispatch::KernelRow> rows;
  std::deque<std::string> names;

  // One for each of `clusters`. It is named as a kernel is that is compiled for this cluster: that stands where the symbol has "any".
  void Add(dispatch::KernelRow row, unsigned clusters) {
    constexpr std::string_view kAny = "any";
    const std::string symbol = row.symbol;
    for (const NamedCluster& cluster : kAllClusters) {
      if ((clusters & cluster.bit) == 0) continue;
      std::string name = symbol;
      name.replace(name.rfind(kAny), kAny.size(),
                   "c" + std::to_string(cluster.m) + "x" + std::to_string(cluster.n));
      names.push_back(IsTransposed(row) ? name + "_t" : name);
      row.name = names.back().c_str();
      row.cluster_m = cluster.m;
      row.cluster_n = cluster.n;
      rows.push_back(row);
    }
  }
};

template <class Row, unsigned kAsItLies, unsigned kTransposing>
void AddKernel(const char* symbol, const char* source, AnyRows* rows) {
  rows->Add(MakeAnyRow<Row>(nullptr, symbol, source), kAsItLies);
  if constexpr (kTransposing != kNone) rows->Add(MakeAnyRow<Row, true>(nullptr, symbol, source), kTransposing);
}

#define GEMM_HOPPER_ADD_ANY(source, type, layout, schedule, tile_m, tile_n, stages, clusters, transposing) \
  AddKernel<rows::GEMM_HOPPER_ANY_NAME(type, layout, schedule, tile_m, tile_n, stages), clusters,          \
            transposing>(                                                                                  \
      GEMM_HOPPER_STRING(GEMM_HOPPER_ANY_NAME(type, layout, schedule, tile_m, tile_n, stages)), source,    \
      &rows);

// Third reading: the rows of kernels that take their cluster from the launch.
AnyRows MakeAnyRows() {
  AnyRows rows;
#define GEMM_HOPPER_KK_ANY(...) GEMM_HOPPER_ADD_ANY("bf16_kk", bf16, kk, __VA_ARGS__)
#define GEMM_HOPPER_KN_ANY(...) GEMM_HOPPER_ADD_ANY("bf16_kn", bf16, kn, __VA_ARGS__, kNone)
#define GEMM_HOPPER_MK_ANY(...) GEMM_HOPPER_ADD_ANY("bf16_m", bf16, mk, __VA_ARGS__)
#include "hopper/kernels.inc"
#define GEMM_HOPPER_KK_ANY(...) GEMM_HOPPER_ADD_ANY("fp16_kk", fp16, kk, __VA_ARGS__)
#define GEMM_HOPPER_KN_ANY(...) GEMM_HOPPER_ADD_ANY("fp16_kn", fp16, kn, __VA_ARGS__, kNone)
#define GEMM_HOPPER_MK_ANY(...) GEMM_HOPPER_ADD_ANY("fp16_m", fp16, mk, __VA_ARGS__)
#include "hopper/kernels.inc"
  return rows;
}

}  // namespace
}  // namespace gemm::hopper

namespace gemm::dispatch {

KernelTable HopperKernels() {
  // None is ever destroyed: plans may be made while static objects are.
  static const hopper::AnyRows& any = *new hopper::AnyRows(hopper::MakeAnyRows());
  static const std::vector<KernelRow>& tiled = *[] {
    auto* const rows = new std::vector<KernelRow>(std::begin(hopper::kRows), std::end(hopper::kRows));
    rows->insert(rows->end(), any.rows.begin(), any.rows.end());
    return rows;
  }();
  static const std::vector<KernelRow>& rows = *new std::vector<KernelRow>([] {
    std::vector<KernelRow> all = hopper::WithPackedRows({tiled.data(), tiled.size()});
    const std::vector<KernelRow> classes = hopper::ClassRows({tiled.data(), tiled.size()});
    all.insert(all.end(), classes.begin(), classes.end());
    const std::vector<KernelRow> skinny = hopper::skinny::Rows();
    all.insert(all.end(), skinny.begin(), skinny.end());
    return all;
  }());
  return {rows.data(), rows.size()};
}

}  // namespace gemm::dispatch
