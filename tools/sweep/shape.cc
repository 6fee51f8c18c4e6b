#include "tools/sweep/shape.h"

#include <fmt/format.h>

#include <memory>
#include <utility>

#include "common/dispatch/query.h"
#include "common/driver/api.h"
#include "common/problem/problem.h"
#include "tools/gpu/gpu.h"

namespace gemm::sweep {
namespace {

using dispatch::Device;
using dispatch::KernelRow;
using problem::Normalized;

Status Refuse(const std::string& text) { return Status(StatusCode::kUnsupported, text); }

// Into *detail what the compiler made of the kernel, as the driver tells it. A kernel that spills is refused.
Status Inspect(const KernelRow& row, driver::Kernel kernel, int ordinal, std::string* detail) {
  const driver::Api* driver_api = nullptr;
  const gpu::Api* api = nullptr;
  CUfunction function = nullptr;
  Status status = driver::Load(&driver_api);
  if (status.ok()) status = gpu::Load(&api);
  if (status.ok())
    status = driver::Check(driver_api->KernelGetFunction(&function, kernel.handle), "cuKernelGetFunction");
  int registers = 0;
  int local = 0;
  int ctas = 0;
  const auto read = [&](int* value, CUfunction_attribute attribute) {
    if (!status.ok()) return;
    status = driver::Check(api->KernelGetAttribute(value, attribute, kernel.handle, ordinal),
                           "cuKernelGetAttribute");
  };
  read(&registers, CU_FUNC_ATTRIBUTE_NUM_REGS);
  read(&local, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES);
  if (status.ok()) {
    status = driver::Check(api->OccupancyMaxActiveBlocksPerMultiprocessor(
                               &ctas, function, row.threads, static_cast<std::size_t>(row.shared_bytes)),
                           "cuOccupancyMaxActiveBlocksPerMultiprocessor");
  }
  if (!status.ok()) return status;
  *detail = fmt::format("{} CTAs per SM of {} threads, {} registers, {} bytes of shared memory", ctas,
                        row.threads, registers, row.shared_bytes);
  if (local > 0) return Refuse(fmt::format("spills: {} bytes of a thread lie in memory", local));
  if (ctas == 0) return Refuse("no CTA of it fits an SM");
  return Status();
}

Status Prepare(const Shape& shape, const Problem& problem, int ordinal, int parts,
               tool::bench::Entrant* entrant) {
  Device device;
  Normalized normalized;
  Status status = dispatch::QueryDevice(ordinal, &device);
  if (status.ok()) status = problem::Normalize(problem, &normalized);
  if (!status.ok()) return status;
  if (normalized.swapped) return Refuse("D is column-major");
  const KernelRow& row = normalized.b.major == problem::Major::kK ? shape.nk : shape.kn;
  if (const auto why = row.family->reject(row, normalized, device)) return Refuse(*why);
  if (normalized.k < 2 * std::int64_t{parts} * row.tile.k && parts > 1)
    return Refuse(fmt::format("K is too short for {} parts", parts));
  driver::Kernel kernel;
  status = driver::FindKernel(*row.image, row.source, row.symbol, ordinal, row.shared_bytes, &kernel);
  if (status.ok()) status = Inspect(row, kernel, ordinal, &entrant->result.detail);
  std::unique_ptr<const dispatch::Launcher> launcher;
  if (status.ok())
    status = simt::PrepareRing(row, normalized, parts, /*programmatic=*/false, kernel, &launcher);
  if (!status.ok()) return status;
  entrant->result.workspace_bytes = simt::RingWorkspaceBytes(row, normalized, parts);
  entrant->launch = [launcher = std::shared_ptr<const dispatch::Launcher>(std::move(launcher))](
                        const Arguments& arguments) { return launcher->Run(arguments); };
  return Status();
}

}  // namespace

Status AddShape(const tool::bench::Bench& bench, const Problem& problem, const Shape& shape, int parts,
                tool::bench::Entrants* entrants) {
  auto entrant = std::make_unique<tool::bench::Entrant>();
  entrant->result.side = tool::bench::Side::kShape;
  entrant->result.name = parts == 1 ? shape.name : fmt::format("{}_p{}", shape.name, parts);
  const Status status = Prepare(shape, problem, bench.options.device, parts, entrant.get());
  if (status.code() == StatusCode::kDriverError) return status;
  entrant->result.failure = status.message();
  entrants->push_back(std::move(entrant));
  return Status();
}

}  // namespace gemm::sweep
