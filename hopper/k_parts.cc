#include "hopper/k_parts.h"

#include "hopper/cost.h"
#include "hopper/cycles.h"
#include "hopper/parallel_split_k.h"
#include "hopper/schedule.h"
#include "hopper/split_k.h"

namespace gemm::hopper {
namespace {

// Of each consumer warp of a CTA of stream-K (stream_k.cuh).
std::size_t FlagBytes(const dispatch::KernelRow& row) {
  return sizeof(unsigned long long) * ConsumerWarps(row);
}

// Of a K step with all SMs at work.
double StepCyclesOf(const dispatch::KernelRow& row, const problem::Normalized& computed, const Raster& raster,
                    const dispatch::Device& device) {
  const CostConstants& cost = CostOf(device);
  return StepCycles(cost, row, computed, AskedOf(cost, row, computed, raster, true), device.sm_count);
}

}  // namespace

StreamK StreamKOf(const dispatch::KernelRow& row, const problem::Normalized& computed, const Raster& raster,
                  const dispatch::Device& device) {
  const CostConstants& cost = CostOf(device);
  const double step_cycles = StepCyclesOf(row, computed, raster, device);
  const double hand_over_steps = HandOverCycles(row) / step_cycles;
  return MakeStreamK(row, computed, raster, hand_over_steps, [&](const StreamK& share, double steps) {
    return steps * step_cycles * RangeSteps(cost, share.even, 1) +
           StreamKTailCycles(cost, row, static_cast<double>(share.parts), share.scatters,
                             share.finisher_more > 0, 1);
  });
}

std::int64_t SplitKPartsOf(const dispatch::KernelRow& row, const problem::Normalized& computed,
                           const Raster& raster, const dispatch::Device& device) {
  const CostConstants& cost = CostOf(device);
  const double step_cycles = StepCyclesOf(row, computed, raster, device);
  return MakeSplitK(row, computed, raster, device, step_cycles,
                    [&](int parts) { return SplitKCycles(cost, row, parts); });
}

std::int64_t ParallelPartsOf(const dispatch::KernelRow& row, const problem::Normalized& computed,
                             const Raster& raster, const dispatch::Device& device) {
  const CostConstants& cost = CostOf(device);
  const TileRows asked = AskedOf(cost, row, computed, raster, true);
  const double ctas = CtaTiles(row, raster);
  return MakeParallelSplitK(row, computed, raster, [&](std::int64_t steps, std::int64_t parts) {
    const double at_once = ctas * static_cast<double>(parts);
    return static_cast<double>(steps) * StepCycles(cost, row, computed, asked, at_once);
  });
}

std::size_t PartialBytes(const dispatch::KernelRow& row) { return sizeof(float) * row.tile.m * row.tile.n; }

std::size_t WorkspaceBytes(const dispatch::KernelRow& row, const problem::Normalized& problem,
                           const dispatch::Device& device) {
  const problem::Normalized computed = AsComputed(row, problem);
  const Raster raster = MakeRaster(row, computed, device);
  const std::int64_t cluster = row.cluster_m * row.cluster_n;
  if (IsParallelSplitK(row)) {
    const std::int64_t parts = ParallelPartsOf(row, computed, raster, device);
    return static_cast<std::size_t>(raster.tiles * parts * cluster) * PartialBytes(row);
  }
  if (IsStreamK(row)) {
    const std::int64_t clusters = StreamKOf(row, computed, raster, device).clusters;
    return static_cast<std::size_t>(clusters * cluster) * (PartialBytes(row) + FlagBytes(row));
  }
  return 0;
}

}  // namespace gemm::hopper
