// Small floating point formats by tables of all their values: a number is rounded by looking for its neighbours.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace emu::testing {

// Holds sums and products of numbers of 16 bits.
__extension__ using Quad = __float128;

inline Quad Abs(Quad x) { return x < 0 ? -x : x; }
inline bool IsNan(Quad x) { return x != x; }
inline bool IsNegative(Quad x) { return __builtin_signbit(x) != 0; }

enum class Mode { kRn, kRz, kRm, kRp, kRna };
constexpr Mode kFourModes[] = {Mode::kRn, Mode::kRz, Mode::kRm, Mode::kRp};
inline const char* Name(Mode mode) {
  constexpr const char* kNames[] = {".rn", ".rz", ".rm", ".rp", ".rna"};
  return kNames[static_cast<int>(mode)];
}

class SmallFormat {
 public:
  // `specials`: how many of the largest encodings are no numbers, the first of them infinity when there are more than one.
  SmallFormat(int exponent_bits, int mantissa_bits, int specials)
      : sign_(std::uint64_t{1} << (exponent_bits + mantissa_bits)), mantissa_bits_(mantissa_bits) {
    const int bias = (1 << (exponent_bits - 1)) - 1;
    // The encoding after the largest number has the value that decides when numbers overflow.
    for (std::uint64_t bits = 0; bits <= sign_ - static_cast<std::uint64_t>(specials); ++bits) {
      const auto field = static_cast<int>(bits >> mantissa_bits);
      const double mantissa = static_cast<double>(bits % (1u << mantissa_bits)) / (1u << mantissa_bits);
      values_.push_back(field == 0 ? std::ldexp(mantissa, 1 - bias) : std::ldexp(1 + mantissa, field - bias));
    }
    has_infinity_ = specials > 1;
    has_nan_ = specials > 0;
  }

  std::uint64_t sign() const { return sign_; }
  std::uint64_t max() const { return values_.size() - 2; }
  std::uint64_t infinity() const { return max() + 1; }
  std::uint64_t nan() const { return has_nan_ ? sign_ - 1 : max(); }
  std::uint64_t one() const {
    return static_cast<std::uint64_t>(std::find(values_.begin(), values_.end(), 1.0) - values_.begin());
  }
  int mantissa_bits() const { return mantissa_bits_; }
  // Of magnitudes up to infinity().
  double value(std::uint64_t magnitude) const { return values_[magnitude]; }

  double Decode(std::uint64_t bits) const {
    const std::uint64_t magnitude = bits & (sign_ - 1);
    double value = std::numeric_limits<double>::quiet_NaN();
    if (magnitude <= max()) value = values_[magnitude];
    if (has_infinity_ && magnitude == infinity()) value = std::numeric_limits<double>::infinity();
    return (bits & sign_) != 0 ? -value : value;
  }

  std::uint64_t Encode(Quad x, Mode mode, bool finite = false) const {
    if (IsNan(x)) return nan();
    const bool negative = IsNegative(x);
    const Quad size = Abs(x);
    const std::uint64_t sign = negative ? sign_ : 0;
    const bool toward_zero = mode == Mode::kRz || mode == (negative ? Mode::kRp : Mode::kRm);
    const std::uint64_t beyond = finite || !has_infinity_ ? max() : infinity();
    if (size > std::numeric_limits<double>::max()) return sign | beyond;  // infinite
    if (size >= values_.back()) return sign | (toward_zero ? max() : beyond);
    // values_[low] <= size < values_[low + 1]
    const auto above = std::upper_bound(values_.begin(), values_.end(), size);
    const auto low = static_cast<std::uint64_t>(above - values_.begin()) - 1;
    const Quad below = size - values_[low], rest = values_[low + 1] - size;
    bool up = !toward_zero && below != 0;
    if (mode == Mode::kRn) up = below > rest || (below == rest && low % 2 != 0);
    if (mode == Mode::kRna) up = below >= rest;
    const std::uint64_t magnitude = low + up;
    return sign | (magnitude > max() ? beyond : magnitude);
  }

  // Numbers that are representable, halfway between two that are, and next to those, of both signs; `step` of them left out
  // between two.
  std::vector<double> Ties(std::uint64_t step) const {
    std::vector<double> ties;
    for (std::uint64_t i = 0; i <= max(); i += step) {
      const double middle = (values_[i] + values_[i + 1]) / 2;
      for (const double x : {values_[i], middle}) {
        for (const double y : {x, x * (1 + 0x1p-20), x * (1 - 0x1p-20)}) ties.push_back(y), ties.push_back(-y);
      }
    }
    return ties;
  }

 private:
  std::uint64_t sign_;
  int mantissa_bits_;
  bool has_infinity_, has_nan_;
  std::vector<double> values_;  // by magnitude
};

inline const SmallFormat& F16() {
  static const SmallFormat format(5, 10, 1 << 10);
  return format;
}
inline const SmallFormat& BF16() {
  static const SmallFormat format(8, 7, 1 << 7);
  return format;
}
inline const SmallFormat& TF32() {
  static const SmallFormat format(8, 10, 1 << 10);
  return format;
}
inline const SmallFormat& E4M3() {
  static const SmallFormat format(4, 3, 1);
  return format;
}
inline const SmallFormat& E5M2() {
  static const SmallFormat format(5, 2, 4);
  return format;
}
inline const SmallFormat& E2M3() {
  static const SmallFormat format(2, 3, 0);
  return format;
}
inline const SmallFormat& E3M2() {
  static const SmallFormat format(3, 2, 0);
  return format;
}
inline const SmallFormat& E2M1() {
  static const SmallFormat format(2, 1, 0);
  return format;
}

}  // namespace emu::testing
