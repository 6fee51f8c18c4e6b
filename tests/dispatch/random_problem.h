// Valid problems of all kinds, from a seed.
#pragma once

#include <cstdint>

#include "common/problem/problem.h"

namespace gemm::fake {

// Sizes log-uniform up to 2^17 (2^24 in one of eight), 0 now and then; all types, layouts, leading dimensions
// and alignments; batches. A pure function of the seed.
Problem RandomProblem(std::uint64_t seed);

// The same, normalised.
problem::Normalized RandomNormalized(std::uint64_t seed);

}  // namespace gemm::fake
