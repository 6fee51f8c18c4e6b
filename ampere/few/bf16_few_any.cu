// The kernels for few rows of BF16 that start anywhere.
#include "ampere/few/any_kernel.cuh"

GEMM_AMPERE_FEW_ANY(GEMM_AMPERE_FEW_ANY_KERNEL, bf16, BF16)
