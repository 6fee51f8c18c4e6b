#include "ladder/rung.h"

#include <fmt/format.h>

#include <algorithm>
#include <climits>

namespace gemm::ladder {
namespace {

// Indices are int, and one tile beyond the last must not overflow either.
constexpr std::int64_t kMostElements = INT_MAX - (1 << 20);
constexpr std::int64_t kMostBlocksY = 65535;

std::int64_t CeilDiv(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

}  // namespace

std::string Reject(const Rung& rung, const Problem& problem) {
  if (problem.a.type != rung.in || problem.d.type != rung.out) {
    return fmt::format("multiplies {} to {}", Name(rung.in), Name(rung.out));
  }
  const std::int64_t m = problem.m, n = problem.n, k = problem.k;
  const struct {
    const char* name;
    std::int64_t size;
    int multiple;
  } sizes[] = {{"M", m, rung.multiple_m}, {"N", n, rung.multiple_n}, {"K", k, rung.multiple_k}};
  for (const auto& size : sizes) {
    if (size.size < 1) return fmt::format("{} is {}; it must be at least 1", size.name, size.size);
    if (size.size % size.multiple != 0) {
      return fmt::format("{} is {}; this kernel has no tails: it must be a multiple of {}", size.name,
                         size.size, size.multiple);
    }
  }
  if (k < rung.least_k)
    return fmt::format("K is {}; it must be at least {}, the pipeline's length", k, rung.least_k);
  const bool sizes_fit = std::max({m, n, k}) <= INT_MAX;  // and so their products into 64 bits
  if (!sizes_fit || std::max({m * k, k * n, m * n}) > kMostElements)
    return "a matrix has more elements than its int indices reach";
  if (rung.grid == Grid::kTiles && CeilDiv(m, rung.tile_m) > kMostBlocksY)
    return fmt::format("M is {}; the grid's y reaches {} tiles of {}", m, kMostBlocksY, rung.tile_m);
  return "";
}

std::string Reject(const Rung& rung, const dispatch::Device& device) {
  const int capability = device.compute_capability();
  if (rung.hopper_only && device.compute_capability_major != 9) {
    return fmt::format("TMA and WGMMA: compute capability 9.0 only, the device has {}.{}", capability / 10,
                       capability % 10);
  }
  if (capability < 80)
    return fmt::format("compute capability 8.0 or later, the device has {}.{}", capability / 10,
                       capability % 10);
  return "";
}

Status LaunchPlain(const Rung&, driver::Kernel kernel, const driver::LaunchShape& shape, const Params& params,
                   CUstream stream) {
  void* arguments[] = {const_cast<Params*>(&params)};
  return driver::Launch(kernel, shape, stream, arguments);
}

Status Prepare(const Rung& rung, const Problem& problem, int device, RungLauncher* launcher) {
  driver::Kernel kernel;
  Status status = driver::FindKernel(*rung.image, rung.source, rung.symbol, device, rung.shared_bytes, &kernel);
  if (!status.ok()) return status;
  driver::LaunchShape shape;
  shape.block[0] = rung.block[0];
  shape.block[1] = rung.block[1];
  shape.shared_bytes = static_cast<unsigned>(rung.shared_bytes);
  const auto tiles_m = static_cast<unsigned>(CeilDiv(problem.m, rung.tile_m));
  const auto tiles_n = static_cast<unsigned>(CeilDiv(problem.n, rung.tile_n));
  switch (rung.grid) {
    case Grid::kTiles:
      shape.grid[0] = tiles_n;
      shape.grid[1] = tiles_m;
      break;
    case Grid::kFlat:
      shape.grid[0] = tiles_m * tiles_n;
      break;
    case Grid::kElements:
      shape.grid[0] = static_cast<unsigned>(CeilDiv(problem.m * problem.n, rung.tile_n));
      break;
    case Grid::kPersistent: {
      // One block fills an SM.
      int sms = 0;
      status = driver::DeviceAttribute(device, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, &sms);
      if (!status.ok()) return status;
      shape.grid[0] = std::min(tiles_m * tiles_n, static_cast<unsigned>(sms));
      break;
    }
  }
  Params params = {};
  params.m = static_cast<int>(problem.m);
  params.n = static_cast<int>(problem.n);
  params.k = static_cast<int>(problem.k);
  *launcher = [rung = &rung, kernel, shape, params](const Arguments& args) {
    Params filled = params;
    filled.a = args.a;
    filled.b = args.b;
    filled.c = args.c;
    filled.d = args.d;
    filled.alpha = args.alpha;
    filled.beta = args.beta;
    return rung->launch(*rung, kernel, shape, filled, args.stream);
  };
  return Status();
}

Problem ProblemOf(const Rung& rung, std::int64_t m, std::int64_t n, std::int64_t k) {
  Problem problem;
  problem.m = m;
  problem.n = n;
  problem.k = k;
  problem.a.type = problem.b.type = rung.in;
  problem.c.type = problem.d.type = rung.out;
  problem.b.layout = rung.b_layout;
  return problem;
}

}  // namespace gemm::ladder
