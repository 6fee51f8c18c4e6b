#include "tests/support/fills.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/support/numerics.h"
#include "tests/support/parallel.h"

namespace gemm::tests {
namespace {

constexpr const char* kNames[] = {"zeros", "integers", "normal", "special", "subnormal"};
constexpr int kLargestInteger = 4;

// Box and Muller's transform of the two halves of a hash.
float Normal(std::uint64_t hash) {
  constexpr float kTwoPi = 6.28318530718f;
  const float u = (static_cast<float>(hash >> 40) + 1.0f) * 0x1p-24f;  // (0, 1]
  const float v = static_cast<float>(hash & 0xffffffu) * 0x1p-24f;     // [0, 1)
  return std::sqrt(-2.0f * std::log(u)) * std::cos(kTwoPi * v);
}

// Values of one matrix. Positions of special values depend on its size: a handful, so that most of D stays
// finite.
class Generator {
 public:
  Generator(const View& view, Fill fill, Operand operand, std::uint64_t seed)
      : type_(view.type),
        fill_(fill),
        operand_(operand),
        seed_(Mix(seed, static_cast<std::uint64_t>(operand))) {
    if (fill != Fill::kSpecial) return;
    for (int i = 0; i < kSpecials; ++i) {
      const std::uint64_t hash = Mix(seed_, 0x5bec1a1u + static_cast<std::uint64_t>(i));
      special_row_[i] = static_cast<std::int64_t>((hash >> 32) % static_cast<std::uint64_t>(view.rows));
      special_col_[i] = static_cast<std::int64_t>((hash & 0xffffffffu) % static_cast<std::uint64_t>(view.cols));
    }
  }

  float operator()(std::int64_t b, std::int64_t i, std::int64_t j) const {
    const std::uint64_t hash = Mix(Mix(seed_ + static_cast<std::uint64_t>(b), static_cast<std::uint64_t>(i)),
                                   static_cast<std::uint64_t>(j));
    switch (fill_) {
      case Fill::kZeros:
        return 0.0f;
      case Fill::kIntegers:
        return static_cast<float>(static_cast<int>((hash >> 32) % (2 * kLargestInteger + 1)) - kLargestInteger);
      case Fill::kNormal:
        return Normal(hash);
      case Fill::kSpecial:
        for (int s = 0; s < kSpecials; ++s) {
          if (special_row_[s] == i && special_col_[s] == j) return Special(s);
        }
        return Normal(hash);
      case Fill::kSubnormal:
        return Subnormal(hash);
    }
    return 0.0f;
  }

 private:
  static constexpr int kSpecials = 6;

  float Special(int which) const {
    const float values[kSpecials] = {std::numeric_limits<float>::quiet_NaN(),
                                     std::numeric_limits<float>::infinity(),
                                     -std::numeric_limits<float>::infinity(),
                                     -0.0f,
                                     0.0f,
                                     static_cast<float>(SmallestSubnormal(type_))};
    return values[which];
  }

  float Subnormal(std::uint64_t hash) const {
    const bool half = type_ == DataType::kFP16;
    if (operand_ == Operand::kC) return Normal(hash);
    if (operand_ == Operand::kB) return Normal(hash) * (half ? 0x1p12f : 0x1p120f);
    const std::uint32_t fraction_bits = half ? 10 : type_ == DataType::kBF16 ? 7 : 23;
    const double count = static_cast<double>((hash >> 8) & ((std::uint64_t{1} << fraction_bits) - 1));
    const double value = count * SmallestSubnormal(type_);
    return static_cast<float>((hash & 1) != 0 ? -value : value);
  }

  DataType type_;
  Fill fill_;
  Operand operand_;
  std::uint64_t seed_;
  std::int64_t special_row_[kSpecials] = {};
  std::int64_t special_col_[kSpecials] = {};
};

}  // namespace

const char* Name(Fill fill) { return kNames[static_cast<int>(fill)]; }

std::optional<Fill> ParseFill(std::string_view name) {
  for (int i = 0; i < static_cast<int>(std::size(kNames)); ++i) {
    if (name == kNames[i]) return static_cast<Fill>(i);
  }
  return std::nullopt;
}

void FillMatrix(const View& view, Fill fill, Operand operand, std::uint64_t seed, int threads) {
  if (view.rows <= 0 || view.cols <= 0 || view.batch <= 0) return;
  const Generator generate(view, fill, operand, seed);
  const std::int64_t matrices = view.batch_stride == 0 ? 1 : view.batch;
  // One task is some lines along the contiguous direction.
  const bool along_row = view.col_stride == 1;
  const std::int64_t outer = along_row ? view.rows : view.cols;
  const std::int64_t inner = along_row ? view.cols : view.rows;
  const std::int64_t lines = std::max<std::int64_t>(1, (1 << 16) / inner);
  const std::int64_t tasks = (outer + lines - 1) / lines;
  ParallelFor(matrices * tasks, threads, [&](std::int64_t task) {
    const std::int64_t b = task / tasks;
    const std::int64_t first = task % tasks * lines;
    for (std::int64_t o = first; o < std::min(outer, first + lines); ++o) {
      for (std::int64_t l = 0; l < inner; ++l) {
        const std::int64_t i = along_row ? o : l;
        const std::int64_t j = along_row ? l : o;
        Store(view.type, view.data, view.Index(b, i, j), generate(b, i, j));
      }
    }
  });
}

void FillPoison(DataType type, void* data, std::int64_t count) {
  const std::uint32_t bits = PoisonBits(type);
  if (type == DataType::kFP32) {
    std::fill_n(static_cast<std::uint32_t*>(data), count, bits);
  } else {
    std::fill_n(static_cast<std::uint16_t*>(data), count, static_cast<std::uint16_t>(bits));
  }
}

bool IsExactProduct(const Problem& problem, double alpha, double beta) {
  // Everything is a multiple of `unit`; exact while no sum of magnitudes passes 2^24 units. Scalars are taken
  // in sixteenths, more than the tests ask for.
  const double unit = 1.0 / 16;
  if (std::nearbyint(alpha / unit) != alpha / unit || std::nearbyint(beta / unit) != beta / unit) return false;
  const bool whole = std::nearbyint(alpha) == alpha && std::nearbyint(beta) == beta;
  const double product = kLargestInteger * kLargestInteger * static_cast<double>(problem.k);
  const double largest = std::max(1.0, std::abs(alpha)) * product + std::abs(beta) * kLargestInteger;
  return largest < 0x1p24 * (whole ? 1.0 : unit);
}

std::uint64_t Mix(std::uint64_t a, std::uint64_t b) {
  std::uint64_t x = a * 0x9e3779b97f4a7c15u + b + 0x632be59bd9b4e019u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

}  // namespace gemm::tests
