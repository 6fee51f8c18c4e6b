// Every Hopper kernel on every case of tests/cases. Skipped on devices of another compute capability than 9.0.
#include "tests/support/kernel_suite.h"

namespace {

// FP16 and BF16 in any layout and alignment, with C laid out as D is.
bool MustRun(const gemm::problem::Normalized& p) {
  return p.compute == gemm::ComputeType::kTensor && p.input_type != gemm::DataType::kFP32 && p.k > 0 &&
         p.c.col_stride == 1;
}

}  // namespace

int main(int argc, char** argv) {
  return gemm::tests::RunKernelSuite(argc, argv, {"hopper", gemm::dispatch::HopperKernels, 90, true, MustRun});
}
