// The kernels of the list GEMM_AMPERE_TF32_MIXED in kernels.inc.
#include "ampere/kernel.cuh"

GEMM_AMPERE_TF32_MIXED(GEMM_AMPERE_KERNEL)
