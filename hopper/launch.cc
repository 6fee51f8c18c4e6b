#include "hopper/launch.h"

#include <algorithm>
#include <cmath>
#include <new>

#include "common/base/math.h"
#include "common/base/nonce.h"
#include "common/device/scalars.cuh"
#include "hopper/boxes.h"
#include "hopper/clusters.h"
#include "hopper/config.cuh"
#include "hopper/correction.h"
#include "hopper/cost.h"
#include "hopper/features.h"
#include "hopper/output.h"
#include "hopper/parallel_split_k.h"
#include "hopper/params.h"
#include "hopper/parts_launcher.h"
#include "hopper/raster.h"
#include "hopper/schedule.h"
#include "hopper/sectors.h"
#include "hopper/split_k.h"
#include "hopper/stream_k.h"

namespace gemm::hopper {
namespace {

using driver::TensorMapShape;

static_assert(sizeof(TensorMap) == sizeof(CUtensorMap) && alignof(TensorMap) >= alignof(CUtensorMap));
// convert.cuh's ElementType, which NVRTC must be able to read, has these values.
static_assert(static_cast<int>(DataType::kFP32) == 0 && static_cast<int>(DataType::kFP16) == 1 &&
              static_cast<int>(DataType::kBF16) == 2);

constexpr std::int64_t kSwizzleBytes = 128;
constexpr std::int64_t kPanel = 64;  // rows and columns of a panel of transposed_store.cuh

CUtensorMapDataType MapType(DataType type) {
  switch (type) {
    case DataType::kFP32:
      return CU_TENSOR_MAP_DATA_TYPE_FLOAT32;
    case DataType::kFP16:
      return CU_TENSOR_MAP_DATA_TYPE_FLOAT16;
    default:
      return CU_TENSOR_MAP_DATA_TYPE_BFLOAT16;
  }
}

std::int64_t Bytes(DataType type) { return type == DataType::kFP32 ? 4 : 2; }

// A batch of matrices with `inner` contiguous elements in each of `outer` rows. The stride of a dimension of
// extent 1 is never used, but the driver checks it: any multiple of 16 will do.
TensorMapShape Shape(DataType type, std::int64_t inner, std::int64_t outer, std::int64_t ld, std::int64_t batch,
                     std::int64_t batch_stride, std::int64_t box_inner, std::int64_t box_outer) {
  TensorMapShape shape;
  shape.type = MapType(type);
  shape.rank = 3;
  shape.extent[0] = static_cast<std::uint64_t>(inner);
  shape.extent[1] = static_cast<std::uint64_t>(outer);
  shape.extent[2] = static_cast<std::uint64_t>(batch);
  shape.stride_bytes[0] = outer == 1 ? 16 : static_cast<std::uint64_t>(ld * Bytes(type));
  shape.stride_bytes[1] = batch == 1 ? 16 : static_cast<std::uint64_t>(batch_stride * Bytes(type));
  shape.box[0] = static_cast<std::uint32_t>(box_inner);
  shape.box[1] = static_cast<std::uint32_t>(box_outer);
  shape.box[2] = 1;
  return shape;
}

// Params::whole_columns.
std::int64_t WholeColumns(const problem::Normalized& problem) {
  if (!TmaTakesOutput(problem.d, problem.output_type)) return 0;
  const std::int64_t per_unit = 16 / Bytes(problem.output_type);
  return problem.n / per_unit * per_unit;
}

// D for a kernel that computes its transpose (transposed_store.cuh).
TensorMapShape PanelShape(const problem::Normalized& computed) {
  const problem::Output& d = computed.d;
  return Shape(computed.output_type, computed.m, computed.n, d.row_stride,
               d.batch_stride == 0 ? 1 : computed.batch, d.batch_stride, kPanel, kPanel);
}

TensorMapShape OutputShape(const problem::Normalized& problem, const problem::Output& output,
                           std::int64_t columns, std::int64_t box_columns) {
  const std::int64_t batch = output.batch_stride == 0 ? 1 : problem.batch;
  return Shape(problem.output_type, columns, problem.m, output.row_stride, batch, output.batch_stride,
               box_columns, 16);
}

// Params::by_sectors.
bool BySectors(const dispatch::KernelRow& row, const problem::Normalized& problem, const Raster& raster) {
  return StoresSectors(row, problem, raster.tiles > raster.clusters) && WholeColumns(problem) == problem.n &&
         IsAddressable(problem.d.alignment, 2 * problem.d.row_stride * Bytes(problem.output_type), 0);
}

// D as pairs of rows.
TensorMapShape PairsShape(const problem::Normalized& problem, std::int64_t box_columns) {
  const std::int64_t row_bytes = problem.d.row_stride * Bytes(problem.output_type);
  TensorMapShape shape;
  shape.type = MapType(problem.output_type);
  shape.rank = 4;
  const std::int64_t extent[] = {problem.n, 2, problem.m / 2, problem.batch};
  const std::int64_t stride[] = {row_bytes, 2 * row_bytes,
                                 problem.batch == 1 ? 16 : problem.d.batch_stride * Bytes(problem.output_type)};
  std::copy(std::begin(extent), std::end(extent), shape.extent);
  std::copy(std::begin(stride), std::end(stride), shape.stride_bytes);
  const std::int64_t box[] = {box_columns, 1, 8, 1};
  std::copy(std::begin(box), std::end(box), shape.box);
  return shape;
}

bool IsStreamK(const dispatch::KernelRow& row) { return ScheduleOf(row) == Schedule::kStreamK; }
bool IsSplitK(const dispatch::KernelRow& row) { return ScheduleOf(row) == Schedule::kSplitK; }

StreamK StreamKOf(const dispatch::KernelRow& row, const problem::Normalized& problem,
                  const dispatch::Device& device) {
  const CostConstants& cost = CostOf(device);
  const Raster raster = MakeRaster(row, problem, device);
  const double step_cycles =
      StepCycles(cost, row, problem, AskedOf(cost, row, problem, raster, true), device.sm_count);
  const double hand_over_steps = HandOverCycles(row) / step_cycles;
  return MakeStreamK(row, problem, raster, hand_over_steps, [&](const StreamK& share, double steps) {
    return steps * step_cycles * RangeSteps(cost, share.even, 1) +
           StreamKTailCycles(cost, row, static_cast<double>(share.parts), share.scatters,
                             share.finisher_more > 0, 1);
  });
}

// The parts of K; 0 where the row cannot split it.
std::int64_t PartsOf(const dispatch::KernelRow& row, const problem::Normalized& problem, const Raster& raster,
                     const dispatch::Device& device) {
  const CostConstants& cost = CostOf(device);
  const double step_cycles =
      StepCycles(cost, row, problem, AskedOf(cost, row, problem, raster, true), device.sm_count);
  return MakeSplitK(row, problem, raster, device, step_cycles,
                    [&](int parts) { return SplitKCycles(cost, row, parts); });
}

// The same of parallel split K.
std::int64_t ParallelPartsOf(const dispatch::KernelRow& row, const problem::Normalized& problem,
                             const Raster& raster, const dispatch::Device& device) {
  const CostConstants& cost = CostOf(device);
  const TileRows asked = AskedOf(cost, row, problem, raster, true);
  const double ctas = CtaTiles(row, raster);
  return MakeParallelSplitK(row, problem, raster, [&](std::int64_t steps, std::int64_t parts) {
    const double at_once = ctas * static_cast<double>(parts);
    return static_cast<double>(steps) * StepCycles(cost, row, problem, asked, at_once);
  });
}

// Workspace: the partial tile of each CTA, then the flags of its consumer warps (stream_k.cuh).
std::size_t PartialBytes(const dispatch::KernelRow& row) { return sizeof(float) * row.tile.m * row.tile.n; }
std::size_t FlagBytes(const dispatch::KernelRow& row) {
  return sizeof(unsigned long long) * (row.threads / 32 - 4);  // warps but those of the producer
}

Status EncodeMap(const TensorMapShape& shape, const void* address, TensorMap* map) noexcept {
  return driver::EncodeTensorMap(shape, address, reinterpret_cast<CUtensorMap*>(map));
}

// The maps of whole boxes and of the tail's, as far as there are such boxes (boxes.h).
struct InputMaps {
  TensorMapShape whole;
  TensorMapShape tail;

  // The same with narrower boxes.
  InputMaps Narrowed(std::int64_t columns) const {
    InputMaps maps = *this;
    maps.whole.box[0] = maps.tail.box[0] = static_cast<std::uint32_t>(columns);
    return maps;
  }

  Status Encode(const void* address, TensorMap* whole_map, TensorMap* tail_map) const noexcept {
    if (whole.box[1] > 0) {
      if (Status status = EncodeMap(whole, address, whole_map); !status.ok()) return status;
    }
    return tail.box[1] > 0 ? EncodeMap(tail, address, tail_map) : Status();
  }
};

// Params::last_slices. A tile's first step is always a whole one.
unsigned LastSlices(const dispatch::KernelRow& row, const problem::Normalized& problem) {
  const bool k_major = problem.a.major == problem::Major::kK && problem.b.major == problem::Major::kK;
  const std::int64_t rest = problem.k % row.tile.k;
  const bool ragged = OwnsTiles(ScheduleOf(row)) && k_major && problem.k > row.tile.k && rest != 0;
  return static_cast<unsigned>(base::CeilDiv<std::int64_t>(ragged ? rest : row.tile.k, kWgmmaK));
}

class TmaLauncher final : public dispatch::Launcher {
 public:
  TmaLauncher(const dispatch::KernelRow& row, const problem::Normalized& problem,
              const dispatch::Device& device, const PlanOptions& options, driver::Kernel kernel)
      : kernel_(kernel) {
    const Raster raster = MakeRaster(row, problem, device);
    const Boxes a = BoxesOf(problem.a.major, problem.m, row.tile.m);
    const Boxes b = BoxesOf(problem.b.major, problem.n, row.tile.n);
    a_ = {InputShape(problem, problem.a, problem.m, a.whole),
          InputShape(problem, problem.a, problem.m, a.tail)};
    b_ = {InputShape(problem, problem.b, problem.n, b.whole),
          InputShape(problem, problem.b, problem.n, b.tail)};
    params_.last_slices = LastSlices(row, problem);
    if (const int columns = static_cast<int>(params_.last_slices) * kWgmmaK; columns < row.tile.k) {
      a_ragged_ = a_.Narrowed(columns);
      b_ragged_ = b_.Narrowed(columns);
    }
    const bool transposed = IsTransposed(row);
    const bool has_epilogue = !IsParallelSplitK(row);
    const std::int64_t whole_columns = transposed || !has_epilogue ? 0 : WholeColumns(problem);
    const std::int64_t chunk_columns = kSwizzleBytes / Bytes(problem.output_type);
    c_ = OutputShape(problem, problem.c, problem.n, chunk_columns);
    params_.transposed = !transposed ? 0 : InUnits(problem) ? kTransposedUnits : kTransposed;
    by_panels_ = StoresPanels(row, problem);
    d_ = by_panels_ ? PanelShape(problem) : OutputShape(problem, problem.d, whole_columns, chunk_columns);
    if (BySectors(row, problem, raster)) {
      params_.by_sectors = 1;
      pairs_ = PairsShape(problem, chunk_columns);
      first_pairs_ = PairsShape(problem, chunk_columns - 8);
    }
    narrow_columns_ = static_cast<std::uint32_t>(row.tile.n % chunk_columns);
    params_.k_steps = static_cast<unsigned>(base::CeilDiv<std::int64_t>(problem.k, row.tile.k));
    SetTileOrder(row, raster, &params_);
    params_.tiles = static_cast<unsigned>(raster.tiles);
    params_.a_batch_step = problem.a.batch_stride == 0 ? 0 : 1;
    params_.b_batch_step = problem.b.batch_stride == 0 ? 0 : 1;
    params_.c_batch_step = problem.c.batch_stride == 0 ? 0 : 1;
    params_.b_early = problem.b.readable_early ? 1 : 0;
    params_.output_type = static_cast<int>(problem.output_type);
    params_.whole_columns = static_cast<int>(whole_columns);
    params_.c_by_threads =
        !transposed && has_epilogue && TmaTakesOutput(problem.c, problem.output_type) ? 0 : 1;
    params_.m = static_cast<int>(problem.m);
    params_.n = static_cast<int>(problem.n);
    params_.c_row_stride = problem.c.row_stride;
    params_.c_batch_stride = problem.c.batch_stride;
    params_.d_row_stride = problem.d.row_stride;
    params_.d_batch_stride = problem.d.batch_stride;
    const unsigned cluster = static_cast<unsigned>(row.cluster_m * row.cluster_n);
    shape_.grid[0] = static_cast<unsigned>(raster.clusters) * cluster;
    if (IsStreamK(row)) {
      const StreamK share = StreamKOf(row, problem, device);
      shape_.grid[0] = static_cast<unsigned>(share.clusters) * cluster;
      params_.stream_k.tiles = static_cast<unsigned>(share.tiles);
      if (share.even) {
        SetParts(static_cast<unsigned>(share.parts), static_cast<unsigned>(share.finisher_more));
      }
      params_.stream_k.scatters = share.scatters ? 1 : 0;
      params_.stream_k.apart = MakeDivisor(share.even ? share.tiles : 1);
      flags_at_ = shape_.grid[0] * PartialBytes(row);
    }
    if (IsParallelSplitK(row)) {
      const std::int64_t parts = ParallelPartsOf(row, problem, raster, device);
      SetParts(static_cast<unsigned>(parts), 0);
      params_.stream_k.apart = MakeDivisor(raster.tiles);
      shape_.grid[0] = static_cast<unsigned>(raster.tiles * parts) * cluster;
    }
    shape_.cluster[0] = cluster;
    if (IsSplitK(row)) {
      const auto parts = static_cast<unsigned>(PartsOf(row, problem, raster, device));
      SetParts(parts, 0);
      shape_.cluster[0] *= parts;
      shape_.grid[0] = params_.tiles * shape_.cluster[0];
    }
    shape_.block[0] = static_cast<unsigned>(row.threads);
    shape_.shared_bytes = static_cast<unsigned>(row.shared_bytes);
    shape_.programmatic = options.programmatic_launch;
  }

  Status Run(const Arguments& args) const noexcept override {
    Params params = params_;
    params.c_address = args.c;
    params.d_address = args.d;
    params.scalars = {args.alpha, args.beta, args.alpha_device, args.beta_device};
    const bool transposed = params.transposed != 0;
    const void* const a = transposed ? args.b : args.a;
    const void* const b = transposed ? args.a : args.b;
    if (Status status = a_.Encode(a, &params.a, &params.a_tail); !status.ok()) return status;
    if (Status status = b_.Encode(b, &params.b, &params.b_tail); !status.ok()) return status;
    if (Status status = a_ragged_.Encode(a, &params.a_ragged, &params.a_tail_ragged); !status.ok())
      return status;
    if (Status status = b_ragged_.Encode(b, &params.b_ragged, &params.b_tail_ragged); !status.ok())
      return status;
    if (params.whole_columns > 0 || by_panels_) {
      if (Status status = EncodeMap(d_, args.d, &params.d); !status.ok()) return status;
      if (Status status = EncodeNarrow(d_, args.d, &params.d_narrow); !status.ok()) return status;
    }
    if (params.by_sectors != 0) {
      if (Status status = EncodeMap(pairs_, args.d, &params.d_pairs); !status.ok()) return status;
      if (Status status = EncodeNarrow(pairs_, args.d, &params.d_pairs_narrow); !status.ok()) return status;
      if (Status status = EncodeMap(first_pairs_, args.d, &params.d_pairs_first); !status.ok()) return status;
    }
    if (!params.c_by_threads && args.c != nullptr) {
      if (Status status = EncodeMap(c_, args.c, &params.c); !status.ok()) return status;
      if (Status status = EncodeNarrow(c_, args.c, &params.c_narrow); !status.ok()) return status;
    }
    params.stream_k.partials = args.workspace;
    if (flags_at_ != 0) {
      params.stream_k.flags =
          reinterpret_cast<unsigned long long*>(static_cast<char*>(args.workspace) + flags_at_);
      params.stream_k.nonce = base::NextNonce();
    }
    void* arguments[] = {&params};
    return driver::Launch(kernel_, shape_, args.stream, arguments);
  }

 private:
  void SetParts(unsigned parts, unsigned finisher_more) {
    const unsigned steps = params_.k_steps - finisher_more;
    params_.split_k = {parts, steps / parts, finisher_more > 0 ? 0 : steps % parts};
  }

  // For the chunks that are narrower because the tile is no multiple of them (epilogue.cuh).
  Status EncodeNarrow(TensorMapShape shape, const void* address, TensorMap* map) const noexcept {
    if (narrow_columns_ == 0) return Status();
    shape.box[by_panels_ ? 1 : 0] = narrow_columns_;
    return EncodeMap(shape, address, map);
  }

  driver::Kernel kernel_;
  driver::LaunchShape shape_;
  InputMaps a_;
  InputMaps b_;
  InputMaps a_ragged_ = {};  // of the last step, where it is narrower than the others; else without boxes
  InputMaps b_ragged_ = {};
  TensorMapShape c_;
  TensorMapShape d_;
  bool by_panels_ = false;  // D's columns are d_'s rows
  std::uint32_t narrow_columns_;
  TensorMapShape pairs_;
  TensorMapShape first_pairs_;  // of an off row's first chunk
  std::size_t flags_at_ = 0;    // of stream-K, in workspace
  Params params_ = {};          // all but the maps, the scalars and what lies in workspace
};

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

// Of stream-K, with `shared` the tiles and clusters that share them, of `ctas` CTAs each.
Share StreamKShare(const Raster& raster, const StreamK& shared, double k_steps, double ctas) {
  const double clusters = static_cast<double>(shared.clusters);
  const double tiles = static_cast<double>(raster.tiles) / clusters;
  Share share;
  share.rounds = std::ceil(tiles);
  share.steps = std::ceil(tiles * k_steps);
  share.parts = static_cast<double>(shared.parts);
  share.at_once = share.in_last_round = clusters * ctas;
  share.even = shared.even;
  share.scatters = shared.scatters;
  share.hides_hand_over = shared.finisher_more > 0;
  share.shared = static_cast<double>(shared.tiles) / static_cast<double>(raster.tiles);
  const double range = static_cast<double>(shared.tiles) * k_steps / clusters;
  share.apart = std::abs(k_steps - std::max(1.0, std::round(k_steps / range)) * range);
  return share;
}

// How a tiled kernel computes a problem, and how long that takes by the cost model.
struct Predicted {
  problem::Normalized problem;  // as computed
  Raster raster;
  Share share;
  double us;
};

Share ShareOf(const dispatch::KernelRow& row, const problem::Normalized& problem, const Raster& raster,
              const dispatch::Device& device) {
  const double k_steps = static_cast<double>(base::CeilDiv<std::int64_t>(problem.k, row.tile.k));
  const double ctas = row.cluster_m * row.cluster_n;
  if (IsStreamK(row)) return StreamKShare(raster, StreamKOf(row, problem, device), k_steps, ctas);
  Share share;
  if (IsSplitK(row) || IsParallelSplitK(row)) {
    share.parts = static_cast<double>(IsSplitK(row) ? PartsOf(row, problem, raster, device)
                                                    : ParallelPartsOf(row, problem, raster, device));
    share.steps = std::ceil(k_steps / share.parts);
    share.at_once = share.in_last_round = ctas * static_cast<double>(raster.tiles) * share.parts;
    return share;
  }
  const std::int64_t clusters = std::max<std::int64_t>(raster.clusters, 1);
  const std::int64_t rounds = std::max<std::int64_t>(base::CeilDiv(raster.tiles, clusters), 1);
  share.rounds = static_cast<double>(rounds);
  share.steps = share.rounds * k_steps;
  share.at_once = ctas * static_cast<double>(clusters);
  share.in_last_round = ctas * static_cast<double>(raster.tiles - (rounds - 1) * clusters);
  return share;
}

Predicted PredictWith(const dispatch::KernelRow& row, const problem::Normalized& asked,
                      const dispatch::Device& device, const CostConstants& cost) {
  Predicted predicted;
  predicted.problem = AsComputed(row, asked);
  predicted.raster = MakeRaster(row, predicted.problem, device);
  predicted.share = ShareOf(row, predicted.problem, predicted.raster, device);
  predicted.us = PredictUs(cost, row, predicted.problem, device, predicted.raster, predicted.share);
  return predicted;
}

Features FeaturesOf(const dispatch::KernelRow& row, const Predicted& predicted) {
  const problem::Normalized& problem = predicted.problem;
  const Raster& raster = predicted.raster;
  const auto resident = static_cast<double>(std::max<std::int64_t>(raster.resident, 1));
  Features features = CommonFeatures(row, problem, predicted.us);
  features[feature::kLogRows] = Log2(static_cast<double>(problem.m));
  features[feature::kLogColumns] = Log2(static_cast<double>(problem.n));
  features[feature::kClusterRows] = static_cast<float>(row.cluster_m);
  features[feature::kClusterColumns] = static_cast<float>(row.cluster_n);
  features[feature::kParts] = static_cast<float>(predicted.share.parts);
  features[feature::kSchedule] = static_cast<float>(ScheduleOf(row));
  features[feature::kTransposed] = IsTransposed(row) ? 1 : 0;
  SetRounds(static_cast<double>(raster.tiles) / resident, &features);
  features[feature::kUsedColumns] = UsedPart(problem.n, row.tile.n);
  features[feature::kMnMajor] = MnMajor(problem.a, problem.b);
  return features;
}

struct CostTraits {
  using Constants = CostConstants;
  static constexpr const char* kName = "hopper/cost.h";
  static constexpr const auto& kFields = kCostFields;
  static constexpr const auto& kFeatures = kFeatureNames;
  static const Constants& For(const dispatch::Device& device) { return CostOf(device); }
  static double PredictUs(const dispatch::KernelRow& row, const problem::Normalized& problem,
                          const dispatch::Device& device, const Constants& cost) {
    return PredictWith(row, problem, device, cost).us;
  }
  static void GetFeatures(const dispatch::KernelRow& row, const problem::Normalized& problem,
                          const dispatch::Device& device, float* features) {
    const Features of = FeaturesOf(row, PredictWith(row, problem, device, CostOf(device)));
    std::copy(of.begin(), of.end(), features);
  }
};

}  // namespace

Divisor MakeDivisor(std::int64_t divisor) {
  unsigned log2 = 0;
  while ((std::int64_t{1} << log2) < divisor) ++log2;
  const unsigned shift = 31 + log2;
  const std::uint64_t power = std::uint64_t{1} << shift;
  const auto by = static_cast<std::uint64_t>(divisor);
  return {static_cast<unsigned>(divisor), static_cast<unsigned>((power + by - 1) / by), shift};
}

Bands MakeBands(std::int64_t across, std::int64_t along, std::int64_t width) {
  const std::int64_t rest = across % width;
  return {static_cast<unsigned>(across), MakeDivisor(width * along), MakeDivisor(width),
          MakeDivisor(rest == 0 ? width : rest)};
}

const dispatch::CostModel kTiledModel = dispatch::CostModelOf<CostTraits>::kModel;

bool TmaTakesInput(const problem::Input& input, DataType type) {
  return IsAddressable(input.alignment, input.ld * Bytes(type), input.batch_stride * Bytes(type));
}

driver::TensorMapShape InputShape(const problem::Normalized& problem, const problem::Input& input,
                                  std::int64_t rows, std::int64_t box) {
  const bool mn_major = input.major == problem::Major::kMN;
  const std::int64_t batch = input.batch_stride == 0 ? 1 : problem.batch;
  return mn_major
             ? Shape(problem.input_type, rows, problem.k, input.ld, batch, input.batch_stride, kMnBox, kMnBox)
             : Shape(problem.input_type, problem.k, rows, input.ld, batch, input.batch_stride,
                     kSwizzleBytes / Bytes(problem.input_type), box);
}

std::optional<std::string> RejectInputs(const dispatch::KernelRow& row, const problem::Normalized& problem,
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
  if (auto why = RejectOperand("A", problem.a, problem.input_type)) return why;
  return RejectOperand("B", problem.b, problem.input_type);
}

std::optional<std::string> Reject(const dispatch::KernelRow& row, const problem::Normalized& asked,
                                  const dispatch::Device& device) {
  if (auto why = RejectInputs(row, asked, device)) return why;
  const problem::Normalized problem = AsComputed(row, asked);
  const Raster raster = MakeRaster(row, problem, device);
  if (raster.tiles > kExtentLimit) return "D has more than " + std::to_string(kExtentLimit) + " tiles";
  if (EpilogueInRing(row) && raster.tiles > raster.resident) {
    return "its CTAs compute one tile each, " + std::to_string(raster.resident) +
           " clusters of them at once, and D has " + std::to_string(raster.tiles);
  }
  if (!OwnsTiles(ScheduleOf(row)) && problem.batch_invariant) return "where it splits K depends on M";
  if ((IsSplitK(row) && PartsOf(row, problem, raster, device) == 0) ||
      (IsParallelSplitK(row) && ParallelPartsOf(row, problem, raster, device) == 0)) {
    return "its tiles leave too few SMs idle to share their K, or K is too short";
  }
  if (IsStreamK(row) && StreamKOf(row, problem, device).tiles == 0) {
    return "its tiles leave no SM idle, or K is too short or too long to be shared";
  }
  if (problem.c.col_stride != 1) return "C and D have different layouts";
  return std::nullopt;
}

std::size_t WorkspaceBytes(const dispatch::KernelRow& row, const problem::Normalized& problem,
                           const dispatch::Device& device) {
  if (IsParallelSplitK(row)) {
    const problem::Normalized computed = AsComputed(row, problem);
    const Raster raster = MakeRaster(row, computed, device);
    const std::int64_t clusters = raster.tiles * ParallelPartsOf(row, computed, raster, device);
    return static_cast<std::size_t>(clusters * row.cluster_m * row.cluster_n) * PartialBytes(row);
  }
  if (!IsStreamK(row)) return 0;
  const std::int64_t clusters = StreamKOf(row, AsComputed(row, problem), device).clusters;
  const auto ctas = static_cast<std::size_t>(clusters * row.cluster_m * row.cluster_n);
  return ctas * (PartialBytes(row) + FlagBytes(row));
}

double PredictMicroseconds(const dispatch::KernelRow& row, const problem::Normalized& problem,
                           const dispatch::Device& device) {
  const Predicted predicted = PredictWith(row, problem, device, CostOf(device));
  return IsCorrected(problem, device) ? Corrected(predicted.us, FeaturesOf(row, predicted)) : predicted.us;
}

Status Prepare(const dispatch::KernelRow& row, const problem::Normalized& problem,
               const dispatch::Device& device, const PlanOptions& options, driver::Kernel kernel,
               std::unique_ptr<const dispatch::Launcher>* launcher) {
  const problem::Normalized computed = AsComputed(row, problem);
  launcher->reset(new (std::nothrow) TmaLauncher(row, computed, device, options, kernel));
  if (*launcher == nullptr) return Status(StatusCode::kOutOfMemory, "no host memory for a plan");
  if (!IsParallelSplitK(row)) return Status();
  const Raster raster = MakeRaster(row, computed, device);
  return AddPartsAfter(row, computed, raster, ParallelPartsOf(row, computed, raster, device), launcher);
}

}  // namespace gemm::hopper
