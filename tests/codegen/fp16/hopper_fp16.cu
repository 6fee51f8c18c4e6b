#define TYPE fp16
#define INPUT kFP16
#include "tests/codegen/fp16/hopper.cuh"
