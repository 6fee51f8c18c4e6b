// The kernels of the list GEMM_AMPERE_ANY in kernels.inc for BF16 operands.
#include "ampere/kernel.cuh"

GEMM_AMPERE_ANY(GEMM_AMPERE_KERNEL, bf16)
