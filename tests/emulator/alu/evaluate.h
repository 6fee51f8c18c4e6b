// Runs a few instructions on the emulated GPU for many operand values.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

namespace emu::testing {

// An operand: the size of its register, and one value for each evaluation, in the low bits.
struct Column {
  std::uint32_t bytes = 4;
  std::vector<std::uint64_t> values;
};

template <class T>
std::uint64_t Bits(T value) {
  if constexpr (sizeof(T) == 2) return std::bit_cast<std::uint16_t>(value);
  if constexpr (sizeof(T) == 4) return std::bit_cast<std::uint32_t>(value);
  if constexpr (sizeof(T) == 8) return std::bit_cast<std::uint64_t>(value);
}
template <class T>
T Value(std::uint64_t bits) {
  if constexpr (sizeof(T) == 2) return std::bit_cast<T>(static_cast<std::uint16_t>(bits));
  if constexpr (sizeof(T) == 4) return std::bit_cast<T>(static_cast<std::uint32_t>(bits));
  if constexpr (sizeof(T) == 8) return std::bit_cast<T>(bits);
}
template <class T>
Column ColumnOf(const std::vector<T>& values) {
  Column column{sizeof(T), {}};
  for (const T& value : values) column.values.push_back(Bits(value));
  return column;
}

// `body` is PTX that reads %a, %b, %c, %e (the columns in order, registers of their sizes, .b16 .b32 .b64) and writes %d.
// It may use the registers %p0..%p9 (predicates), %h0..9 (.b16), %r0..9 (.b32), %l0..9 (.b64) and %q0..9 (.b128).
// Returns %d for each row. Every row is computed three times: by whole warps with the handlers for this processor, by whole
// warps with those for any x86-64, and with one lane of three active at a time. A difference, like a Finding, fails the test.
std::vector<std::uint64_t> Evaluate(const std::string& body, std::uint32_t result_bytes,
                                    const std::vector<Column>& columns);

// "" when the emulator takes the body, else what it says of it.
std::string WhyRefused(const std::string& body);

// Every pair (triple) of the values, as columns.
template <class T>
std::vector<std::vector<T>> Cross(const std::vector<T>& values, int columns) {
  std::vector<std::vector<T>> result(columns);
  std::size_t rows = 1;
  for (int i = 0; i < columns; ++i) rows *= values.size();
  for (std::size_t row = 0; row < rows; ++row) {
    std::size_t rest = row;
    for (int i = 0; i < columns; ++i) {
      result[i].push_back(values[rest % values.size()]);
      rest /= values.size();
    }
  }
  return result;
}

// Values of an integer type that are likely to go wrong, and random ones.
template <class T>
std::vector<T> Integers(int random_count);
// The same for floating point, as bits: zeros, subnormal and normal limits, infinities, NaN, neighbours of powers of two,
// random bits. Formats by their exponent and mantissa bits.
std::vector<std::uint64_t> Floats(int exponent_bits, int mantissa_bits, int random_count);

// Floats() of float or double, as values.
template <class T>
std::vector<T> Inputs(int random_count) {
  std::vector<T> values;
  for (const std::uint64_t bits : sizeof(T) == 4 ? Floats(8, 23, random_count) : Floats(11, 52, random_count)) {
    values.push_back(Value<T>(bits));
  }
  return values;
}

// What .ftz makes of it.
template <class T>
T Flushed(T x) {
  return std::fpclassify(x) == FP_SUBNORMAL ? std::copysign(T{0}, x) : x;
}

}  // namespace emu::testing
