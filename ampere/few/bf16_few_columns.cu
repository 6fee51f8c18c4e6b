// The kernels for few rows of BF16 times a matrix that lies by columns.
#include "ampere/few/columns_kernel.cuh"

GEMM_AMPERE_FEW_COLUMNS(GEMM_AMPERE_FEW_COLUMNS_KERNEL, bf16, BF16)
