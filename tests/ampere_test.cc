// Every Ampere kernel on every case of tests/cases.
#include "tests/support/kernel_suite.h"

namespace {

// FP16 and BF16 in any layout, at any size and alignment, and TF32 where rows are aligned to 16 bytes. K = 0 may be left to others.
bool MustRun(const gemm::problem::Normalized& p) {
  if (p.compute == gemm::ComputeType::kTF32) return p.a.alignment >= 16 && p.b.alignment >= 16 && p.k > 0;
  return p.compute == gemm::ComputeType::kTensor && p.input_type != gemm::DataType::kFP32 && p.k > 0;
}

}  // namespace

int main(int argc, char** argv) {
  return gemm::tests::RunKernelSuite(argc, argv, {"ampere", gemm::dispatch::AmpereKernels, 80, false, MustRun});
}
