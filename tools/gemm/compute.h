// One product for `gemm run`: on the GPU through the library, or on the host.
#pragma once

#include <cstdint>
#include <string>

#include "gemm/gemm.h"
#include "tools/gemm/operand.h"

namespace gemm::tool {

// What is to be computed. Operands lie in host memory as `problem` describes them; c is empty when beta is 0.
struct Product {
  Problem problem;
  float alpha = 1;
  float beta = 0;
  Bytes a;
  Bytes b;
  Bytes c;
};

struct Computed {
  Bytes d;  // as problem.d describes it
  std::string kernel;
  double seconds = 0;  // of one product; 0 when it was not timed
  std::string timing;  // how that was measured
};

// On device `device`: copies the operands there, runs the kernel that the library chooses (or `kernel`, when
// not empty) into a poisoned D, times it if `timed`, and copies D back.
Status ComputeOnGpu(const Product& product, int device, const std::string& kernel, bool timed,
                    Computed* computed);

// On this machine's cores, with a progress bar when it takes longer than a few seconds.
Status ComputeOnHost(const Product& product, Computed* computed);

// Seconds that ComputeOnHost would take, from a small product timed here.
double EstimateHostSeconds(const Problem& problem);

}  // namespace gemm::tool
