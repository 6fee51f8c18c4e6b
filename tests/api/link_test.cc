// A program of C++17 that has only the public header and libgemm.so: everything declared is exported, and what
// needs no GPU works on any machine.
#include <cstdio>
#include <cstring>

#include "gemm/gemm.h"

static_assert(__cplusplus == 201703L, "this test is to be compiled as C++17");

namespace {

int failures = 0;

void Check(bool good, const char* what) {
  if (good) return;
  std::fprintf(stderr, "failed: %s\n", what);
  ++failures;
}

gemm::Problem MakeProblem(std::int64_t m) {
  gemm::Problem problem;
  problem.m = m;
  problem.n = 64;
  problem.k = 64;
  return problem;
}

void CheckPlans() {
  gemm::Plan empty;
  gemm::Plan copy(empty);
  gemm::Plan moved(static_cast<gemm::Plan&&>(copy));
  copy = moved;
  copy = static_cast<gemm::Plan&&>(moved);
  Check(copy.Run(gemm::Arguments()).code() == gemm::StatusCode::kInvalidArgument,
        "an empty plan refuses to run");
  Check(copy.workspace_size() == 0, "an empty plan needs no workspace");
  Check(std::strlen(copy.kernel_name()) == 0 && std::strlen(copy.kernel_name_with_c()) == 0,
        "and has no kernel");
  Check(copy.Explain().empty(), "and nothing to explain");
  const gemm::Status refused = gemm::Plan::Create(MakeProblem(-1), {}, &empty);
  Check(refused.code() == gemm::StatusCode::kInvalidArgument, "a negative size is refused");
  Check(refused.message().find("problem.m is -1") != std::string::npos, "in words");
  Check(gemm::Plan::Create(MakeProblem(0), {}, &empty).ok(), "an empty product needs no driver");
  Check(empty.Run(gemm::Arguments()).ok(), "nor does its run");
  Check(gemm::Gemm(MakeProblem(0), gemm::Arguments()).ok(), "nor its call");
}

void CheckNames() {
  Check(std::strcmp(gemm::Name(gemm::DataType::kBF16), "bf16") == 0, "Name(DataType)");
  Check(std::strcmp(gemm::Name(gemm::Layout::kRowMajor), "row-major") == 0, "Name(Layout)");
  Check(std::strcmp(gemm::Name(gemm::ComputeType::kTensor), "tensor") == 0, "Name(ComputeType)");
  Check(std::strcmp(gemm::Name(gemm::StatusCode::kNoDriver), "NO_DRIVER") == 0, "Name(StatusCode)");
  Check(std::strlen(gemm::Version()) >= 5, "Version()");
}

}  // namespace

int main() {
  CheckPlans();
  CheckNames();
  // On a machine with a GPU this plans, without one it says what is missing; it never ends the program.
  gemm::Plan plan;
  const gemm::Status status = gemm::Plan::Create(MakeProblem(64), {}, &plan);
  std::printf("%s: %s\n", gemm::Name(status.code()), status.message().c_str());
  return failures == 0 ? 0 : 1;
}
