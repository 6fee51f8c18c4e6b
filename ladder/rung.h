// A rung of the ladder: one kernel as a row of data.
#pragma once

#include <cuda.h>

#include <functional>
#include <string>
#include <vector>

#include "common/dispatch/device.h"
#include "common/driver/driver.h"
#include "gemm/gemm.h"
#include "ladder/params.h"

namespace gemm::ladder {

// What the blocks of a grid stand for.
enum class Grid {
  kTiles,       // x: tiles along N, y: along M
  kFlat,        // tiles in one dimension, in an order of the kernel's
  kElements,    // tile_n elements of D each, in one dimension
  kPersistent,  // as many as run at once; each takes tiles in turn
};

struct Rung;

// Launches with the parameters that the kernel takes.
using LaunchRung = Status (*)(const Rung& rung, driver::Kernel kernel, const driver::LaunchShape& shape,
                              const Params& params, CUstream stream);

// `params` as they are. The LaunchRung of every kernel without tensor maps.
Status LaunchPlain(const Rung& rung, driver::Kernel kernel, const driver::LaunchShape& shape,
                   const Params& params, CUstream stream);
// With the tensor maps of wgmma/config.h.
Status LaunchTma(const Rung& rung, driver::Kernel kernel, const driver::LaunchShape& shape,
                 const Params& params, CUstream stream);

struct Rung {
  std::string name;       // "S0-08"; unique with the type
  std::string published;  // id in published.json; empty without
  std::string idea;
  bool sweep = false;  // a step of a sweep, not a rung of its own
  DataType in = DataType::kFP32;
  DataType out = DataType::kFP32;
  Layout b_layout = Layout::kRowMajor;

  const driver::Image* image = nullptr;
  const char* source = "";
  const char* symbol = "";
  bool hopper_only = false;

  // Sizes must be multiples of these; 1: any. K is at least least_k.
  int multiple_m = 1;
  int multiple_n = 1;
  int multiple_k = 1;
  int least_k = 1;
  int buffers = 1;  // tiles of A and B in shared memory

  Grid grid = Grid::kTiles;
  int tile_m = 1;
  int tile_n = 1;
  unsigned block[2] = {1, 1};
  int shared_bytes = 0;  // dynamic
  LaunchRung launch = LaunchPlain;
};

// All rungs, in the order of the write-ups.
const std::vector<Rung>& Rungs();

// Why the rung cannot compute the problem, in a sentence; "" when it can. C and D have the rung's type and layout.
std::string Reject(const Rung& rung, const Problem& problem);
// Why it does not run on the device; "" when it does.
std::string Reject(const Rung& rung, const dispatch::Device& device);

// The product as a function: finds the kernel and computes what can be computed ahead. The problem and the device are not
// rejected; the device's context is current.
using RungLauncher = std::function<Status(const Arguments& args)>;
Status Prepare(const Rung& rung, const Problem& problem, int device, RungLauncher* launcher);

// The problem that a rung computes at a size: everything packed.
Problem ProblemOf(const Rung& rung, std::int64_t m, std::int64_t n, std::int64_t k);

}  // namespace gemm::ladder
