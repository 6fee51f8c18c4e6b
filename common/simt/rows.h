// What the backend's families of rows have in common: which problems they take, and how a launch is made.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "common/dispatch/kernel.h"
#include "common/driver/driver.h"
#include "common/problem/problem.h"
#include "common/simt/params.h"

namespace gemm::simt {

// At most m * n * batch, which fits: the problem's extents do.
std::int64_t TileCount(const dispatch::KernelRow& row, const problem::Normalized& p);

// Why the row does not take the inputs' type, the layouts or so many tiles.
std::optional<std::string> RejectInputs(const dispatch::KernelRow& row, const problem::Normalized& p);

// The parameters of a plan (make_params.h) for one run.
Params ForRun(const Params& plan, const Arguments& args);

// A launcher of one launch of `ctas` CTAs, whose kernel takes Params and nothing else.
Status PrepareTiles(const dispatch::KernelRow& row, const problem::Normalized& p, std::int64_t ctas,
                    bool programmatic, driver::Kernel kernel,
                    std::unique_ptr<const dispatch::Launcher>* launcher);

driver::LaunchShape MakeLaunchShape(const dispatch::KernelRow& row, std::int64_t ctas, bool programmatic,
                                    const driver::Kernel& kernel);

}  // namespace gemm::simt
