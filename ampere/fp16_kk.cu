// The kernels of the list GEMM_AMPERE_KK in kernels.inc for FP16 operands.
#include "ampere/kernel.cuh"

GEMM_AMPERE_KK(GEMM_AMPERE_KERNEL, fp16)
