#include "tools/emulator/tensor/product.h"

#include <algorithm>
#include <bit>
#include <cfenv>
#include <cmath>

namespace emu {

namespace {

typedef double Vector __attribute__((vector_size(32), aligned(8), may_alias));

// Four rows at a time: their accumulators fit into registers.
__attribute__((always_inline)) inline void AddProductBody(const double* a, const double* b, double* c, int m,
                                                          int k) {
  for (int row = 0; row < m; row += 4) {
    Vector sum[4][2];
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i) {
#pragma GCC unroll 2
      for (int j = 0; j < 2; ++j) sum[i][j] = *reinterpret_cast<const Vector*>(c + (row + i) * 8 + j * 4);
    }
    const double* a_row = a + row * k;
    for (int kk = 0; kk < k; ++kk) {
      const Vector b0 = *reinterpret_cast<const Vector*>(b + kk * 8);
      const Vector b1 = *reinterpret_cast<const Vector*>(b + kk * 8 + 4);
#pragma GCC unroll 4
      for (int i = 0; i < 4; ++i) {
        const double value = a_row[i * k + kk];
        sum[i][0] += value * b0;
        sum[i][1] += value * b1;
      }
    }
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i) {
#pragma GCC unroll 2
      for (int j = 0; j < 2; ++j) *reinterpret_cast<Vector*>(c + (row + i) * 8 + j * 4) = sum[i][j];
    }
  }
}

void AddProductBaseline(const double* a, const double* b, double* c, int m, int k) {
  AddProductBody(a, b, c, m, k);
}

#if defined(__x86_64__)
__attribute__((target("avx2,fma"))) void AddProductAvx2(const double* a, const double* b, double* c, int m,
                                                        int k) {
  AddProductBody(a, b, c, m, k);
}
#endif

using AddProductFunction = void (*)(const double*, const double*, double*, int, int);

AddProductFunction Choose() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return AddProductAvx2;
#endif
  return AddProductBaseline;
}

// fma as the rounding mode has it; not inlined, so that it is not moved across the change of mode.
__attribute__((noinline)) double Fma(double a, double b, double c) { return std::fma(a, b, c); }

}  // namespace

void AddProduct(const double* a, const double* b, double* c, int m, int k) {
  static const AddProductFunction function = Choose();
  function(a, b, c, m, k);
}

void AddProductF64(const double* a, const double* b, double* c, int m, int n, int k, int rounding) {
  const int before = std::fegetround();
  std::fesetround(rounding);
  for (int row = 0; row < m; ++row) {
    for (int column = 0; column < n; ++column) {
      double sum = c[row * n + column];
      for (int kk = 0; kk < k; ++kk) sum = Fma(a[row * k + kk], b[kk * n + column], sum);
      c[row * n + column] = sum;
    }
  }
  std::fesetround(before);
}

void AddProductBits(const std::uint32_t* a, const std::uint32_t* b, std::int32_t* c, int m, int n, int words,
                    bool exclusive) {
  for (int row = 0; row < m; ++row) {
    for (int column = 0; column < n; ++column) {
      std::uint32_t count = static_cast<std::uint32_t>(c[row * n + column]);
      for (int w = 0; w < words; ++w) {
        const std::uint32_t x = a[row * words + w], y = b[column * words + w];
        count += static_cast<std::uint32_t>(std::popcount(exclusive ? x ^ y : x & y));
      }
      c[row * n + column] = static_cast<std::int32_t>(count);
    }
  }
}

std::int32_t ToS32(double exact, bool saturate) {
  const auto sum = static_cast<std::int64_t>(exact);
  if (!saturate) return static_cast<std::int32_t>(static_cast<std::uint32_t>(sum));
  return static_cast<std::int32_t>(std::clamp<std::int64_t>(sum, INT32_MIN, INT32_MAX));
}

}  // namespace emu
