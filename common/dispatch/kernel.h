// A kernel is a row of data. Backends define rows; selection walks them.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "common/dispatch/device.h"
#include "common/driver/driver.h"
#include "common/driver/image.h"
#include "common/problem/problem.h"
#include "gemm/gemm.h"

namespace gemm::dispatch {

// What was computed at plan time for one row, problem and device; Run only fills in pointers and launches.
class Launcher {
 public:
  virtual ~Launcher() = default;
  // `args` was checked, and a and b exchanged if the problem is swapped. Of the scalars only those that the problem's
  // ScalarMode reads are set, the others are null or 1 and 0; c is null where beta is 0 on the host. Allocates nothing on
  // success.
  virtual Status Run(const Arguments& args) const noexcept = 0;
};

struct CostModel;
struct KernelRow;

// What the rows of one backend share. Free functions of (row, problem, device): pure, thread-safe.
struct KernelFamily {
  // "simt", "ampere", "hopper": what its rows' names begin with, and //tests:<backend>_test is its suite.
  const char* backend;
  // The reason why `row` cannot run this problem on this device, as a clause ("K = 0 leaves TMA nothing to load");
  // nullopt when it can. An output C that the row cannot read is a reason too: it costs nothing where beta is 0, because
  // a plan asks first with C described like D.
  std::optional<std::string> (*reject)(const KernelRow& row, const problem::Normalized& problem, const Device& device);
  // Predicted time in microseconds, launch included. Called only where reject() gave nullopt.
  double (*predict_us)(const KernelRow& row, const problem::Normalized& problem, const Device& device);
  std::size_t (*workspace_bytes)(const KernelRow& row, const problem::Normalized& problem, const Device& device);
  // Makes the launcher. `kernel` is row.symbol, loaded on the device, its shared memory limit already raised to
  // row.shared_bytes.
  Status (*prepare)(const KernelRow& row, const problem::Normalized& problem, const Device& device,
                    const PlanOptions& options, driver::Kernel kernel, std::unique_ptr<const Launcher>* launcher);
  // Whether its rows launch no more CTAs than Device::sm_count holds at a time, so that a plan can limit the SMs.
  bool is_persistent = false;
  // What predict_us computes, for `gemm calibrate` (cost_model.h); null where its constants are not fitted.
  const CostModel* model = nullptr;
};

// KernelFamily::workspace_bytes of rows that ask for none.
inline std::size_t NoWorkspace(const KernelRow&, const problem::Normalized&, const Device&) { return 0; }

struct Tile {
  int m = 0;
  int n = 0;
  int k = 0;
};

struct KernelRow {
  const char* name;    // unique; begins with the backend, has the tile: "hopper_bf16_kk_128x256x64_s4_c2x1"
  const KernelFamily* family;
  const driver::Image* image;
  const char* source;  // the .cu in the image that holds the symbol
  const char* symbol;  // extern "C" name of the __global__ function
  DataType input_type;
  problem::Major a_major;
  problem::Major b_major;
  Tile tile;           // what one CTA computes, and K per stage
  int stages;          // of the shared-memory ring
  int cluster_m;       // CTAs of a cluster along M and N; 1, 1 without clusters
  int cluster_n;
  int threads;         // of a CTA
  int shared_bytes;    // dynamic shared memory of a CTA
  int variant;         // backend-specific; 0 where a backend has only one
  const KernelRow* wraps = nullptr;  // the row that this one runs after work of its own; null where it is a kernel itself
};

struct KernelTable {
  const KernelRow* rows;
  std::size_t count;
};

// Each backend defines its own in a library that the root BUILD links; no self-registration. That library is
// alwayslink = True, so that the linker finds the function in whichever order it meets the archives.
KernelTable HopperKernels();
KernelTable AmpereKernels();
KernelTable SimtKernels();

}  // namespace gemm::dispatch
