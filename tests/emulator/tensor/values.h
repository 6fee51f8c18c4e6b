// Elements and their values, decoded from the formats' definitions, for the tests of tensor instructions.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tools/emulator/base/random.h"

namespace emu::testing {

inline int BitsOfType(const std::string& type) {
  if (type == "f64") return 64;
  if (type == "f32" || type == "s32" || type == "tf32") return 32;
  if (type == "f16" || type == "bf16") return 16;
  if (type == "s4" || type == "u4") return 4;
  return type == "b1" ? 1 : 8;
}

// (-1)^s * 2^(e - bias) * 1.m, and what the ends of the exponent's range mean.
inline double DecodeFloat(std::uint64_t bits, int e_bits, int m_bits, bool ieee_top) {
  const int e = static_cast<int>(bits >> m_bits & ((1u << e_bits) - 1));
  const double m = static_cast<double>(bits & ((std::uint64_t{1} << m_bits) - 1)) / std::pow(2.0, m_bits);
  const double sign = (bits >> (e_bits + m_bits) & 1) != 0 ? -1 : 1;
  const int bias = (1 << (e_bits - 1)) - 1;
  if (e == (1 << e_bits) - 1) {
    if (ieee_top) return m == 0 ? sign * std::numeric_limits<double>::infinity() : std::nan("");
    if (m == 1 - std::pow(2.0, -m_bits)) return std::nan("");
  }
  return e == 0 ? sign * m * std::pow(2.0, 1 - bias) : sign * (1 + m) * std::pow(2.0, e - bias);
}

inline double DecodeType(const std::string& type, std::uint64_t bits) {
  if (type == "f16") return DecodeFloat(bits, 5, 10, true);
  if (type == "bf16") return DecodeFloat(bits, 8, 7, true);
  if (type == "tf32") return DecodeFloat(bits >> 13, 8, 10, true);
  if (type == "f32") return DecodeFloat(bits, 8, 23, true);
  if (type == "e4m3") return DecodeFloat(bits, 4, 3, false);
  if (type == "e5m2") return DecodeFloat(bits, 5, 2, true);
  if (type == "s32") return static_cast<std::int32_t>(bits);
  if (type == "s8") return static_cast<std::int8_t>(bits);
  if (type == "s4") return static_cast<double>(bits) - (bits >= 8 ? 16 : 0);
  if (type == "f64") {
    double value;
    std::memcpy(&value, &bits, 8);
    return value;
  }
  return static_cast<double>(bits);
}

// Every pattern of a type of at most 16 bits that is a small whole number, or one of moderate size.
inline std::vector<std::uint64_t> PatternsOf(const std::string& type, bool whole) {
  const int bits = BitsOfType(type);
  std::vector<std::uint64_t> patterns;
  for (std::uint64_t pattern = 0; pattern < std::uint64_t{1} << bits; ++pattern) {
    const double value = DecodeType(type, pattern), size = std::fabs(value);
    const bool moderate = size <= 8 && (bits == 8 || size >= 0x1p-6);
    if (whole ? size <= 4 && value == std::floor(value) : moderate) patterns.push_back(pattern);
  }
  return patterns;
}

// Small whole numbers and random finite numbers of moderate size; never NaN or infinite.
inline std::uint64_t RandomBits(const std::string& type, bool whole, Random& random) {
  if (type == "b1") return random.Below(2);
  if (type == "s8" || type == "u8") return random.Below(256);
  if (type == "s4" || type == "u4") return random.Below(16);
  if (type == "s32") return static_cast<std::uint32_t>(static_cast<std::int32_t>(random.Below(2001)) - 1000);
  const int small = static_cast<int>(random.Below(9)) - 4;
  const float fraction = std::ldexp(static_cast<float>(random.Below(1u << 24)) - 8388608.0f,
                                    static_cast<int>(random.Below(6)) - 24);
  const float value = whole ? static_cast<float>(small) : fraction;
  std::uint32_t f32;
  std::memcpy(&f32, &value, 4);
  if (type == "f32" || type == "tf32") return f32;
  if (type == "bf16") return f32 >> 16;
  if (type == "f64") {
    const double wide = whole ? small : fraction * (1 + random.Below(1000) * 0x1p-40);
    std::uint64_t bits;
    std::memcpy(&bits, &wide, 8);
    return bits;
  }
  // f16 and the 8-bit types.
  static std::map<std::pair<std::string, bool>, std::vector<std::uint64_t>> known;
  auto& patterns = known[{type, whole}];
  if (patterns.empty()) patterns = PatternsOf(type, whole);
  return patterns[random.Below(static_cast<std::uint32_t>(patterns.size()))];
}

// A matrix of bit patterns.
struct Matrix {
  std::string type;
  int rows = 0, columns = 0;
  std::vector<std::uint64_t> bits;
  Matrix(std::string t, int r, int c)
      : type(std::move(t)),
        rows(r),
        columns(c),
        bits(static_cast<std::size_t>(r) * static_cast<std::size_t>(c)) {}
  std::uint64_t& operator()(int r, int c) { return bits[static_cast<std::size_t>(r * columns + c)]; }
  std::uint64_t operator()(int r, int c) const { return bits[static_cast<std::size_t>(r * columns + c)]; }
  double Value(int r, int c) const { return DecodeType(type, (*this)(r, c)); }
  void Fill(bool whole, Random& random) {
    for (auto& one : bits) one = RandomBits(type, whole, random);
  }
};

// What an element of the product A * B + C is, and the sum of the sizes of its terms.
inline double Expected(const Matrix& a, const Matrix& b, double c, int row, int column, double* size) {
  double sum = c;
  *size = std::fabs(c);
  for (int k = 0; k < a.columns; ++k) {
    const double term = a.Value(row, k) * b.Value(k, column);
    sum += term;
    *size += std::fabs(term);
  }
  return sum;
}

// What the result may be off: half a unit of the result's type, and the rounding of sums in double.
inline double Allowed(const std::string& type, double expected, double size) {
  if (type == "f64") return size * 0x1p-48;
  if (type == "s32") return 0;
  return std::fabs(expected) * (type == "f16" ? 0x1.01p-11 : 0x1.01p-24) + size * 0x1p-48 + 0x1p-25;
}

// Puts elements of `bits` bits into words of 32 (or 64) bits, low bits first.
inline void PutElement(std::vector<std::uint32_t>* words, std::size_t element, int bits, std::uint64_t value) {
  if (bits == 64) {
    (*words)[element * 2] = static_cast<std::uint32_t>(value);
    (*words)[element * 2 + 1] = static_cast<std::uint32_t>(value >> 32);
    return;
  }
  const std::size_t per_word = 32 / static_cast<std::size_t>(bits);
  const auto shift = static_cast<std::uint32_t>(element % per_word) * static_cast<std::uint32_t>(bits);
  (*words)[element / per_word] |= static_cast<std::uint32_t>(value) << shift;
}
inline std::uint64_t GetElement(const std::vector<std::uint32_t>& words, std::size_t element, int bits) {
  if (bits == 64) return words[element * 2] | std::uint64_t{words[element * 2 + 1]} << 32;
  const std::size_t per_word = 32 / static_cast<std::size_t>(bits);
  const auto shift = static_cast<std::uint32_t>(element % per_word) * static_cast<std::uint32_t>(bits);
  const std::uint32_t word = words[element / per_word] >> shift;
  return bits == 32 ? word : word & ((1u << bits) - 1);
}

}  // namespace emu::testing
