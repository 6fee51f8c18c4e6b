#include <algorithm>
#include <cmath>
#include <memory>

#include "tests/support/numerics.h"
#include "tests/support/oracle.h"
#include "tests/support/parallel.h"

namespace gemm::tests {
namespace {

// Outer products on a tile of C: rows of B are read as vectors, FP32 throughout.
constexpr std::int64_t kTileRows = 64;
constexpr std::int64_t kTileCols = 128;
constexpr std::int64_t kTileDepth = 256;

struct Tile {
  float a[kTileDepth][kTileRows];
  float b[kTileDepth][kTileCols];
  float sum[kTileRows][kTileCols];
};

inline __attribute__((always_inline)) void Accumulate(Tile* tile, std::int64_t rows, std::int64_t depth) {
  constexpr std::int64_t kWidth = 32;
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::int64_t j = 0; j < kTileCols; j += kWidth) {
      float sum[kWidth];
      for (std::int64_t l = 0; l < kWidth; ++l) sum[l] = tile->sum[i][j + l];
      for (std::int64_t k = 0; k < depth; ++k) {
        const float a = tile->a[k][i];
        for (std::int64_t l = 0; l < kWidth; ++l) sum[l] += a * tile->b[k][j + l];
      }
      for (std::int64_t l = 0; l < kWidth; ++l) tile->sum[i][j + l] = sum[l];
    }
  }
}

void AccumulatePortable(Tile* tile, std::int64_t rows, std::int64_t depth) { Accumulate(tile, rows, depth); }
#if defined(__x86_64__)
__attribute__((target("avx2,fma"))) void AccumulateFma(Tile* tile, std::int64_t rows, std::int64_t depth) {
  Accumulate(tile, rows, depth);
}
#endif

auto ChooseAccumulate() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return AccumulateFma;
#endif
  return AccumulatePortable;
}

}  // namespace

void HostGemm(const Problem& problem, const void* a_data, const void* b_data, const void* c_data, void* d_data,
              float alpha, float beta, int threads, const std::function<void(double)>& progress) {
  const View a = ViewOfA(problem, a_data);
  const View b = ViewOfB(problem, b_data);
  const View c = ViewOfC(problem, c_data);
  const View d = ViewOfD(problem, d_data);
  const auto accumulate = ChooseAccumulate();
  const std::int64_t tiles_m = (problem.m + kTileRows - 1) / kTileRows;
  const std::int64_t tiles_n = (problem.n + kTileCols - 1) / kTileCols;
  const auto compute = [&](std::int64_t task) {
    thread_local const auto tile = std::make_unique<Tile>();
    const std::int64_t batch = task / (tiles_m * tiles_n);
    const std::int64_t row = task / tiles_n % tiles_m * kTileRows;
    const std::int64_t col = task % tiles_n * kTileCols;
    const std::int64_t rows = std::min(kTileRows, problem.m - row);
    const std::int64_t cols = std::min(kTileCols, problem.n - col);
    std::fill_n(&tile->sum[0][0], kTileRows * kTileCols, 0.0f);
    std::fill_n(&tile->b[0][0], kTileDepth * kTileCols, 0.0f);
    for (std::int64_t k = 0; k < problem.k; k += kTileDepth) {
      const std::int64_t depth = std::min(kTileDepth, problem.k - k);
      for (std::int64_t l = 0; l < depth; ++l) {
        for (std::int64_t i = 0; i < rows; ++i)
          tile->a[l][i] = Load(a.type, a.data, a.Index(batch, row + i, k + l));
        for (std::int64_t j = 0; j < cols; ++j)
          tile->b[l][j] = Load(b.type, b.data, b.Index(batch, k + l, col + j));
      }
      accumulate(tile.get(), rows, depth);
    }
    for (std::int64_t i = 0; i < rows; ++i) {
      for (std::int64_t j = 0; j < cols; ++j) {
        float value = problem.k > 0 ? alpha * tile->sum[i][j] : 0.0f;
        if (beta != 0) value += beta * Load(c.type, c.data, c.Index(batch, row + i, col + j));
        Store(d.type, d.data, d.Index(batch, row + i, col + j), value);
      }
    }
  };
  ParallelFor(problem.batch * tiles_m * tiles_n, threads, compute, progress);
}

}  // namespace gemm::tests
