// Every Ampere kernel on every case of tests/cases.
#include "tests/support/kernel_suite.h"

namespace {

// FP16 and BF16 in any layout, at any size and alignment. K = 0 may be left to others.
bool MustRun(const gemm::problem::Normalized& p) {
  return p.compute == gemm::ComputeType::kTensor && p.input_type != gemm::DataType::kFP32 && p.k > 0;
}

}  // namespace

int main(int argc, char** argv) {
  return gemm::tests::RunKernelSuite(argc, argv, {"ampere", gemm::dispatch::AmpereKernels, 80, false, MustRun});
}
