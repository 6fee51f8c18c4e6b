// Integer arithmetic that wraps, and tables by type.
#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

#include "tools/emulator/alu/lanes.h"
#include "tools/emulator/ptx/module.h"

namespace emu::alu {

// Unsigned and of 32 bits at least, so that nothing is promoted to a signed type.
template <class T>
using Unsign = std::conditional_t<(sizeof(T) < 4), std::uint32_t, std::make_unsigned_t<T>>;

template <class T>
struct Doubled;
template <>
struct Doubled<std::uint16_t> {
  using Type = std::uint32_t;
};
template <>
struct Doubled<std::int16_t> {
  using Type = std::int32_t;
};
template <>
struct Doubled<std::uint32_t> {
  using Type = std::uint64_t;
};
template <>
struct Doubled<std::int32_t> {
  using Type = std::int64_t;
};
template <>
struct Doubled<std::uint64_t> {
  using Type = unsigned __int128;
};
template <>
struct Doubled<std::int64_t> {
  using Type = __int128;
};
template <class T>
using DoubledT = typename Doubled<T>::Type;

template <class T>
EMU_INLINE T WrapAdd(T a, T b) {
  return static_cast<T>(static_cast<Unsign<T>>(a) + static_cast<Unsign<T>>(b));
}
template <class T>
EMU_INLINE T WrapSub(T a, T b) {
  return static_cast<T>(static_cast<Unsign<T>>(a) - static_cast<Unsign<T>>(b));
}
template <class T>
EMU_INLINE T WrapMul(T a, T b) {
  return static_cast<T>(static_cast<Unsign<T>>(a) * static_cast<Unsign<T>>(b));
}
template <class T>
EMU_INLINE T HighMul(T a, T b) {
  return static_cast<T>(static_cast<DoubledT<T>>(a) * static_cast<DoubledT<T>>(b) >> (8 * sizeof(T)));
}
template <class T>
EMU_INLINE DoubledT<T> WideMul(T a, T b) {
  return static_cast<DoubledT<T>>(a) * static_cast<DoubledT<T>>(b);
}
template <class To>
EMU_INLINE To ClampTo(std::int64_t value) {
  if (value < static_cast<std::int64_t>(std::numeric_limits<To>::min())) return std::numeric_limits<To>::min();
  if (value > static_cast<std::int64_t>(std::numeric_limits<To>::max())) return std::numeric_limits<To>::max();
  return static_cast<To>(value);
}

// The handler that `make` has for a type, null for other types. `make` is called with a value of the C++ type.
template <class Make>
Handler ByInteger(ptx::Type type, Make make) {
  switch (type) {
    case ptx::Type::kU16:
      return make(std::uint16_t{});
    case ptx::Type::kU32:
      return make(std::uint32_t{});
    case ptx::Type::kU64:
      return make(std::uint64_t{});
    case ptx::Type::kS16:
      return make(std::int16_t{});
    case ptx::Type::kS32:
      return make(std::int32_t{});
    case ptx::Type::kS64:
      return make(std::int64_t{});
    default:
      return nullptr;
  }
}

}  // namespace emu::alu
