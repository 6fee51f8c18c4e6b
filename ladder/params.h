// Element types, and what every kernel of the ladder is given. Read by host and device code; keep it plain.
#pragma once

namespace gemm::ladder {

enum class Type { kFP32, kFP16, kBF16 };

// D = alpha A B + beta C. All matrices are row-major and packed, A m x k, B k x n, C and D m x n; where a rung says so, B
// is stored [n, k]. The sizes are multiples of what the rung asks for, and no matrix has 2^31 elements: indices are int.
struct Params {
  const void* a;
  const void* b;
  const void* c;  // not read when beta is 0
  void* d;
  int m;
  int n;
  int k;
  float alpha;
  float beta;
};

}  // namespace gemm::ladder
