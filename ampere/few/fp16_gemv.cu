// The kernel for one row of FP16.
#include "ampere/few/gemv_kernel.cuh"

GEMM_AMPERE_GEMV(GEMM_AMPERE_GEMV_KERNEL, fp16, FP16)
