// The kernel for one row of BF16.
#include "ampere/few/gemv_kernel.cuh"

GEMM_AMPERE_GEMV(GEMM_AMPERE_GEMV_KERNEL, bf16, BF16)
