// Contents for matrices. Every value is a function of (seed, batch, row, column): the same logical matrix comes
// out in any layout, on any number of threads. Shared by the tests and by tools/gemm.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "tests/support/matrix.h"

namespace gemm::tests {

enum class Fill {
  kZeros,
  // Integers of [-4, 4] (the idea is benchdnn's): exact in every type, and so is every partial sum in FP32, in
  // any order, while 16 K < 2^24. D is then the exact result rounded once, which leaves a kernel no freedom:
  // see IsExactProduct().
  kIntegers,
  // Normal deviates of mean 0 and variance 1, rounded to the type.
  kNormal,
  // kNormal with a NaN, an infinity of either sign, a zero of either sign and a subnormal in a few places.
  kSpecial,
  // Subnormals of the type in A, and in B normal deviates so large that the products are ordinary numbers: a
  // kernel that takes subnormals for zeros fails.
  kSubnormal,
};

const char* Name(Fill fill);  // "zeros", "integers", "normal", "special", "subnormal"
std::optional<Fill> ParseFill(std::string_view name);

enum class Operand { kA, kB, kC };

// Writes every element of `view` and nothing else. threads = 0: one per core.
void FillMatrix(const View& view, Fill fill, Operand operand, std::uint64_t seed, int threads = 0);

// Writes the poison NaN (numerics.h) to elements [0, count) of an array.
void FillPoison(DataType type, void* data, std::int64_t count);

// Whether a product of kIntegers matrices with these scalars is exact in FP32 whatever the order of summation.
bool IsExactProduct(const Problem& problem, double alpha, double beta);

// A well-mixed hash of two words (splitmix64's finaliser); the source of all randomness here.
std::uint64_t Mix(std::uint64_t a, std::uint64_t b);

}  // namespace gemm::tests
