#include "ampere/plan.h"

#include <algorithm>
#include <climits>
#include <cmath>
#include <limits>
#include <memory>
#include <new>
#include <optional>
#include <string>

#include "ampere/config.h"
#include "common/base/data_type.h"
#include "common/base/math.h"
#include "common/base/nonce.h"
#include "common/base/status.h"
#include "common/device/element_type.h"
#include "common/dispatch/cost.h"

namespace gemm::ampere {
namespace {

using dispatch::Device;
using dispatch::KernelRow;
using problem::Normalized;

static_assert(static_cast<int>(DataType::kFP32) == device::kElementFP32 &&
              static_cast<int>(DataType::kFP16) == device::kElementFP16 &&
              static_cast<int>(DataType::kBF16) == device::kElementBF16);

// The kernels count K in int, and some run up to kStages tiles past its end.
constexpr std::int64_t kMaxK = INT_MAX - 4096;

// Copy::kAligned counts the bytes from a tile's first row to any other (up to 255, and 512 bytes along the row) in 32 bits.
constexpr std::int64_t kMaxAlignedLdBytes = (1 << 24) - 128;

// CTAs that CUDA takes in the first two dimensions of a grid.
constexpr long long kMaxGridX = INT_MAX;
constexpr long long kMaxGridY = 65535;

const char* MajorName(problem::Major major) { return major == problem::Major::kK ? "K" : "MN"; }

std::int64_t TilesPerMatrix(const KernelRow& row, const Normalized& p) {
  std::int64_t tiles = 0;
  const std::int64_t tiles_m = base::CeilDiv<std::int64_t>(p.m, row.tile.m);
  const std::int64_t tiles_n = base::CeilDiv<std::int64_t>(p.n, row.tile.n);
  return base::CheckedMultiply(tiles_m, tiles_n, &tiles) ? tiles : INT64_MAX;
}

Copy CopyOf(const KernelRow& row) { return static_cast<Copy>(row.variant & ~(kSplit | kRest | kSeveralTiles)); }
bool IsSplit(const KernelRow& row) { return (row.variant & kSplit) != 0; }
bool SplitsRest(const KernelRow& row) { return (row.variant & kRest) != 0; }

bool Rounds(const KernelRow& row) { return row.input_type == DataType::kFP32; }

int PartsOf(const KernelRow& row, const Normalized& p, const Device& device);

std::optional<std::string> Reject(const KernelRow& row, const Normalized& p, const Device& device) {
  if (device.compute_capability_major < 8) {
    return base::Concat("compute capability ", device.compute_capability_major, '.',
                        device.compute_capability_minor, " is below 8.0");
  }
  const ComputeType compute = Rounds(row) ? ComputeType::kTF32 : ComputeType::kTensor;
  if (p.compute != compute)
    return base::Concat("the compute type is ", Name(p.compute), ", not ", Name(compute));
  if (p.input_type != row.input_type) {
    return base::Concat("A and B are ", Name(p.input_type), ", not ", Name(row.input_type));
  }
  if (p.a.major != row.a_major || p.b.major != row.b_major) {
    return base::Concat("A is ", MajorName(p.a.major), "-major and B ", MajorName(p.b.major), "-major, not ",
                        MajorName(row.a_major), " and ", MajorName(row.b_major));
  }
  if (CopyOf(row) == Copy::kAligned) {
    const int alignment = std::min(p.a.alignment, p.b.alignment);
    if (alignment < 16) {
      return base::Concat(p.a.alignment < 16 ? "A" : "B", " is aligned to ", alignment, " bytes, not 16");
    }
    const std::int64_t ld = std::max(p.a.ld, p.b.ld);
    const std::int64_t most = kMaxAlignedLdBytes / base::ElementBytes(p.input_type);
    if (ld > most) return base::Concat("a leading dimension, ", ld, ", is above ", most);
  }
  if (row.shared_bytes > device.max_shared_bytes_per_block) {
    return base::Concat("it needs ", row.shared_bytes, " bytes of shared memory, the device has ",
                        device.max_shared_bytes_per_block);
  }
  if (p.k > kMaxK) return base::Concat("K = ", p.k, " is above ", kMaxK);
  if (TilesPerMatrix(row, p) > INT_MAX) return std::string("a matrix has more than 2^31 - 1 tiles");
  std::int64_t tiles = 0;
  if (!base::CheckedMultiply(TilesPerMatrix(row, p), p.batch, &tiles) || tiles > kMaxGridX * kMaxGridY) {
    return base::Concat("the batch has more than ", kMaxGridX * kMaxGridY, " tiles");
  }
  if (IsSplit(row) && p.batch_invariant) return std::string("where it splits K depends on M");
  if (PartsOf(row, p, device) == 0) {
    return std::string(
        SplitsRest(row)
            ? "no round of tiles is full, or the last one is more than half, or K is too short to be split"
            : "K is too short to be split, or the tiles are many");
  }
  return std::nullopt;
}

// How fast a tile's main loop was seen to run on one H200 (docs/perf/ampere.md); other devices are assumed to reach the same
// part of their own ceiling. `part`: 2026-11-21, of 160x256 in proportion to 128x256 on 2026-11-22. `cycles_per_k`: 2026-11-22, of
// 128x256, 160x256 (in proportion), 64x128 and Copy::kAny before the main loop lost its branch.
struct Pace {
  int area;  // tile.m * tile.n
  Copy copy;
  double part;          // of MmaSyncFlopPerSmClock, an SM full of CTAs
  double cycles_per_k;  // of one CTA alone on its SM, for each element of K
};
constexpr Pace kPaces[] = {
    {160 * 256, Copy::kAligned, 0.855, 39.6}, {128 * 256, Copy::kAligned, 0.826, 32.5},
    {128 * 128, Copy::kAligned, 0.754, 17.2}, {64 * 128, Copy::kAligned, 0.631, 15.8},
    {64 * 64, Copy::kAligned, 0.532, 8.7},    {32 * 64, Copy::kAligned, 0.37, 5.9},
    {16 * 64, Copy::kAligned, 0.24, 4.5},     {128 * 128, Copy::kAny, 0.51, 26.4},
    {64 * 64, Copy::kAny, 0.375, 15.2},
};

// Outside the main loop: of each round of CTAs, of each tile, and of each element of a tile, whose epilogue nothing hides. Least
// squares over 834 times of 166 random products, K from 128 to 32768 (H200, 2026-11-22); the standard deviation is 16%.
constexpr double kPrologueCycles = 190;
constexpr double kEpilogueCycles = 1500;
constexpr double kEpilogueCyclesPerElement = 0.21;

// The part of the pace for 16-bit elements that TF32 has: instructions of half the FLOP, and a multiplication for each register of
// fragments. 128x256 at 4096^3 and 8192^3, as kn 0.44 (H200, 2026-11-22).
constexpr double kTF32Factor = 0.47;

// The pace of the largest tile that is not above the row's.
const Pace& FindPace(const KernelRow& row) {
  const Pace* best = nullptr;
  for (const Pace& pace : kPaces) {
    if (pace.copy != CopyOf(row)) continue;
    if (best == nullptr || (pace.area <= row.tile.m * row.tile.n &&
                            (best->area < pace.area || best->area > row.tile.m * row.tile.n))) {
      best = &pace;
    }
  }
  return *best;
}

// The part of the pace for 16-byte copies that is left with narrower ones: 4096^3, as above (8 bytes: not
// measured).
double NarrowCopyFactor(const Normalized& p) {
  const std::int32_t alignment = std::min(p.a.alignment, p.b.alignment);
  return alignment >= 16 ? 1 : alignment >= 8 ? 0.75 : alignment >= 4 ? 0.53 : 0.45;
}

int ResidentCtas(const KernelRow& row, const Device& device) {
  const int by_registers = row.threads <= 128 ? 2 : 1;
  const std::int64_t by_shared = device.max_shared_bytes_per_block / std::max(row.shared_bytes, 1);
  return static_cast<int>(std::max<std::int64_t>(1, std::min<std::int64_t>(by_registers, by_shared)));
}

// CTAs that the device runs at a time.
int CtasAtOnce(const KernelRow& row, const Device& device) {
  return std::max(device.sm_count, 1) * ResidentCtas(row, device);
}

// The tiles that a row splits: all, or those that do not fill a round. Only for tiles that can be counted in 32 bits.
std::int64_t SplitTiles(const KernelRow& row, const Normalized& p, const Device& device) {
  const std::int64_t tiles = TilesPerMatrix(row, p) * p.batch;
  return SplitsRest(row) ? tiles % CtasAtOnce(row, device) : tiles;
}

// What the busiest SM gets where K is split into `parts`. As above.
dispatch::TiledShare ShareOfParts(const KernelRow& row, const Normalized& p, const Device& device, int parts) {
  const std::int64_t ctas = SplitTiles(row, p, device) * parts;
  const auto per_sm = base::CeilDiv<std::int64_t>(ctas, std::max(device.sm_count, 1));
  const auto rounds = base::CeilDiv<std::int64_t>(per_sm, ResidentCtas(row, device));
  const auto steps = base::CeilDiv<std::int64_t>(base::CeilDiv<std::int64_t>(p.k, row.tile.k), parts);
  return {static_cast<double>(rounds), static_cast<double>(per_sm), static_cast<double>(per_sm * steps),
          static_cast<double>(rounds * steps)};
}

// What handing partial sums over costs: a store, a count and a load one after the other, and the bytes.
double ExchangeUs(const KernelRow& row, const dispatch::TiledShare& share, const Device& device, int parts) {
  // Fitted to 24 times with 2 to 19 parts on one H200, 2026-11-22: 8% root mean square.
  constexpr double kCycles = 6000;
  constexpr double kBytesPerCycle = 30;
  const double bytes = 4.0 * row.tile.m * row.tile.n * (parts + share.tiles);
  return (kCycles + bytes / kBytesPerCycle) / std::max(device.sm_clock_mhz, 1.0);
}

// The same, and the whole tiles beside them.
dispatch::TiledShare ShareOfRest(const KernelRow& row, const Normalized& p, const Device& device, int parts) {
  dispatch::TiledShare share = ShareOfParts(row, p, device, parts);
  const std::int64_t tiles = TilesPerMatrix(row, p) * p.batch;
  const auto whole = static_cast<double>(tiles / std::max(device.sm_count, 1));  // one CTA an SM
  const auto steps = static_cast<double>(base::CeilDiv<std::int64_t>(p.k, row.tile.k));
  share.rounds += whole;
  share.tiles += whole;
  share.steps += whole * steps;
  share.chain += whole * steps;
  return share;
}

// What handing partial sums over costs where helpers finish the tiles: the sums of a part are written, and a slice of all parts
// is read. From one product: 4096^3 by 160x256 in 0.98 to 0.99 of the time of 128x256
// (H200, 2026-11-22).
double RestExchangeUs(const KernelRow& row, const Device& device, int parts) {
  constexpr double kCycles = 2000;
  constexpr double kBytesPerCycle = 60;
  const double area = 4.0 * row.tile.m * row.tile.n;
  return (kCycles + area * (1 + static_cast<double>(parts) / kMostSlices) / kBytesPerCycle) /
         std::max(device.sm_clock_mhz, 1.0);
}

double PredictPartsUs(const KernelRow& row, const Normalized& p, const Device& device, int parts) {
  const Pace& pace = FindPace(row);
  const double factor = Rounds(row) ? kTF32Factor : CopyOf(row) == Copy::kAny ? NarrowCopyFactor(p) : 1;
  dispatch::TiledCost cost;
  cost.tile = row.tile;
  cost.stages = row.stages;
  cost.ctas_per_sm = ResidentCtas(row, device);
  cost.flop_per_sm_clock = dispatch::MmaSyncFlopPerSmClock(device) * pace.part * factor;
  cost.prologue_cycles = kPrologueCycles;
  cost.epilogue_cycles = kEpilogueCycles + kEpilogueCyclesPerElement * row.tile.m * row.tile.n;
  // The model divides a stage's latency by the number of stages; the pace is already per step.
  cost.latency_cycles = row.stages * row.tile.k * pace.cycles_per_k / factor;
  const dispatch::TiledShare share = parts == 1        ? dispatch::BusiestShare(cost, p, device)
                                     : SplitsRest(row) ? ShareOfRest(row, p, device, parts)
                                                       : ShareOfParts(row, p, device, parts);
  dispatch::TiledTime time = dispatch::PredictShare(cost, share, p, device);
  // One row of A against 57344 x 8192 took 315 us where the memory needs 210 (H200, 2026-11-21).
  constexpr double kStreamFactor = 1.5;
  time.memory *= kStreamFactor;
  if (parts == 1) return time.total();
  return time.total() +
         (SplitsRest(row) ? RestExchangeUs(row, device, parts) : ExchangeUs(row, share, device, parts));
}

// The most parts that the tiles which do not fill a round can be cut into: all parts are to run at a time. (784 parts, whose sums do
// not fit the L2, made 5120^3 an eighth slower, 2026-11-22.)
std::int64_t MostPartsOfRest(const KernelRow& row, const Normalized& p, const Device& device) {
  constexpr std::int64_t kMostTiles = 1 << 20;  // where they are more, nobody will notice the last round
  const std::int64_t tiles = TilesPerMatrix(row, p);
  if (tiles > kMostTiles || p.batch > kMostTiles / std::max<std::int64_t>(tiles, 1)) return 0;
  const std::int64_t rest = SplitTiles(row, p, device);
  if (rest == 0 || rest == tiles * p.batch) return 0;
  return std::min<std::int64_t>(base::CeilDiv<std::int64_t>(p.k, row.tile.k),
                                std::max(device.sm_count, 1) / rest);
}

// The most parts that all tiles can be cut into.
std::int64_t MostPartsOfAll(const KernelRow& row, const Normalized& p, const Device& device) {
  constexpr std::int64_t kMostRounds = 4;  // of resident CTAs: with more there is nothing to gain
  const std::int64_t tiles = std::max<std::int64_t>(TilesPerMatrix(row, p), 1);
  const std::int64_t ctas = kMostRounds * CtasAtOnce(row, device);
  if (tiles > ctas || p.batch > ctas / tiles) return 0;
  return std::min<std::int64_t>(base::CeilDiv<std::int64_t>(p.k, row.tile.k), ctas / (tiles * p.batch));
}

// Into how many parts the row cuts K: 1 for rows that do not, 0 where a row that does has nothing to cut.
int PartsOf(const KernelRow& row, const Normalized& p, const Device& device) {
  if (!IsSplit(row)) return 1;
  constexpr std::int64_t kMostParts = 32;
  const std::int64_t most =
      std::min(kMostParts, SplitsRest(row) ? MostPartsOfRest(row, p, device) : MostPartsOfAll(row, p, device));
  int best = 0;
  double best_us = std::numeric_limits<double>::infinity();
  for (int parts = 2; parts <= most; ++parts) {
    const double us = PredictPartsUs(row, p, device, parts);
    if (us >= best_us) continue;
    best = parts;
    best_us = us;
  }
  return best;
}

double PredictUs(const KernelRow& row, const Normalized& p, const Device& device) {
  return PredictPartsUs(row, p, device, PartsOf(row, p, device));
}

// Workspace of split K: the tiles' counters lie behind the partial sums.
std::size_t PartialBytes(const Params& params, const dispatch::Tile& tile) {
  return static_cast<std::size_t>(params.split.tiles) * static_cast<std::size_t>(params.split.parts) *
         static_cast<std::size_t>(tile.m * tile.n) * sizeof(float);
}

std::size_t WorkspaceBytes(const KernelRow& row, const Normalized& p, const Device& device) {
  if (!IsSplit(row)) return 0;
  const Params params = MakeParams(row, p, device);
  const int counters = SplitsRest(row) ? kMostSlices : 1;
  return PartialBytes(params, row.tile) +
         static_cast<std::size_t>(params.split.tiles) * counters * sizeof(std::uint64_t);
}

OperandParams MakeOperand(const problem::Input& input) {
  return {nullptr, input.ld, input.batch_stride, std::min(input.alignment, 16)};
}

OutputParams MakeOutput(const problem::Output& output) {
  return {output.row_stride, output.col_stride, output.batch_stride,
          output.col_stride == 1 && output.alignment >= 16 ? 1 : 0};
}

// Rows of tiles walked together such that a wave of CTAs touches about as much of A as of B.
int Raster(const KernelRow& row, const Device& device) {
  const double wave = CtasAtOnce(row, device);
  const double rows = std::sqrt(wave * row.tile.n / row.tile.m);
  int raster = 1;
  while (2 * raster <= rows) raster *= 2;
  return raster;
}

class AmpereLauncher final : public dispatch::Launcher {
 public:
  // counters_at: in workspace.
  AmpereLauncher(const Params& params, std::size_t counters_at, const driver::LaunchShape& shape,
                 driver::Kernel kernel)
      : params_(params), counters_at_(counters_at), shape_(shape), kernel_(kernel) {}

  Status Run(const Arguments& args) const noexcept override {
    Params params = params_;
    params.a.base = args.a;
    params.b.base = args.b;
    params.c = args.c;
    params.d = args.d;
    params.scalars = {args.alpha, args.beta, args.alpha_device, args.beta_device};
    if (params.split.parts > 1) {
      params.split.partials = static_cast<float*>(args.workspace);
      params.split.counters =
          reinterpret_cast<unsigned long long*>(static_cast<char*>(args.workspace) + counters_at_);
      params.split.nonce = base::NextNonce();
    }
    void* parameters[] = {&params};
    return driver::Launch(kernel_, shape_, args.stream, parameters);
  }

 private:
  Params params_;
  std::size_t counters_at_;
  driver::LaunchShape shape_;
  driver::Kernel kernel_;
};

Status Prepare(const KernelRow& row, const Normalized& problem, const Device& device,
               const PlanOptions& options, driver::Kernel kernel,
               std::unique_ptr<const dispatch::Launcher>* launcher) {
  const Params params = MakeParams(row, problem, device);
  driver::LaunchShape shape;
  const Grid grid = MakeGrid(row, params, device);
  shape.grid[0] = grid.x;
  shape.grid[1] = grid.y;
  shape.block[0] = static_cast<unsigned>(row.threads);
  shape.shared_bytes = static_cast<unsigned>(row.shared_bytes);
  // Older code has no griddepcontrol.wait, so it must not start before its predecessor has ended.
  shape.programmatic = options.programmatic_launch && kernel.compiled_for >= 90;
  launcher->reset(new (std::nothrow) AmpereLauncher(params, PartialBytes(params, row.tile), shape, kernel));
  return *launcher != nullptr ? Status() : base::HostMemoryExhausted();
}

}  // namespace

const dispatch::KernelFamily kFamily = {"ampere", Reject, PredictUs, WorkspaceBytes, Prepare};

Params MakeParams(const KernelRow& row, const Normalized& problem, const Device& device) {
  Params params = {};
  params.a = MakeOperand(problem.a);
  params.b = MakeOperand(problem.b);
  params.c_layout = MakeOutput(problem.c);
  params.d_layout = MakeOutput(problem.d);
  params.m = problem.m;
  params.n = problem.n;
  params.k = static_cast<int>(problem.k);
  params.output_type = static_cast<int>(problem.output_type);
  params.schedule.tiles_m = static_cast<int>(base::CeilDiv<std::int64_t>(problem.m, row.tile.m));
  params.schedule.tiles_n = static_cast<int>(base::CeilDiv<std::int64_t>(problem.n, row.tile.n));
  params.schedule.tiles = TilesPerMatrix(row, problem) * problem.batch;
  params.schedule.raster = Raster(row, device);
  params.split.parts = PartsOf(row, problem, device);
  params.split.tiles = params.split.parts > 1 ? static_cast<int>(SplitTiles(row, problem, device)) : 0;
  return params;
}

Grid MakeGrid(const KernelRow& row, const Params& params, const Device& device) {
  if ((row.variant & kSeveralTiles) != 0) {
    return {static_cast<unsigned>(std::min<long long>(params.schedule.tiles, CtasAtOnce(row, device))), 1};
  }
  const bool splits_all = params.split.tiles == params.schedule.tiles;
  const long long ctas =
      splits_all ? params.schedule.tiles * params.split.parts : params.schedule.tiles - params.split.tiles;
  const long long x = std::min(ctas, kMaxGridX);
  return {static_cast<unsigned>(x), static_cast<unsigned>(base::CeilDiv(ctas, std::max(x, 1LL)))};
}

}  // namespace gemm::ampere
