// The skinny rows, from the same table that instantiates the kernels.
#include "hopper/skinny/rows.h"

#include <string>

#include "hopper/config.cuh"
#include "hopper/hopper_kernels.h"
#include "hopper/skinny/config.cuh"
#include "hopper/skinny/launch.h"
#include "hopper/skinny/model.h"
#include "hopper/skinny/row.h"
#include "hopper/skinny/shared.cuh"

// First reading of the table: the constants of each row.
#define GEMM_SKINNY_KK(...) GEMM_SKINNY_DEFINE_ROW(bf16, kBF16, kk, false, __VA_ARGS__)
#define GEMM_SKINNY_KN(...) GEMM_SKINNY_DEFINE_ROW(bf16, kBF16, kn, true, __VA_ARGS__)
#include "hopper/skinny/kernels.inc"

#define GEMM_SKINNY_KK(...) GEMM_SKINNY_DEFINE_ROW(fp16, kFP16, kk, false, __VA_ARGS__)
#define GEMM_SKINNY_KN(...) GEMM_SKINNY_DEFINE_ROW(fp16, kFP16, kn, true, __VA_ARGS__)
#include "hopper/skinny/kernels.inc"

namespace gemm::hopper::skinny {
namespace {

std::size_t NoWorkspace(const dispatch::KernelRow&, const problem::Normalized&, const dispatch::Device&) {
  return 0;
}

const dispatch::KernelFamily kFamily = {"hopper", Reject, PredictMicroseconds, NoWorkspace,
                                        Prepare,  true,   &kSkinnyModel};

// `source` is the .cu file that instantiates the row; for FP16 what is derived of it (BUILD).
template <class Row>
dispatch::KernelRow MakeRow(const char* name, const char* source) {
  using C = Config<Row>;
  static_assert(sizeof(Shared<C>) <= kSharedLimit);
  dispatch::KernelRow row = {};
  row.name = name;
  row.family = &kFamily;
  row.image = &images::hopper_kernels;
  row.source = source;
  row.symbol = name;
  row.input_type = C::kInput == InputType::kBF16 ? DataType::kBF16 : DataType::kFP16;
  row.a_major = problem::Major::kK;
  row.b_major = C::kWideTransposed ? problem::Major::kMN : problem::Major::kK;
  row.tile = {C::kWide, C::kNarrow, C::kTileK};
  row.stages = C::kStages;
  row.cluster_m = 1;
  row.cluster_n = 1;
  row.threads = C::kThreads;
  row.shared_bytes = sizeof(Shared<C>);
  return row;
}

#define GEMM_SKINNY_STRING(x) GEMM_SKINNY_STRING_OF(x)
#define GEMM_SKINNY_STRING_OF(x) #x
#define GEMM_SKINNY_MAKE(source, type, layout, ...)           \
  MakeRow<rows::GEMM_SKINNY_NAME(type, layout, __VA_ARGS__)>( \
      GEMM_SKINNY_STRING(GEMM_SKINNY_NAME(type, layout, __VA_ARGS__)), source),

}  // namespace

// Second reading: the rows.
std::vector<dispatch::KernelRow> Rows() {
  std::vector<dispatch::KernelRow> rows = {
#define GEMM_SKINNY_KK(...) GEMM_SKINNY_MAKE("bf16_kk_swap", bf16, kk, __VA_ARGS__)
#define GEMM_SKINNY_KN(...) GEMM_SKINNY_MAKE("bf16_kn_swap", bf16, kn, __VA_ARGS__)
#include "hopper/skinny/kernels.inc"
#define GEMM_SKINNY_KK(...) GEMM_SKINNY_MAKE("fp16_kk_swap", fp16, kk, __VA_ARGS__)
#define GEMM_SKINNY_KN(...) GEMM_SKINNY_MAKE("fp16_kn_swap", fp16, kn, __VA_ARGS__)
#include "hopper/skinny/kernels.inc"
  };
#ifdef GEMM_SKINNY_EVERY_CLUSTER
  // For measurements and tests: each kernel also with a number of CTAs a tile that its name gives.
  static auto& names = *new std::vector<std::string>;  // never destroyed
  const std::size_t count = rows.size();
  names.reserve(count * kMaxCluster);
  for (std::size_t i = 0; i < count; ++i) {
    for (int cluster = 1; cluster <= MaxSplit(rows[i].tile.m, rows[i].tile.n); cluster *= 2) {
      dispatch::KernelRow row = rows[i];
      names.push_back(std::string(row.name) + "_split" + std::to_string(cluster));
      row.name = names.back().c_str();
      row.variant = cluster;
      rows.push_back(row);
    }
  }
#endif
  return rows;
}

}  // namespace gemm::hopper::skinny
