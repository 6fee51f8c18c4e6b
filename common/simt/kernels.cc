// The rows of the SIMT backend, the last of which accepts every problem.
#include <algorithm>
#include <cstdint>
#include <memory>

#include "common/base/data_type.h"
#include "common/dispatch/cost.h"
#include "common/dispatch/kernel.h"
#include "common/simt/config.h"
#include "common/simt/dot.h"
#include "common/simt/dot_config.h"
#include "common/simt/ring.h"
#include "common/simt/rows.h"
#include "common/simt/simt_kernels.h"

namespace gemm::simt {
namespace {

using dispatch::Device;
using dispatch::KernelRow;
using problem::Major;
using problem::Normalized;

// KernelRow::variant. The other fields of a row of shape kAny that speak of types and layouts mean nothing.
enum Variant : int { kLarge, kSmall, kTiny, kAny };

// What the predictor knows of the rows of one shape, beside what KernelRow says. Fitted to FP32 on one H200 (4096^3,
// 1000^3, 512x512x4096, 4097^3), 2026-11-21; docs/perf/simt.md has the times. Those of kAny were not measured: it is
// to be chosen only where no other row is left.
struct Traits {
  int ctas_per_sm;
  double vectors;         // part of the SM's FP32 peak that full SMs sustain where A and B are read by vectors
  double copies;          // the same where one of them is read element by element
  double latency_cycles;  // TiledCost::latency_cycles: what a CTA alone on its SM takes for two steps of K
};

#define SIMT_SHAPE(shape, ...) using shape = Shape<__VA_ARGS__>;
#define SIMT_KERNEL(...)
#define SIMT_DOT(...)
#define SIMT_ANY(...)
#include "common/simt/kernels.inc"
#undef SIMT_SHAPE
#undef SIMT_KERNEL
#undef SIMT_DOT
#undef SIMT_ANY

Traits TraitsOf(const KernelRow& row) {
  // Without a default, so that the compiler names the shape that was forgotten.
  switch (static_cast<Variant>(row.variant)) {
    case kLarge:
      return {Large::kCtasPerSm, 0.74, 0.56, 2900};
    case kSmall:
      return {Small::kCtasPerSm, 0.58, 0.51, 2300};
    case kTiny:
      return {Tiny::kCtasPerSm, 0.44, 0.40, 2900};
    case kAny:
      break;
  }
  return {Small::kCtasPerSm, 0.30, 0.30, 4600};
}

std::optional<std::string> Reject(const KernelRow& row, const Normalized& p, const Device&) {
  if (row.variant == kAny) return std::nullopt;
  return RejectInputs(row, p);
}

double PredictUs(const KernelRow& row, const Normalized& p, const Device& device) {
  const Traits traits = TraitsOf(row);
  const int vector_bytes = 4 * base::ElementBytes(p.input_type);
  const bool vectors = p.a.alignment >= vector_bytes && p.b.alignment >= vector_bytes;
  dispatch::TiledCost cost;
  cost.tile = row.tile;
  cost.stages = row.stages;
  cost.ctas_per_sm = traits.ctas_per_sm;
  cost.latency_cycles = traits.latency_cycles;
  cost.flop_per_sm_clock = (vectors ? traits.vectors : traits.copies) * dispatch::Fp32FlopPerSmClock(device);
  return dispatch::PredictTiled(cost, p, device).total();
}

Status Prepare(const KernelRow& row, const Normalized& p, const Device& device, const PlanOptions& options,
               driver::Kernel kernel, std::unique_ptr<const dispatch::Launcher>* launcher) {
  std::int64_t ctas = TileCount(row, p);
  if (row.variant == kAny) {
    ctas = std::min<std::int64_t>(ctas, std::int64_t{std::max(device.sm_count, 1)} * TraitsOf(row).ctas_per_sm);
  }
  return PrepareTiles(row, p, ctas, options.programmatic_launch, kernel, launcher);
}

constexpr dispatch::KernelFamily kFamily = {"simt", Reject, PredictUs, dispatch::NoWorkspace, Prepare};

// Shared memory is static: shared_bytes, the dynamic part, is 0. Two buffers take turns.
template <typename ShapeType>
constexpr KernelRow MakeRow(const char* name, const char* symbol, DataType type, MajorKind a, MajorKind b,
                            Variant variant) {
  return {name,
          &kFamily,
          &images::simt_kernels,
          "simt",
          symbol,
          type,
          a == kMajorK ? Major::kK : Major::kMN,
          b == kMajorK ? Major::kK : Major::kMN,
          {ShapeType::kTileM, ShapeType::kTileN, ShapeType::kTileK},
          /*stages=*/2,
          /*cluster_m=*/1,
          /*cluster_n=*/1,
          ShapeType::kThreads,
          /*shared_bytes=*/0,
          variant};
}

template <typename ShapeType>
constexpr KernelRow MakeRingRow(const char* name, const char* symbol, MajorKind a, MajorKind b, int variant) {
  KernelRow row = MakeRow<ShapeType>(name, symbol, DataType::kFP32, a, b, kLarge);
  row.family = &kRingFamily;
  row.source = "ring";
  row.stages = ShapeType::kStages;
  row.shared_bytes = ShapeType::kSharedBytes;
  row.variant = variant;
  return row;
}

template <int Rounds>
constexpr KernelRow MakeDotRow(const char* name, const char* symbol, DataType type, MajorKind a, MajorKind b) {
  KernelRow row = MakeRow<DotShape<Rounds>>(name, symbol, type, a, b, kLarge);
  row.family = &kDotFamily;
  row.source = "dot";
  row.stages = 1;
  return row;
}

constexpr KernelRow kRows[] = {
#define RING_SHAPE(...)
#define RING_KERNEL(shape, tile, tag, a, b)                                                 \
  MakeRingRow<shape>("simt_fp32_" #tag "_" tile, "SimtRing" #shape #tag, a, b, k##shape),   \
      MakeRingRow<shape>("simt_fp32_" #tag "_" tile "_split", "SimtRing" #shape #tag, a, b, \
                         k##shape | kSplit),
#include "common/simt/ring.inc"
#undef RING_SHAPE
#undef RING_KERNEL
#define SIMT_SHAPE(...)
#define SIMT_ROW(shape, tile, tag, a, b, type_name, type) \
  MakeRow<shape>("simt_" type_name "_" #tag "_" tile, "Simt" #shape #tag, type, a, b, k##shape),
#define SIMT_KERNEL(shape, tile, tag, a, b)                 \
  SIMT_ROW(shape, tile, tag, a, b, "fp32", DataType::kFP32) \
  SIMT_ROW(shape, tile, tag, a, b, "fp16", DataType::kFP16) \
  SIMT_ROW(shape, tile, tag, a, b, "bf16", DataType::kBF16)
#define SIMT_DOT_ROW(rounds, tile, tag, a, b, type_name, type) \
  MakeDotRow<rounds>("simt_" type_name "_" #tag "_" tile "_dot", "SimtDot" #rounds, type, a, b),
#define SIMT_DOT(rounds, tile, tag, a, b)                        \
  SIMT_DOT_ROW(rounds, tile, tag, a, b, "fp32", DataType::kFP32) \
  SIMT_DOT_ROW(rounds, tile, tag, a, b, "fp16", DataType::kFP16) \
  SIMT_DOT_ROW(rounds, tile, tag, a, b, "bf16", DataType::kBF16)
#define SIMT_ANY(shape, tile) \
  MakeRow<shape>("simt_any_" tile, "SimtAny", DataType::kFP32, kMajorK, kMajorK, kAny),
#include "common/simt/kernels.inc"
#undef SIMT_SHAPE
#undef SIMT_ROW
#undef SIMT_KERNEL
#undef SIMT_DOT_ROW
#undef SIMT_DOT
#undef SIMT_ANY
};

}  // namespace
}  // namespace gemm::simt

namespace gemm::dispatch {

KernelTable SimtKernels() { return {simt::kRows, std::size(simt::kRows)}; }

}  // namespace gemm::dispatch
