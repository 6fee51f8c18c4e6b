// The kernels of the list GEMM_AMPERE_MIXED in kernels.inc for FP16 operands.
#include "ampere/kernel.cuh"

GEMM_AMPERE_MIXED(GEMM_AMPERE_KERNEL, fp16)
