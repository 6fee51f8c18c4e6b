#define TYPE bf16
#include "tests/codegen/fp16/ampere.cuh"
