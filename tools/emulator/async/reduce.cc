#include "tools/emulator/async/reduce.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <type_traits>

namespace emu {
namespace {

constexpr const char* kNames[] = {"none", "add", "min", "max", "inc", "dec", "and", "or", "xor"};

struct Half {
  std::uint16_t bits;
  static float Wide(std::uint16_t bits) {
    _Float16 value;
    std::memcpy(&value, &bits, sizeof value);
    return static_cast<float>(value);
  }
  // A sum of two halves is exact as double, so that it is rounded once.
  static std::uint16_t Narrow(double value) {
    const auto half = static_cast<_Float16>(value);
    std::uint16_t bits;
    std::memcpy(&bits, &half, sizeof bits);
    return bits;
  }
  static constexpr std::uint16_t kNaN = 0x7fff;
};

struct Brain {
  std::uint16_t bits;
  static float Wide(std::uint16_t bits) { return std::bit_cast<float>(std::uint32_t{bits} << 16); }
  // The sum of two values of 8 bits of significand may need far more than 53 bits: rounding to odd in between keeps the
  // second rounding right.
  static std::uint16_t Narrow(float odd) {
    const std::uint32_t wide = std::bit_cast<std::uint32_t>(odd);
    return static_cast<std::uint16_t>((wide + 0x7fff + (wide >> 16 & 1)) >> 16);
  }
  static constexpr std::uint16_t kNaN = 0x7fff;
};

// a + b as float, rounded to odd: towards zero, the last bit set when the sum is not exact.
float AddToOdd(float a, float b) {
  const double sum = static_cast<double>(a) + static_cast<double>(b);
  const double part = sum - static_cast<double>(a);
  const double lost = (static_cast<double>(a) - (sum - part)) + (static_cast<double>(b) - part);
  float result = static_cast<float>(sum);
  if (std::isinf(result) || std::isnan(result)) return result;
  if (std::fabs(result) > std::fabs(sum) ||
      (static_cast<double>(result) == sum && lost != 0 && (lost < 0) == (sum > 0))) {
    result = std::nextafter(result, 0.0f);
  }
  const bool exact = static_cast<double>(result) == sum && lost == 0;
  return exact ? result : std::bit_cast<float>(std::bit_cast<std::uint32_t>(result) | 1);
}

std::uint16_t Add(Half a, Half b) {
  const double sum = static_cast<double>(Half::Wide(a.bits)) + static_cast<double>(Half::Wide(b.bits));
  return std::isnan(sum) ? Half::kNaN : Half::Narrow(sum);
}
std::uint16_t Add(Brain a, Brain b) {
  const float sum = AddToOdd(Brain::Wide(a.bits), Brain::Wide(b.bits));
  return std::isnan(sum) ? Brain::kNaN : Brain::Narrow(sum);
}

template <class T>
T Extreme(Reduction reduction, T a, T b) {
  const float x = T::Wide(a.bits), y = T::Wide(b.bits);
  if (std::isnan(x) && std::isnan(y)) return {T::kNaN};
  if (std::isnan(x)) return b;
  if (std::isnan(y)) return a;
  // -0 is less than +0.
  const bool less = x < y || (x == y && std::signbit(x) && !std::signbit(y));
  return less == (reduction == Reduction::kMin) ? a : b;
}

template <class T>
T Combine(Reduction reduction, T a, T b) {
  if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, Brain>) {
    return reduction == Reduction::kAdd ? T{Add(a, b)} : Extreme(reduction, a, b);
  } else if constexpr (std::is_floating_point_v<T>) {
    return a + b;
  } else {
    using Unsigned = std::make_unsigned_t<T>;
    switch (reduction) {
      case Reduction::kAdd:
        return static_cast<T>(static_cast<Unsigned>(a) + static_cast<Unsigned>(b));
      case Reduction::kMin:
        return b < a ? b : a;
      case Reduction::kMax:
        return b > a ? b : a;
      case Reduction::kInc:
        return a >= b ? T{0} : static_cast<T>(a + 1);
      case Reduction::kDec:
        return a == 0 || a > b ? b : static_cast<T>(a - 1);
      case Reduction::kAnd:
        return a & b;
      case Reduction::kOr:
        return a | b;
      default:
        return a ^ b;
    }
  }
}

template <class T>
void ReduceAs(Reduction reduction, std::byte* to, const std::byte* from, std::size_t elements) {
  for (std::size_t i = 0; i < elements; ++i) {
    T a, b;
    std::memcpy(&a, to + i * sizeof(T), sizeof(T));
    std::memcpy(&b, from + i * sizeof(T), sizeof(T));
    a = Combine(reduction, a, b);
    std::memcpy(to + i * sizeof(T), &a, sizeof(T));
  }
}

}  // namespace

Reduction ParseReduction(const std::string& modifier) {
  for (int i = 1; i <= static_cast<int>(Reduction::kXor); ++i) {
    if (modifier == kNames[i]) return static_cast<Reduction>(i);
  }
  return Reduction::kNone;
}

const char* ToString(Reduction reduction) { return kNames[static_cast<int>(reduction)]; }

bool CanReduce(Reduction reduction, ptx::Type type) {
  using ptx::Type;
  switch (reduction) {
    case Reduction::kNone:
      return false;
    case Reduction::kInc:
    case Reduction::kDec:
      return type == Type::kU32;
    case Reduction::kAnd:
    case Reduction::kOr:
    case Reduction::kXor:
      return type == Type::kB32 || type == Type::kB64 || type == Type::kU32 || type == Type::kS32 ||
             type == Type::kU64 || type == Type::kS64;
    case Reduction::kAdd:
      return type == Type::kU32 || type == Type::kS32 || type == Type::kU64 || type == Type::kF16 ||
             type == Type::kBF16 || type == Type::kF32 || type == Type::kF64;
    default:
      return type == Type::kU32 || type == Type::kS32 || type == Type::kU64 || type == Type::kS64 ||
             type == Type::kF16 || type == Type::kBF16;
  }
}

void Reduce(Reduction reduction, ptx::Type type, std::byte* to, const std::byte* from, std::size_t elements) {
  using ptx::Type;
  switch (type) {
    case Type::kS32:
      return ReduceAs<std::int32_t>(reduction, to, from, elements);
    case Type::kS64:
      return ReduceAs<std::int64_t>(reduction, to, from, elements);
    case Type::kU64:
    case Type::kB64:
      return ReduceAs<std::uint64_t>(reduction, to, from, elements);
    case Type::kF16:
      return ReduceAs<Half>(reduction, to, from, elements);
    case Type::kBF16:
      return ReduceAs<Brain>(reduction, to, from, elements);
    case Type::kF32:
      return ReduceAs<float>(reduction, to, from, elements);
    case Type::kF64:
      return ReduceAs<double>(reduction, to, from, elements);
    default:
      return ReduceAs<std::uint32_t>(reduction, to, from, elements);
  }
}

}  // namespace emu
