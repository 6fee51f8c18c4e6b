// A shape of the sweep: a kernel for each layout of B, as rows of common/simt.
#pragma once

#include <string>
#include <vector>

#include "common/dispatch/kernel.h"
#include "common/simt/config.h"
#include "common/simt/ring.h"
#include "tools/gemm/bench/entrant.h"

namespace gemm::sweep {

struct Shape {
  const char* name;
  dispatch::KernelRow nk;
  dispatch::KernelRow kn;
};

template <typename RingShape>
Shape MakeShape(const char* name, const driver::Image& image, const char* source, const char* nk,
                const char* kn) {
  const auto row = [&](const char* symbol, problem::Major b_major) {
    dispatch::KernelRow made{};
    made.name = name;
    made.family = &simt::kRingFamily;
    made.image = &image;
    made.source = source;
    made.symbol = symbol;
    made.input_type = DataType::kFP32;
    made.a_major = problem::Major::kK;
    made.b_major = b_major;
    made.tile = {RingShape::kTileM, RingShape::kTileN, RingShape::kTileK};
    made.stages = RingShape::kStages;
    made.cluster_m = made.cluster_n = 1;
    made.threads = RingShape::kThreads;
    made.shared_bytes = RingShape::kSharedBytes;
    return made;
  };
  return {name, row(nk, problem::Major::kK), row(kn, problem::Major::kMN)};
}

// The shapes of the program's grid, by name.
const std::vector<Shape>& Shapes();

// Adds the shape, K in so many parts. One that cannot run, or whose kernel spills, has the reason as its failure.
Status AddShape(const tool::bench::Bench& bench, const Problem& problem, const Shape& shape, int parts,
                tool::bench::Entrants* entrants);

}  // namespace gemm::sweep
