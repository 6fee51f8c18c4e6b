#include "tools/emulator/memory/atomic_operations.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "tools/emulator/memory/small_float.h"

namespace emu {
namespace {

using ptx::Type;
using Bits = std::uint64_t;

Bits And(Bits old, Bits b, Bits) { return old & b; }
Bits Or(Bits old, Bits b, Bits) { return old | b; }
Bits Xor(Bits old, Bits b, Bits) { return old ^ b; }
Bits Exchange(Bits, Bits b, Bits) { return b; }
Bits CompareAndSwap(Bits old, Bits b, Bits c) { return old == b ? c : old; }
Bits AddInteger(Bits old, Bits b, Bits) { return old + b; }
Bits Increment(Bits old, Bits b, Bits) { return old >= b ? 0 : old + 1; }
Bits Decrement(Bits old, Bits b, Bits) { return old == 0 || old > b ? b : old - 1; }

template <class T>
Bits Min(Bits old, Bits b, Bits) {
  return static_cast<Bits>(std::min(static_cast<T>(old), static_cast<T>(b)));
}
template <class T>
Bits Max(Bits old, Bits b, Bits) {
  return static_cast<Bits>(std::max(static_cast<T>(old), static_cast<T>(b)));
}

float Flush(float value) { return std::fpclassify(value) == FP_SUBNORMAL ? std::copysign(0.0f, value) : value; }

template <bool kFlush>
Bits AddFloat(Bits old, Bits b, Bits) {
  constexpr std::uint32_t kNan = 0x7fffffff;  // what the GPU returns for every NaN
  float x = std::bit_cast<float>(static_cast<std::uint32_t>(old));
  float y = std::bit_cast<float>(static_cast<std::uint32_t>(b));
  if (kFlush) x = Flush(x), y = Flush(y);
  const float sum = kFlush ? Flush(x + y) : x + y;
  return std::isnan(sum) ? kNan : std::bit_cast<std::uint32_t>(sum);
}

Bits AddDouble(Bits old, Bits b, Bits) {
  return std::bit_cast<Bits>(std::bit_cast<double>(old) + std::bit_cast<double>(b));
}

// A sum of two 16-bit numbers, rounded to a double and then to 16 bits, is rounded as if once: 53 >= 2 * 11 + 2 (Figueroa,
// "When is double rounding innocuous?", 1995).
template <class Format>
std::uint16_t AddSmall(std::uint16_t x, std::uint16_t y) {
  return Format::Encode(Format::Decode(x) + Format::Decode(y));
}

// A NaN loses against a number, and -0 < +0, as in min and max.
template <class Format, bool kMax>
std::uint16_t SelectSmall(std::uint16_t x, std::uint16_t y) {
  const double a = Format::Decode(x), b = Format::Decode(y);
  if (std::isnan(a) && std::isnan(b)) return Format::kNan;
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) ? y : x;
  const bool less = a < b || (a == b && std::signbit(a) && !std::signbit(b));
  return less == kMax ? y : x;
}

using Small = std::uint16_t (*)(std::uint16_t, std::uint16_t);

template <Small kFunction>
Bits One(Bits old, Bits b, Bits) {
  return kFunction(static_cast<std::uint16_t>(old), static_cast<std::uint16_t>(b));
}
template <Small kFunction>
Bits Two(Bits old, Bits b, Bits) {
  return kFunction(static_cast<std::uint16_t>(old), static_cast<std::uint16_t>(b)) |
         Bits{kFunction(static_cast<std::uint16_t>(old >> 16), static_cast<std::uint16_t>(b >> 16))} << 16;
}

AtomicOperation Scalar(Combine combine) { return {combine, combine, false, true}; }

template <class Format>
AtomicOperation OfSmall(const std::string& operation, bool packed) {
  if (operation == "add") {
    const Combine add = packed ? Two<AddSmall<Format>> : One<AddSmall<Format>>;
    return {add, add, true, true};
  }
  Combine combine = nullptr;
  if (operation == "min") combine = packed ? Two<SelectSmall<Format, false>> : One<SelectSmall<Format, false>>;
  if (operation == "max") combine = packed ? Two<SelectSmall<Format, true>> : One<SelectSmall<Format, true>>;
  return {combine, combine, true, false};
}

AtomicOperation OfFloat(const std::string& operation, Type type) {
  if (operation != "add") return {};
  if (type == Type::kF64) return Scalar(AddDouble);
  return {AddFloat<false>, AddFloat<true>, true, true};
}

template <class T>
AtomicOperation OfInteger(const std::string& operation) {
  if (operation == "add") return Scalar(AddInteger);
  if (operation == "min") return Scalar(Min<T>);
  if (operation == "max") return Scalar(Max<T>);
  return {};
}

AtomicOperation OfBits(const std::string& operation, Type type) {
  if (operation == "cas") return Scalar(CompareAndSwap);
  if (type == Type::kB16) return {};
  if (operation == "exch") return Scalar(Exchange);
  if (operation == "and") return Scalar(And);
  if (operation == "or") return Scalar(Or);
  if (operation == "xor") return Scalar(Xor);
  return {};
}

}  // namespace

AtomicOperation FindAtomicOperation(const std::string& operation, Type type, bool noftz) {
  switch (type) {
    case Type::kF16:
    case Type::kF16x2:
      return noftz ? OfSmall<HalfFormat>(operation, type == Type::kF16x2) : AtomicOperation{};
    case Type::kBF16:
    case Type::kBF16x2:
      return noftz ? OfSmall<BFloatFormat>(operation, type == Type::kBF16x2) : AtomicOperation{};
    default:
      break;
  }
  if (noftz) return {};
  switch (type) {
    case Type::kB16:
    case Type::kB32:
    case Type::kB64:
      return OfBits(operation, type);
    case Type::kU32:
      if (operation == "inc") return Scalar(Increment);
      if (operation == "dec") return Scalar(Decrement);
      return OfInteger<std::uint32_t>(operation);
    case Type::kS32:
      return OfInteger<std::int32_t>(operation);
    case Type::kU64:
      return OfInteger<std::uint64_t>(operation);
    case Type::kS64:
      return OfInteger<std::int64_t>(operation);
    case Type::kF32:
    case Type::kF64:
      return OfFloat(operation, type);
    default:
      return {};
  }
}

}  // namespace emu
