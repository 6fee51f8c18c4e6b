#include "tests/dispatch/random_problem.h"

#include <cstdlib>
#include <iostream>
#include <random>

#include "common/base/data_type.h"

namespace gemm::fake {
namespace {

constexpr DataType kTypes[] = {DataType::kFP32, DataType::kFP16, DataType::kBF16};

std::int64_t RandomSize(std::mt19937_64& random) {
  if (random() % 50 == 0) return 0;
  const std::uint64_t bits = random() % (random() % 8 == 0 ? 25 : 18);
  const auto size =
      static_cast<std::int64_t>((std::uint64_t{1} << bits) + random() % (std::uint64_t{1} << bits));
  return random() % 2 ? size : (size + 7) / 8 * 8;  // as most kernels want K, or rows
}

Matrix RandomMatrix(std::mt19937_64& random, DataType type, std::int64_t rows, std::int64_t cols) {
  Matrix m;
  m.type = type;
  m.layout = random() % 2 ? Layout::kRowMajor : Layout::kColumnMajor;
  const std::int64_t packed = m.layout == Layout::kRowMajor ? cols : rows;
  switch (random() % 4) {
    case 0:
      m.ld = packed + static_cast<std::int64_t>(random() % 100);
      break;
    case 1:
      m.ld = (packed + 63) / 64 * 64;
      break;
    default:
      break;
  }
  if (random() % 4 == 0) m.alignment = base::ElementBytes(type) << random() % 5;
  return m;
}

}  // namespace

Problem RandomProblem(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Problem p;
  p.m = RandomSize(random);
  p.n = RandomSize(random);
  p.k = RandomSize(random);
  if (random() % 4 == 0) p.batch = static_cast<std::int64_t>(random() % 9);
  const DataType input = kTypes[random() % 3];
  const DataType output = kTypes[random() % 3];
  p.a = RandomMatrix(random, input, p.m, p.k);
  p.b = RandomMatrix(random, input, p.k, p.n);
  p.c = RandomMatrix(random, output, p.m, p.n);
  p.d = RandomMatrix(random, output, p.m, p.n);
  if (random() % 4 == 0) p.a.batch_stride = 0;
  if (random() % 4 == 0) p.b.batch_stride = 0;
  if (random() % 8 == 0) {
    p.compute = ComputeType::kFP32;
  } else if (input == DataType::kFP32 && random() % 2 == 0) {
    p.compute = ComputeType::kTF32;
  }
  if (random() % 8 == 0) p.scalars = ScalarMode::kDevice;
  return p;
}

problem::Normalized RandomNormalized(std::uint64_t seed) {
  problem::Normalized normalized;
  const Status status = problem::Normalize(RandomProblem(seed), &normalized);
  if (!status.ok()) {
    std::cerr << "seed " << seed << ": " << status.message() << "\n";
    std::abort();
  }
  return normalized;
}

}  // namespace gemm::fake
