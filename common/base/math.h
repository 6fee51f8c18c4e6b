// Small integer mathematics that every layer needs.
#pragma once

#include <cstdint>

namespace gemm::base {

// value >= 0, divisor > 0. No intermediate can overflow.
template <typename T>
constexpr T CeilDiv(T value, T divisor) {
  return value / divisor + (value % divisor != 0 ? 1 : 0);
}

// The smallest multiple of `multiple` that is not below `value`; the caller knows that it fits T.
template <typename T>
constexpr T RoundUp(T value, T multiple) {
  return CeilDiv(value, multiple) * multiple;
}

constexpr bool IsPowerOfTwo(std::int64_t value) { return value > 0 && (value & (value - 1)) == 0; }

// The largest power of two that divides `value`, at most `limit` (itself a power of two). 0 is divisible by
// all.
constexpr std::int64_t PowerOfTwoFactor(std::int64_t value, std::int64_t limit) {
  std::int64_t factor = limit;
  while (factor > 1 && value % factor != 0) factor /= 2;
  return factor;
}

// *result = a * b or a + b; false, and *result unspecified, when that does not fit 64 bits.
inline bool CheckedMultiply(std::int64_t a, std::int64_t b, std::int64_t* result) {
  return !__builtin_mul_overflow(a, b, result);
}
inline bool CheckedAdd(std::int64_t a, std::int64_t b, std::int64_t* result) {
  return !__builtin_add_overflow(a, b, result);
}

}  // namespace gemm::base
