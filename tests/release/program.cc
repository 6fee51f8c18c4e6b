// A program of another build system: prints the library's version and the kernel of a product.
#include <cstdio>

#include "gemm/gemm.h"

int main() {
  gemm::Problem problem;
  problem.m = problem.n = problem.k = 64;
  gemm::Plan plan;
  const gemm::Status status = gemm::Plan::Create(problem, {}, &plan);
  std::printf("%s %s\n", gemm::Version(), status.ok() ? plan.kernel_name() : status.message().c_str());
  return status.ok() ? 0 : 1;
}
