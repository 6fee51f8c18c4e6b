#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "tests/support/matrix.h"
#include "tools/gemm/compute.h"
#include "tools/gpu/gpu.h"

namespace gemm::tool {
namespace {

constexpr int kGroups = 5;
constexpr double kGroupMs = 20;

struct Buffers {
  gpu::DeviceBuffer a, b, c, d, workspace;
};

Status Upload(const Bytes& host, gpu::DeviceBuffer* buffer) {
  Status status = gpu::DeviceBuffer::Create(host.size(), buffer);
  if (!status.ok() || host.empty()) return status;
  return buffer->CopyFrom(host.data(), host.size());
}

Status Allocate(const Product& product, const Plan& plan, CUstream stream, Buffers* buffers) {
  Status status = Upload(product.a, &buffers->a);
  if (status.ok()) status = Upload(product.b, &buffers->b);
  if (status.ok() && product.beta != 0) status = Upload(product.c, &buffers->c);
  const std::size_t d_bytes = tests::ExtentBytes(tests::ViewOfD(product.problem));
  if (status.ok()) status = gpu::DeviceBuffer::Create(d_bytes, &buffers->d);
  if (status.ok()) status = gpu::DeviceBuffer::Create(plan.workspace_size(), &buffers->workspace);
  // NaN everywhere: what no kernel writes shows.
  if (status.ok() && d_bytes > 0) status = buffers->d.Fill(0xFF, stream);
  return status;
}

// Milliseconds of one product, over `count` in a row.
Status TimeGroup(const Plan& plan, const Arguments& args, int count, double* milliseconds) {
  gpu::Event begin;
  gpu::Event end;
  Status status = gpu::Event::Create(&begin);
  if (status.ok()) status = gpu::Event::Create(&end);
  if (status.ok()) status = begin.Record(args.stream);
  for (int i = 0; i < count && status.ok(); ++i) status = plan.Run(args);
  if (status.ok()) status = end.Record(args.stream);
  if (status.ok()) status = end.Synchronize();
  float elapsed = 0;
  if (status.ok()) status = gpu::ElapsedMilliseconds(begin, end, &elapsed);
  *milliseconds = elapsed / count;
  return status;
}

Status Time(const Plan& plan, const Arguments& args, Computed* computed) {
  double once = 0;
  Status status = TimeGroup(plan, args, 1, &once);
  if (!status.ok()) return status;
  const int count = static_cast<int>(std::clamp(std::ceil(kGroupMs / std::max(once, 1e-3)), 1.0, 1000.0));
  std::array<double, kGroups> groups{};
  for (double& group : groups) {
    status = TimeGroup(plan, args, count, &group);
    if (!status.ok()) return status;
  }
  std::sort(groups.begin(), groups.end());
  computed->seconds = groups[kGroups / 2] * 1e-3;
  computed->timing = fmt::format("median of {} times {} launches on the same buffers", kGroups, count);
  return Status();
}

}  // namespace

Status ComputeOnGpu(const Product& product, int device, const std::string& kernel, bool timed,
                    Computed* computed) {
  gpu::Context context;
  Status status = gpu::Context::Primary(device, &context);
  if (!status.ok()) return status;
  PlanOptions options;
  options.device = device;
  options.kernel = kernel;
  Plan plan;
  status = Plan::Create(product.problem, options, &plan);
  if (!status.ok()) return status;
  gpu::Stream stream;
  Buffers buffers;
  status = gpu::Stream::Create(&stream);
  if (status.ok()) status = Allocate(product, plan, stream.handle(), &buffers);
  if (!status.ok()) return status;

  Arguments args;
  args.a = buffers.a.data();
  args.b = buffers.b.data();
  args.c = buffers.c.data();
  args.d = buffers.d.data();
  args.alpha = product.alpha;
  args.beta = product.beta;
  args.workspace = buffers.workspace.data();
  args.workspace_size = buffers.workspace.size();
  args.stream = stream.handle();
  status = plan.Run(args);
  if (status.ok()) status = stream.Synchronize();
  computed->kernel = product.beta != 0 ? plan.kernel_name_with_c() : plan.kernel_name();
  computed->d.resize(buffers.d.size());
  if (!status.ok() || computed->d.empty()) return status;
  // What the first launch wrote is what is verified; the timed ones write the same again.
  status = buffers.d.CopyTo(computed->d.data(), computed->d.size(), 0, stream.handle());
  return status.ok() && timed ? Time(plan, args, computed) : status;
}

}  // namespace gemm::tool
