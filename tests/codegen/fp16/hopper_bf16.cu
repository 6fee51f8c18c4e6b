#define TYPE bf16
#define INPUT kBF16
#include "tests/codegen/fp16/hopper.cuh"
