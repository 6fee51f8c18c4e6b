// The kernels for up to eight rows of BF16.
#include "ampere/few/few_kernel.cuh"

GEMM_AMPERE_FEW(GEMM_AMPERE_FEW_KERNEL, bf16, BF16)
