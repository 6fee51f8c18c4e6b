// The Ampere rows of the registry, made from kernels.inc and few/kernels.inc.
#include "ampere/kernels.inc"

#include <array>
#include <cstddef>
#include <vector>

#include "ampere/ampere_kernels.h"
#include "ampere/config.h"
#include "ampere/few/rows.h"
#include "ampere/plan.h"
#include "ampere/row.h"
#include "common/dispatch/kernel.h"

namespace gemm::dispatch {
namespace {

constexpr DataType TypeInMemory(ampere::Element element) {
  return element == ampere::Element::kTF32   ? DataType::kFP32
         : element == ampere::Element::kBF16 ? DataType::kBF16
                                             : DataType::kFP16;
}

template <typename Config>
constexpr KernelRow Row(const char* name, const char* source) {
  KernelRow row = {};
  row.name = name;
  row.family = Config::kPersistent ? &ampere::kPersistentFamily : &ampere::kFamily;
  row.image = &images::ampere_kernels;
  row.source = source;
  row.symbol = name;
  row.input_type = TypeInMemory(Config::kElement);
  row.a_major = Config::kAIsMnMajor ? problem::Major::kMN : problem::Major::kK;
  row.b_major = Config::kBIsMnMajor ? problem::Major::kMN : problem::Major::kK;
  row.tile = {Config::kTileM, Config::kTileN, Config::kTileK};
  row.stages = Config::kStages;
  row.cluster_m = 1;
  row.cluster_n = 1;
  row.threads = Config::kThreads;
  row.shared_bytes = static_cast<int>(sizeof(ampere::Shared<Config>));
  row.variant = static_cast<int>(Config::kCopy) | (Config::kPersistent ? ampere::kSeveralTiles : 0);
  static_assert(ampere::kSlices<Config> <= ampere::kMostSlices, "the counters of a tile have room");
  static_assert(!Config::kPersistent || (!Config::kCanSplit && !Config::kSplitsRest),
                "MakeGrid counts no parts of K for CTAs that compute several tiles");
  return row;
}

// The two rows of a kernel; the second one, which splits K, has no name where the kernel cannot.
template <typename Config>
constexpr std::array<KernelRow, 2> Rows(const char* name, const char* split_name, const char* source) {
  KernelRow split = Row<Config>(name, source);
  split.name = Config::kCanSplit || Config::kSplitsRest ? split_name : nullptr;
  split.variant |= ampere::kSplit | (Config::kSplitsRest ? ampere::kRest : 0);
  return {Row<Config>(name, source), split};
}

#define GEMM_AMPERE_DECLARE(...) GEMM_AMPERE_NAMED(GEMM_AMPERE_CONFIG_OF, __VA_ARGS__)
#define GEMM_AMPERE_CONFIG_OF(name, ...) GEMM_AMPERE_CONFIG(Config_##name, __VA_ARGS__);
GEMM_AMPERE_ALL(GEMM_AMPERE_DECLARE)

#define GEMM_AMPERE_ROWS(list, type, ...) \
  GEMM_AMPERE_NAMED(GEMM_AMPERE_ROWS_FROM, list, type, __VA_ARGS__) #type "_" #list),
#define GEMM_AMPERE_ROWS_FROM(name, ...) Rows<Config_##name>(#name, #name "_split",
constexpr std::array<KernelRow, 2> kKernels[] = {GEMM_AMPERE_ALL(GEMM_AMPERE_ROWS)};

constexpr std::size_t CountRows() {
  std::size_t count = 0;
  for (const auto& rows : kKernels) count += rows[1].name == nullptr ? 1 : 2;
  return count;
}

constexpr std::array<KernelRow, CountRows()> CollectRows() {
  std::array<KernelRow, CountRows()> all = {};
  std::size_t count = 0;
  for (const auto& rows : kKernels) {
    for (const KernelRow& row : rows) {
      if (row.name != nullptr) all[count++] = row;
    }
  }
  return all;
}
constexpr auto kRows = CollectRows();

}  // namespace

KernelTable AmpereKernels() {
  // Never destroyed: plans may be made while static objects are.
  static const std::vector<KernelRow>& rows = *[] {
    auto* const all = new std::vector<KernelRow>(kRows.begin(), kRows.end());
    const std::vector<KernelRow> few = ampere::few::Rows();
    all->insert(all->end(), few.begin(), few.end());
    return all;
  }();
  return {rows.data(), rows.size()};
}

}  // namespace gemm::dispatch
