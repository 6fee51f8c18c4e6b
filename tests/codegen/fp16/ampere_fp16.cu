#define TYPE fp16
#include "tests/codegen/fp16/ampere.cuh"
