#include "tools/gemm/bench/host_latency.h"

#include <algorithm>
#include <chrono>
#include <vector>

#include "gemm/gemm.h"
#include "tests/support/matrix.h"
#include "tools/gpu/gpu.h"

namespace gemm::tool::bench {
namespace {

constexpr int kCalls = 10000;
constexpr int kWarmUp = 200;
// Launches that may wait in the stream: well below the 1024 at which the driver begins to block.
constexpr int kChunk = 200;

using Clock = std::chrono::steady_clock;

double Microseconds(Clock::duration duration) {
  return std::chrono::duration<double, std::micro>(duration).count();
}

double Quantile(const std::vector<double>& sorted, double q) {
  return sorted[static_cast<std::size_t>(q * static_cast<double>(sorted.size() - 1))];
}

double ClockCost() {
  std::vector<double> costs(1001);
  for (double& cost : costs) {
    const Clock::time_point begin = Clock::now();
    cost = Microseconds(Clock::now() - begin);
  }
  std::sort(costs.begin(), costs.end());
  return Quantile(costs, 0.5);
}

Problem DecodeProblem() {
  Problem problem;
  problem.m = 1;
  problem.n = 4096;
  problem.k = 4096;
  problem.b.layout = Layout::kColumnMajor;
  for (Matrix* matrix : {&problem.a, &problem.b, &problem.c, &problem.d}) matrix->alignment = 256;
  return problem;
}

}  // namespace

Status MeasureHostLatency(const PlanOptions& options, bool one_call, HostLatency* result) {
  const Problem problem = DecodeProblem();
  gpu::Context context;
  Status status = gpu::Context::Primary(options.device, &context);
  if (!status.ok()) return status;
  Plan plan;
  status = Plan::Create(problem, options, &plan);
  gpu::Stream stream;
  gpu::DeviceBuffer a, b, d, workspace;
  if (status.ok()) status = gpu::Stream::Create(&stream);
  if (status.ok()) status = gpu::DeviceBuffer::Create(tests::ExtentBytes(tests::ViewOfA(problem)), &a);
  if (status.ok()) status = gpu::DeviceBuffer::Create(tests::ExtentBytes(tests::ViewOfB(problem)), &b);
  if (status.ok()) status = gpu::DeviceBuffer::Create(tests::ExtentBytes(tests::ViewOfD(problem)), &d);
  if (status.ok()) status = gpu::DeviceBuffer::Create(plan.workspace_size(), &workspace);
  if (status.ok()) status = a.Fill(0);
  if (status.ok()) status = b.Fill(0);
  if (status.ok()) status = gpu::Synchronize();
  if (!status.ok()) return status;
  Arguments args;
  args.a = a.data();
  args.b = b.data();
  args.d = d.data();
  args.workspace = workspace.data();
  args.workspace_size = workspace.size();
  args.stream = stream.handle();

  std::vector<double> times;
  times.reserve(kCalls);
  for (int call = 0; call < kWarmUp + kCalls; ++call) {
    if (call % kChunk == 0 && !(status = stream.Synchronize()).ok()) return status;
    const Clock::time_point begin = Clock::now();
    status = one_call ? Gemm(problem, args) : plan.Run(args);
    const Clock::time_point end = Clock::now();
    if (!status.ok()) return status;
    if (call >= kWarmUp) times.push_back(Microseconds(end - begin));
  }
  status = stream.Synchronize();
  std::sort(times.begin(), times.end());
  result->kernel = plan.kernel_name();
  result->calls = kCalls;
  result->median_us = Quantile(times, 0.5);
  result->p90_us = Quantile(times, 0.9);
  result->p99_us = Quantile(times, 0.99);
  result->clock_us = ClockCost();
  return status;
}

}  // namespace gemm::tool::bench
