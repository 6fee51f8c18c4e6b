#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "tests/support/oracle.h"
#include "tools/gemm/compute.h"
#include "tools/gemm/progress.h"

namespace gemm::tool {
namespace {

double SecondsSince(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace

double EstimateHostSeconds(const Problem& problem) {
  // A cube large enough that starting the threads does not count, small enough to take milliseconds.
  constexpr std::int64_t kProbe = 192;
  Problem probe = problem;
  probe.m = std::min(problem.m, kProbe);
  probe.n = std::min(problem.n, kProbe);
  probe.k = std::min(problem.k, kProbe);
  probe.batch = std::min<std::int64_t>(problem.batch, 1);
  for (Matrix* matrix : {&probe.a, &probe.b, &probe.c, &probe.d}) {
    matrix->ld = 0;
    matrix->batch_stride = kPacked;
  }
  const double flops = 2.0 * static_cast<double>(probe.m * probe.n * probe.k * probe.batch);
  if (flops == 0) return 0;
  Bytes a;
  Bytes b;
  Generate(tests::ViewOfA(probe), tests::Fill::kNormal, tests::Operand::kA, 1, &a);
  Generate(tests::ViewOfB(probe), tests::Fill::kNormal, tests::Operand::kB, 1, &b);
  Bytes d(tests::ExtentBytes(tests::ViewOfD(probe)));
  const auto begin = std::chrono::steady_clock::now();
  tests::HostGemm(probe, a.data(), b.data(), nullptr, d.data(), 1, 0);
  const double work = static_cast<double>(problem.m) * static_cast<double>(problem.n) *
                      static_cast<double>(problem.k) * static_cast<double>(problem.batch);
  return SecondsSince(begin) * 2.0 * work / flops;
}

Status ComputeOnHost(const Product& product, Computed* computed) {
  const Problem& problem = product.problem;
  computed->d.resize(tests::ExtentBytes(tests::ViewOfD(problem)));
  Progress progress("computing");
  const auto begin = std::chrono::steady_clock::now();
  tests::HostGemm(problem, product.a.data(), product.b.data(), product.c.empty() ? nullptr : product.c.data(),
                  computed->d.data(), product.alpha, product.beta, 0,
                  [&](double fraction) { progress.Update(fraction); });
  computed->seconds = SecondsSince(begin);
  computed->kernel = "host";
  computed->timing = fmt::format("once, on {} threads", std::max(1u, std::thread::hardware_concurrency()));
  return Status();
}

}  // namespace gemm::tool
