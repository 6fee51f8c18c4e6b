// Small kernels of each kind, for the type that the file including this gives.
#include "ampere/kernel.cuh"

#define KERNEL(...) GEMM_AMPERE_KERNEL(__VA_ARGS__)

KERNEL(kk, TYPE, k, k, aligned, 16, 64, 64, 1, 4, 8, 2)
KERNEL(any, TYPE, mn, mn, any, 32, 32, 32, 2, 2, 4, 2)
