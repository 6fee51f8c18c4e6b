// The kernels for few rows of BF16 that cp.async and mma.sync serve.
#include "ampere/few/few_kernel.cuh"

GEMM_AMPERE_FEW(GEMM_AMPERE_FEW_KERNEL, bf16, BF16)
