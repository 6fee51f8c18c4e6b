// The kernels of the list GEMM_AMPERE_TF32_KK in kernels.inc.
#include "ampere/kernel.cuh"

GEMM_AMPERE_TF32_KK(GEMM_AMPERE_KERNEL)
