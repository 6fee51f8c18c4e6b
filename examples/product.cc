// Plans a product once and runs it: y = x * w^T in BF16, as an inference engine does for each layer. Written
// against the public header alone; device memory comes from the program's own allocator (here: addresses given
// by the caller).
#include <cstdio>
#include <cstdlib>

#include "gemm/gemm.h"

// tokens x features = (tokens x hidden) * (hidden x features); the weights are stored [features, hidden].
static gemm::Problem Layer(std::int64_t tokens, std::int64_t features, std::int64_t hidden) {
  gemm::Problem problem;
  problem.m = tokens;
  problem.n = features;
  problem.k = hidden;
  problem.b.layout = gemm::Layout::kColumnMajor;
  return problem;
}

int main(int argc, char** argv) {
  const std::int64_t tokens = argc > 1 ? std::atoll(argv[1]) : 16;
  gemm::Plan plan;
  gemm::Status status = gemm::Plan::Create(Layer(tokens, 4096, 4096), {}, &plan);
  if (!status.ok()) {
    std::fprintf(stderr, "%s: %s\n", gemm::Name(status.code()), status.message().c_str());
    return 1;
  }
  std::printf("%s", plan.Explain().c_str());
  // With x, w, y and scratch (plan.workspace_size() bytes) allocated on the device, each call is then:
  //   gemm::Arguments args;
  //   args.a = x; args.b = w; args.d = y; args.stream = stream;
  //   args.workspace = scratch; args.workspace_size = plan.workspace_size();
  //   status = plan.Run(args);
  return 0;
}
