// The rows for products with few rows, from the same table that instantiates the kernels.
#include "ampere/few/rows.h"

#include "ampere/ampere_gemv.h"
#include "ampere/ampere_kernels.h"
#include "ampere/few/columns.h"
#include "ampere/few/columns_plan.h"
#include "ampere/few/config.h"
#include "ampere/few/kernels.inc"
#include "ampere/few/plan.h"

namespace gemm::ampere::few {

namespace rows {
GEMM_AMPERE_GEMV(GEMM_AMPERE_GEMV_CONFIG, bf16, BF16)
GEMM_AMPERE_GEMV(GEMM_AMPERE_GEMV_CONFIG, fp16, FP16)
GEMM_AMPERE_FEW(GEMM_AMPERE_FEW_CONFIG, bf16, BF16)
GEMM_AMPERE_FEW(GEMM_AMPERE_FEW_CONFIG, fp16, FP16)
GEMM_AMPERE_FEW_ANY(GEMM_AMPERE_FEW_ANY_CONFIG, bf16, BF16)
GEMM_AMPERE_FEW_ANY(GEMM_AMPERE_FEW_ANY_CONFIG, fp16, FP16)
GEMM_AMPERE_FEW_COLUMNS(GEMM_AMPERE_FEW_COLUMNS_CONFIG, bf16, BF16)
GEMM_AMPERE_FEW_COLUMNS(GEMM_AMPERE_FEW_COLUMNS_CONFIG, fp16, FP16)
}  // namespace rows

namespace {

// `source` is the .cu file that instantiates the row; for FP16's kernels with mma.sync what is derived of it (BUILD).
template <class C>
dispatch::KernelRow BasicRow(const char* name, const char* source) {
  dispatch::KernelRow row = {};
  row.name = name;
  row.image = C::kByMma ? &images::ampere_kernels : &images::ampere_gemv;
  row.source = source;
  row.symbol = name;
  row.input_type = C::kType == device::kElementBF16 ? DataType::kBF16 : DataType::kFP16;
  row.a_major = problem::Major::kK;
  row.tile = {C::kFew, C::kWide, C::kTileK};
  row.stages = C::kStages;
  row.cluster_m = 1;
  row.cluster_n = 1;
  row.threads = C::kThreads;
  return row;
}

template <class C>
dispatch::KernelRow MakeRow(const char* name, const char* source) {
  dispatch::KernelRow row = BasicRow<C>(name, source);
  constexpr bool kByRingCost = C::kByMma && !C::kStartsAnywhere && (C::kFew > kFewOfMma || !C::kWideIsKMajor);
  row.family = kByRingCost ? &kRingFamily : &kFamily;
  row.b_major = C::kWideIsKMajor ? problem::Major::kK : problem::Major::kMN;
  row.shared_bytes = static_cast<int>(sizeof(Shared<C>));
  row.variant = C::kCtasPerSm | (C::kStartsAnywhere ? kStartsAnywhere : 0);
  return row;
}

// `splits_k`: 0, or kSplitsK for the kernel's second row.
template <class C>
dispatch::KernelRow MakeColumnsRow(const char* symbol, const char* name, int splits_k, const char* source) {
  dispatch::KernelRow row = BasicRow<C>(symbol, source);
  row.name = name;
  row.family = &kColumnsFamily;
  row.b_major = problem::Major::kMN;
  row.shared_bytes = static_cast<int>(sizeof(ColumnsShared<C>));
  row.variant = C::kCtasPerSm | splits_k;
  return row;
}

#define GEMM_AMPERE_STRING(x) GEMM_AMPERE_STRING_OF(x)
#define GEMM_AMPERE_STRING_OF(x) #x
#define GEMM_AMPERE_MAKE(name, source) MakeRow<rows::name>(GEMM_AMPERE_STRING(name), source),
#define GEMM_AMPERE_MAKE_GEMV(type, element, wide, warps, ctas) \
  GEMM_AMPERE_MAKE(GEMM_AMPERE_GEMV_NAME(type, wide), #type "_gemv")
#define GEMM_AMPERE_MAKE_FEW(type, element, layouts, room, wide, stages, ctas) \
  GEMM_AMPERE_MAKE(GEMM_AMPERE_FEW_NAME(type, layouts, room, wide, stages), #type "_few")
#define GEMM_AMPERE_MAKE_FEW_ANY(type, element, room, wide, warps, stages, ctas) \
  GEMM_AMPERE_MAKE(GEMM_AMPERE_FEW_ANY_NAME(type, room, wide, warps), #type "_few_any")
#define GEMM_AMPERE_MAKE_FEW_COLUMNS(type, element, stages, ctas) \
  GEMM_AMPERE_MAKE_COLUMNS(GEMM_AMPERE_FEW_COLUMNS_NAME(type, stages), #type "_few_columns")
#define GEMM_AMPERE_MAKE_COLUMNS(name, source)                                                          \
  MakeColumnsRow<rows::name>(GEMM_AMPERE_STRING(name), GEMM_AMPERE_STRING(name), 0, source),            \
      MakeColumnsRow<rows::name>(GEMM_AMPERE_STRING(name), GEMM_AMPERE_STRING(name) "_split", kSplitsK, \
                                 source),

}  // namespace

#define GEMM_AMPERE_MAKE_ALL(type, element)                    \
  GEMM_AMPERE_GEMV(GEMM_AMPERE_MAKE_GEMV, type, element)       \
  GEMM_AMPERE_FEW(GEMM_AMPERE_MAKE_FEW, type, element)         \
  GEMM_AMPERE_FEW_ANY(GEMM_AMPERE_MAKE_FEW_ANY, type, element) \
  GEMM_AMPERE_FEW_COLUMNS(GEMM_AMPERE_MAKE_FEW_COLUMNS, type, element)

std::vector<dispatch::KernelRow> Rows() {
  return {GEMM_AMPERE_MAKE_ALL(bf16, BF16) GEMM_AMPERE_MAKE_ALL(fp16, FP16)};
}

}  // namespace gemm::ampere::few
