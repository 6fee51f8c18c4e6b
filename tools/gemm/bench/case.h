// One problem, timed: ours and the rival's entrants against each other.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gemm/gemm.h"
#include "tools/gemm/bench/burst.h"
#include "tools/gemm/bench/data.h"
#include "tools/gemm/bench/options.h"
#include "tools/gemm/bench/other_build.h"
#include "tools/gpu/gpu.h"
#include "tools/nvml/nvml.h"
#include "tools/rival/cublaslt.h"

namespace gemm::tool::bench {

enum class Side {
  kOurs,          // the kernel that the library chooses, or the one that was forced
  kOtherRow,      // another of our kernels, under --kernels all
  kRival,         // an algorithm of the heuristics
  kRivalDefault,  // what cuBLASLt does when it is told none
  kRung,          // a kernel of the ladder
  kShape,         // a kernel of the sweep
  kOtherBuild,    // the choice of another libgemm.so, or its kernel of the name that was forced
};

// What the graph of an entrant holds.
struct Captured {
  int launches = 0;         // products
  std::size_t kernels = 0;  // a launch may be several
  std::optional<gpu::GraphEdges> edges;
};

// What became of one entrant.
struct EntrantResult {
  Side side = Side::kOurs;
  std::string name;                    // the kernel's; "heuristic 3", "default"
  std::string detail;                  // of an algorithm: its configuration
  std::optional<double> predicted_us;  // of our kernels
  std::string failure;                 // it did not run, or not rightly: why
  double worst_error = 0;              // in units of the bound of gemm.h
  std::size_t workspace_bytes = 0;     // that it may use
  Captured captured;
  std::optional<double> screen_us;  // best of the short screening bursts
  std::vector<double> round_us;     // empty: left out after screening, or failed
  std::vector<double> mhz;
  std::optional<EnergyReading> energy;

  double MedianUs() const;  // 0 without rounds
  std::optional<double> MedianMhz() const;
};

struct CaseResult {
  Problem problem;
  bool with_c = false;
  std::string failure;  // nothing could be timed: why
  StatusCode failure_code = StatusCode::kOk;
  std::string rival_note;  // why there is no rival, or none of its algorithms
  std::int64_t sets = 0;
  double footprint_bytes = 0;
  std::vector<EntrantResult> entrants;

  // Null when it has no time. BestRival is the fastest of the algorithms and the default.
  const EntrantResult* Ours() const;
  const EntrantResult* BestRow() const;  // of ours and the other rows
  const EntrantResult* BestRival() const;
  const EntrantResult* RivalDefault() const;
  const EntrantResult* Beside() const;  // the other build's
  // The rival's time over ours, in each round that of the rival's entrant whose other rounds have the shortest median, and the geometric
  // mean of the rounds. The shortest of several medians that scatter is shorter than that entrant's time: in three rounds of 10 ms by 1.1% in
  // the mean of mid.txt's products and of prefill.txt's, by 0.2% of decode.txt's (H200, 2026-11-28). This ratio is too high instead,
  // as other entrants than the fastest are chosen too. Nothing without ours, a rival and two rounds.
  std::optional<double> RatioByOtherRounds() const;
  bool verified() const;  // no entrant of ours missed the bound
};

struct Entrant;
using Entrants = std::vector<std::unique_ptr<Entrant>>;

// What all cases share. Its objects outlive the cases.
struct Bench {
  Options options;
  std::size_t l2_bytes = 0;
  gpu::Context context;
  gpu::Stream stream;
  nvml::Gpu nvml;
  std::shared_ptr<rival::CublasLt> rival;  // null without
  std::string rival_note;
  std::unique_ptr<const OtherBuild> beside;  // null without
  std::vector<std::unique_ptr<NormalPool>> pools;
  gpu::DeviceBuffer memory;
  gpu::DeviceBuffer workspace;

  Status Pool(DataType type, const NormalPool** pool);
  // The rotation's operands lie in `buffer`, and are filled when this returns.
  Status Operands(const Problem& problem, gpu::DeviceBuffer* buffer, Rotation* rotation);
  // For each of them; graphs captured before lose theirs.
  Status ReserveWorkspace(const Entrants& entrants);
  // The entrant's launch on those operands, with the bench's workspace and stream.
  Step StepOf(const Entrant& entrant, const Rotation& rotation) const;
};

// Adds those who take part (entrant.h). One that cannot has a failure and no launch.
using Gather = std::function<Status(const Bench& bench, const Problem& problem, Entrants* entrants)>;

// Times one problem. `progress` is told the finished part of it. Failures are in the result. cuBLASLt and another build take part where
// the bench has them, beside libgemm's kernels or those whom `gather` adds.
CaseResult RunCase(Bench* bench, const Problem& problem, const std::function<void(double)>& progress);
CaseResult RunCase(Bench* bench, const Problem& problem, const Gather& gather,
                   const std::function<void(double)>& progress);

}  // namespace gemm::tool::bench
