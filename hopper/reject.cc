#include "hopper/reject.h"

#include "hopper/input_maps.h"
#include "hopper/k_parts.h"
#include "hopper/output.h"
#include "hopper/raster.h"
#include "hopper/schedule.h"
#include "hopper/tensor_maps.h"

namespace gemm::hopper {
namespace {

const char* MajorName(problem::Major major, const char* rows) {
  return major == problem::Major::kK ? "K" : rows;
}

// A clause about one operand.
std::optional<std::string> RejectOperand(const char* name, const problem::Input& input, DataType type) {
  if (TmaTakesInput(input, type)) return std::nullopt;
  if (input.alignment < 16) {
    return std::string(name) + "'s rows start at multiples of " + std::to_string(input.alignment) +
           " bytes, and TMA needs multiples of 16";
  }
  return std::string(name) + "'s rows or matrices are 2^40 bytes apart or more, which TMA cannot address";
}

std::optional<std::string> RejectOperands(const problem::Normalized& problem) {
  if (auto why = RejectOperand("A", problem.a, problem.input_type)) return why;
  return RejectOperand("B", problem.b, problem.input_type);
}

// What has nothing to do with where the operands lie.
std::optional<std::string> RejectProblem(const dispatch::KernelRow& row, const problem::Normalized& problem,
                                         const dispatch::Device& device) {
  if (device.compute_capability() != 90) {
    return "it needs compute capability 9.0, and the device has " +
           std::to_string(device.compute_capability_major) + "." +
           std::to_string(device.compute_capability_minor);
  }
  if (device.sm_count < row.cluster_m * row.cluster_n) {
    return "its clusters are of " + std::to_string(row.cluster_m * row.cluster_n) + " CTAs, and it may use " +
           std::to_string(device.sm_count) + " SMs";
  }
  if (device.max_shared_bytes_per_block < row.shared_bytes) {
    return "it needs " + std::to_string(row.shared_bytes) + " bytes of shared memory, and the device has " +
           std::to_string(device.max_shared_bytes_per_block);
  }
  if (problem.compute != ComputeType::kTensor) return "it uses tensor cores, which the compute type rules out";
  if (problem.input_type != row.input_type) {
    return std::string("it multiplies ") + Name(row.input_type) + ", and the problem has " +
           Name(problem.input_type);
  }
  if (problem.a.major != row.a_major || problem.b.major != row.b_major) {
    return std::string("it takes A with ")
        .append(MajorName(row.a_major, "M"))
        .append(" and B with ")
        .append(MajorName(row.b_major, "N"))
        .append(" contiguous, and the problem has ")
        .append(MajorName(problem.a.major, "M"))
        .append(" and ")
        .append(MajorName(problem.b.major, "N"));
  }
  if (problem.k == 0) return "K = 0 leaves TMA nothing to load";
  if (problem.m > kExtentLimit || problem.n > kExtentLimit || problem.k > kExtentLimit ||
      problem.batch > kExtentLimit) {
    return "M, N, K or the batch is larger than " + std::to_string(kExtentLimit) + ", TMA's largest coordinate";
  }
  return std::nullopt;
}

// Threads load what the copy engine cannot address, and nothing else: with other rows they were not timed. In bytes they count a tile's first
// column and the batch in 32 bits (ShiftedOperand::SetTile).
std::optional<std::string> RejectForThreads(const problem::Normalized& problem) {
  if (!RejectOperands(problem)) return "TMA can address A and B, and other kernels have it do so";
  constexpr std::int64_t kMost = std::int64_t{1} << 30;
  const auto along_mn = [](const problem::Input& input, std::int64_t extent) {
    return input.major == problem::Major::kMN ? extent : 0;
  };
  if (along_mn(problem.a, problem.m) > kMost || along_mn(problem.b, problem.n) > kMost ||
      problem.batch > kMost) {
    return "M or N along a row of A or B, or the batch, is larger than " + std::to_string(kMost);
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> RejectInputs(const dispatch::KernelRow& row, const problem::Normalized& problem,
                                        const dispatch::Device& device) {
  if (auto why = RejectProblem(row, problem, device)) return why;
  return RejectOperands(problem);
}

std::optional<std::string> Reject(const dispatch::KernelRow& row, const problem::Normalized& asked,
                                  const dispatch::Device& device) {
  if (auto why = RejectProblem(row, asked, device)) return why;
  if (auto why = StartsAnywhere(row) ? RejectForThreads(asked) : RejectOperands(asked)) return why;
  const problem::Normalized problem = AsComputed(row, asked);
  const Raster raster = MakeRaster(row, problem, device);
  if (raster.tiles > kExtentLimit) return "D has more than " + std::to_string(kExtentLimit) + " tiles";
  if (EpilogueInRing(row) && raster.tiles > raster.resident) {
    return "its CTAs compute one tile each, " + std::to_string(raster.resident) +
           " clusters of them at once, and D has " + std::to_string(raster.tiles);
  }
  if (!OwnsTiles(ScheduleOf(row)) && problem.batch_invariant) return "where it splits K depends on M";
  if ((IsSplitK(row) && SplitKPartsOf(row, problem, raster, device) == 0) ||
      (IsParallelSplitK(row) && ParallelPartsOf(row, problem, raster, device) == 0)) {
    return "its tiles leave too few SMs idle to share their K, or K is too short";
  }
  if (IsStreamK(row) && StreamKOf(row, problem, raster, device).tiles == 0) {
    return "its tiles leave no SM idle, or K is too short or too long to be shared";
  }
  if (!problem.c.along_row) return "C and D have different layouts";
  // 1.5 to 5 times cuBLASLt's time at 15 of mid.txt's products (H200, 2026-11-29). Parallel split K's second kernel reads C as it stores D.
  if (problem.reads_c && IsTransposed(row) && !IsParallelSplitK(row) && !ReadsPanels(row, problem)) {
    return "it would read C an element at a time";
  }
  return std::nullopt;
}

}  // namespace gemm::hopper
