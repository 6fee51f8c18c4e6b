// The Ampere rows of the registry, made from kernels.inc.
#include "ampere/kernels.inc"

#include <iterator>

#include "ampere/ampere_kernels.h"
#include "ampere/config.h"
#include "ampere/plan.h"
#include "common/dispatch/kernel.h"

namespace gemm::dispatch {
namespace {

template <typename Config>
constexpr KernelRow Row(const char* name, const char* source) {
  KernelRow row = {};
  row.name = name;
  row.family = &ampere::kFamily;
  row.image = &images::ampere_kernels;
  row.source = source;
  row.symbol = name;
  row.input_type = Config::kElement == ampere::Element::kBF16 ? DataType::kBF16 : DataType::kFP16;
  row.a_major = Config::kAIsMnMajor ? problem::Major::kMN : problem::Major::kK;
  row.b_major = Config::kBIsMnMajor ? problem::Major::kMN : problem::Major::kK;
  row.tile = {Config::kTileM, Config::kTileN, Config::kTileK};
  row.stages = Config::kStages;
  row.cluster_m = 1;
  row.cluster_n = 1;
  row.threads = Config::kThreads;
  row.shared_bytes = static_cast<int>(sizeof(ampere::Shared<Config>));
  row.variant = static_cast<int>(Config::kCopy);
  return row;
}

#define GEMM_AMPERE_DECLARE(...) GEMM_AMPERE_NAMED(GEMM_AMPERE_CONFIG_OF, __VA_ARGS__)
#define GEMM_AMPERE_CONFIG_OF(name, ...) GEMM_AMPERE_CONFIG(Config_##name, __VA_ARGS__);
GEMM_AMPERE_ALL(GEMM_AMPERE_DECLARE)

#define GEMM_AMPERE_ROW(list, type, ...) \
  GEMM_AMPERE_NAMED(GEMM_AMPERE_ROW_FROM, list, type, __VA_ARGS__) #type "_" #list),
#define GEMM_AMPERE_ROW_FROM(name, ...) Row<Config_##name>(#name,
const KernelRow kRows[] = {GEMM_AMPERE_ALL(GEMM_AMPERE_ROW)};

}  // namespace

KernelTable AmpereKernels() { return {kRows, std::size(kRows)}; }

}  // namespace gemm::dispatch
