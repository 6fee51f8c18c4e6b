// Every SIMT kernel on every case of tests/cases.
#include "tests/support/kernel_suite.h"

namespace {

// The last row of the registry has no conditions.
bool MustRun(const gemm::problem::Normalized&) { return true; }

}  // namespace

int main(int argc, char** argv) {
  return gemm::tests::RunKernelSuite(argc, argv, {"simt", gemm::dispatch::SimtKernels, 80, false, MustRun});
}
