// Small kernels of each kind, for the type that the file including this gives.
#include "hopper/instantiate.cuh"
#include "hopper/skinny/instantiate.cuh"

#define TILED(...) GEMM_HOPPER_KERNEL(__VA_ARGS__)
#define SKINNY(...) GEMM_SKINNY_KERNEL(__VA_ARGS__)

TILED(TYPE, INPUT, kn, false, true, kStreamK, 64, 64, 4, 1, 1)
TILED(TYPE, INPUT, kk, false, false, kPingpong, 128, 32, 4, 1, 1)
SKINNY(TYPE, INPUT, kk, false, 64, 8, 128, 4)
SKINNY(TYPE, INPUT, kn, true, 64, 8, 64, 4)
