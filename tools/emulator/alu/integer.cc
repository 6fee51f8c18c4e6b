// PTX ISA, "Integer Arithmetic Instructions", "Half Precision ..." for the packed types of min and max.
#include "tools/emulator/alu/integer.h"

#include "tools/emulator/alu/groups.h"

namespace emu::alu {
namespace {

using ptx::Type;

template <class T>
struct AddOf {
  EMU_INLINE T operator()(T a, T b) const { return WrapAdd(a, b); }
};
template <class T>
struct SubOf {
  EMU_INLINE T operator()(T a, T b) const { return WrapSub(a, b); }
};
struct AddSaturated {
  EMU_INLINE std::int32_t operator()(std::int32_t a, std::int32_t b) const {
    return ClampTo<std::int32_t>(std::int64_t{a} + b);
  }
};
struct SubSaturated {
  EMU_INLINE std::int32_t operator()(std::int32_t a, std::int32_t b) const {
    return ClampTo<std::int32_t>(std::int64_t{a} - b);
  }
};
template <class T>
struct MulLow {
  EMU_INLINE T operator()(T a, T b) const { return WrapMul(a, b); }
};
template <class T>
struct MulHigh {
  EMU_INLINE T operator()(T a, T b) const { return HighMul(a, b); }
};
template <class T>
struct MulWide {
  EMU_INLINE DoubledT<T> operator()(T a, T b) const { return WideMul(a, b); }
};
template <class T>
struct MadLow {
  EMU_INLINE T operator()(T a, T b, T c) const { return WrapAdd(WrapMul(a, b), c); }
};
template <class T>
struct MadHigh {
  EMU_INLINE T operator()(T a, T b, T c) const { return WrapAdd(HighMul(a, b), c); }
};
struct MadHighSaturated {
  EMU_INLINE std::int32_t operator()(std::int32_t a, std::int32_t b, std::int32_t c) const {
    return ClampTo<std::int32_t>(std::int64_t{HighMul(a, b)} + c);
  }
};
template <class T>
struct MadWide {
  EMU_INLINE DoubledT<T> operator()(T a, T b, DoubledT<T> c) const { return WrapAdd(WideMul(a, b), c); }
};

// The ISA leaves division by zero to the machine. An H200 gives all ones for quotient and remainder (div.s32 and rem.u32
// seen on 2026-11-21; the other types are taken to be alike). The smallest number by -1 wraps.
template <class T>
struct DivOf {
  T operator()(T a, T b) const {
    if (b == 0) return static_cast<T>(-1);
    if (std::is_signed_v<T> && b == static_cast<T>(-1)) return WrapSub(T{0}, a);
    return static_cast<T>(a / b);
  }
};
template <class T>
struct RemOf {
  T operator()(T a, T b) const {
    if (b == 0) return static_cast<T>(-1);
    if (std::is_signed_v<T> && b == static_cast<T>(-1)) return 0;
    return static_cast<T>(a % b);
  }
};

template <class T>
EMU_INLINE T Relu(T value) {
  return value < 0 ? T{0} : value;
}
template <class T, bool kRelu>
struct MinOf {
  EMU_INLINE T operator()(T a, T b) const { return kRelu ? Relu(a < b ? a : b) : a < b ? a : b; }
};
template <class T, bool kRelu>
struct MaxOf {
  EMU_INLINE T operator()(T a, T b) const { return kRelu ? Relu(a > b ? a : b) : a > b ? a : b; }
};
template <class T>
struct AbsOf {
  EMU_INLINE T operator()(T a) const { return a < 0 ? WrapSub(T{0}, a) : a; }
};
template <class T>
struct NegOf {
  EMU_INLINE T operator()(T a) const { return WrapSub(T{0}, a); }
};
template <class T>
struct SadOf {
  EMU_INLINE T operator()(T a, T b, T c) const { return WrapAdd(c, a < b ? WrapSub(b, a) : WrapSub(a, b)); }
};

// The low 24 bits of each operand, signed or not.
template <class T>
EMU_INLINE std::int64_t Product24(T a, T b) {
  const auto cut = [](T x) { return static_cast<T>(static_cast<T>(static_cast<std::uint32_t>(x) << 8) >> 8); };
  return static_cast<std::int64_t>(cut(a)) * static_cast<std::int64_t>(cut(b));
}
template <class T, bool kHigh>
struct Mul24Of {
  EMU_INLINE T operator()(T a, T b) const { return static_cast<T>(Product24(a, b) >> (kHigh ? 16 : 0)); }
};
template <class T, bool kHigh>
struct Mad24Of {
  EMU_INLINE T operator()(T a, T b, T c) const { return WrapAdd(Mul24Of<T, kHigh>{}(a, b), c); }
};
struct Mad24HighSaturated {
  EMU_INLINE std::int32_t operator()(std::int32_t a, std::int32_t b, std::int32_t c) const {
    return ClampTo<std::int32_t>(std::int64_t{Mul24Of<std::int32_t, true>{}(a, b)} + c);
  }
};

Op Checked(Decoder& d, Handler handler, std::size_t sources) {
  if (handler == nullptr) d.RefuseType();
  const Type t = d.type();
  switch (sources) {
    case 1:
      return d.Make(handler, t, {t});
    case 2:
      return d.Make(handler, t, {t, t});
    default:
      return d.Make(handler, t, {t, t, t});
  }
}

template <template <class> class F>
Op Binary(Decoder& d) {
  return Checked(d,
                 ByInteger(d.type(),
                           [](auto t) {
                             using T = decltype(t);
                             return HotMap<F<T>, 1, T, T, T>();
                           }),
                 2);
}

enum class Half { kHigh, kLow, kWide };

Half TakeHalf(Decoder& d) {
  const int half = d.TakeOneOf({"hi", "lo", "wide"});
  if (half < 0) d.Refuse("needs .hi, .lo or .wide");
  return static_cast<Half>(half);
}

Type Widened(Type type) {
  switch (type) {
    case Type::kU16:
      return Type::kU32;
    case Type::kS16:
      return Type::kS32;
    case Type::kU32:
      return Type::kU64;
    case Type::kS32:
      return Type::kS64;
    default:
      return Type::kNone;
  }
}

template <template <class, bool> class F>
Op MinMax(Decoder& d) {
  const bool relu = d.Take("relu");
  switch (d.type()) {
    case Type::kU16x2:
      if (relu) d.Refuse(".relu is for signed types");
      return Checked(d, HotMap<F<std::uint16_t, false>, 2, std::uint16_t, std::uint16_t, std::uint16_t>(), 2);
    case Type::kS16x2:
      return Checked(d,
                     relu ? Map<F<std::int16_t, true>, 2, std::int16_t, std::int16_t, std::int16_t>()
                          : HotMap<F<std::int16_t, false>, 2, std::int16_t, std::int16_t, std::int16_t>(),
                     2);
    case Type::kS32:
      if (relu) return Checked(d, Map<F<std::int32_t, true>, 1, std::int32_t, std::int32_t, std::int32_t>(), 2);
      break;
    default:
      if (relu) d.RefuseType();
  }
  return Checked(d,
                 ByInteger(d.type(),
                           [](auto t) {
                             using T = decltype(t);
                             return HotMap<F<T, false>, 1, T, T, T>();
                           }),
                 2);
}

template <template <class> class F>
Op UnarySigned(Decoder& d) {
  switch (d.type()) {
    case Type::kS16:
      return Checked(d, Map<F<std::int16_t>, 1, std::int16_t, std::int16_t>(), 1);
    case Type::kS32:
      return Checked(d, HotMap<F<std::int32_t>, 1, std::int32_t, std::int32_t>(), 1);
    case Type::kS64:
      return Checked(d, Map<F<std::int64_t>, 1, std::int64_t, std::int64_t>(), 1);
    default:
      d.RefuseType();
  }
}

}  // namespace

Op LowerIntegerAdd(Decoder& d) {
  if (d.Take("sat")) {
    if (d.type() != Type::kS32) d.RefuseType();
    return Checked(d, Map<AddSaturated, 1, std::int32_t, std::int32_t, std::int32_t>(), 2);
  }
  if (d.type() == Type::kU16x2 || d.type() == Type::kS16x2) {
    return Checked(d, HotMap<AddOf<std::uint16_t>, 2, std::uint16_t, std::uint16_t, std::uint16_t>(), 2);
  }
  return Binary<AddOf>(d);
}

Op LowerIntegerSub(Decoder& d) {
  if (!d.Take("sat")) return Binary<SubOf>(d);
  if (d.type() != Type::kS32) d.RefuseType();
  return Checked(d, Map<SubSaturated, 1, std::int32_t, std::int32_t, std::int32_t>(), 2);
}

Op LowerIntegerMul(Decoder& d) {
  const Half half = TakeHalf(d);
  if (half == Half::kLow) return Binary<MulLow>(d);
  if (half == Half::kHigh) return Binary<MulHigh>(d);
  const Type t = d.type(), to = Widened(t);
  if (to == Type::kNone) d.RefuseType();
  return d.Make(ByInteger(t,
                          [](auto v) {
                            using T = decltype(v);
                            if constexpr (sizeof(T) == 8)
                              return Handler{};
                            else
                              return HotMap<MulWide<T>, 1, DoubledT<T>, T, T>();
                          }),
                to, {t, t});
}

Op LowerIntegerMad(Decoder& d) {
  const Half half = TakeHalf(d);
  const Type t = d.type();
  if (d.Take("sat")) {
    if (half != Half::kHigh || t != Type::kS32) d.RefuseType();
    return Checked(d, Map<MadHighSaturated, 1, std::int32_t, std::int32_t, std::int32_t, std::int32_t>(), 3);
  }
  if (half == Half::kWide) {
    const Type to = Widened(t);
    if (to == Type::kNone) d.RefuseType();
    return d.Make(ByInteger(t,
                            [](auto v) {
                              using T = decltype(v);
                              if constexpr (sizeof(T) == 8)
                                return Handler{};
                              else
                                return HotMap<MadWide<T>, 1, DoubledT<T>, T, T, DoubledT<T>>();
                            }),
                  to, {t, t, to});
  }
  return Checked(d,
                 ByInteger(t,
                           [half](auto v) {
                             using T = decltype(v);
                             return half == Half::kLow ? HotMap<MadLow<T>, 1, T, T, T, T>()
                                                       : Map<MadHigh<T>, 1, T, T, T, T>();
                           }),
                 3);
}

Op LowerIntegerDiv(Decoder& d) { return Binary<DivOf>(d); }
Op LowerRem(Decoder& d) { return Binary<RemOf>(d); }
Op LowerIntegerMin(Decoder& d) { return MinMax<MinOf>(d); }
Op LowerIntegerMax(Decoder& d) { return MinMax<MaxOf>(d); }
Op LowerIntegerAbs(Decoder& d) { return UnarySigned<AbsOf>(d); }
Op LowerIntegerNeg(Decoder& d) { return UnarySigned<NegOf>(d); }

Op LowerSad(Decoder& d) {
  return Checked(d,
                 ByInteger(d.type(),
                           [](auto t) {
                             using T = decltype(t);
                             return Map<SadOf<T>, 1, T, T, T, T>();
                           }),
                 3);
}

Op LowerMul24(Decoder& d) {
  using S = std::int32_t;
  using U = std::uint32_t;
  const Half half = TakeHalf(d);
  const bool is_signed = d.type() == Type::kS32;
  if (half == Half::kWide || (!is_signed && d.type() != Type::kU32)) d.RefuseType();
  if (half == Half::kHigh) {
    return Checked(d, is_signed ? Map<Mul24Of<S, true>, 1, S, S, S>() : Map<Mul24Of<U, true>, 1, U, U, U>(), 2);
  }
  return Checked(d, is_signed ? Map<Mul24Of<S, false>, 1, S, S, S>() : Map<Mul24Of<U, false>, 1, U, U, U>(), 2);
}

Op LowerMad24(Decoder& d) {
  using S = std::int32_t;
  using U = std::uint32_t;
  const Half half = TakeHalf(d);
  const bool is_signed = d.type() == Type::kS32;
  if (half == Half::kWide || (!is_signed && d.type() != Type::kU32)) d.RefuseType();
  if (d.Take("sat")) {
    if (half != Half::kHigh || !is_signed) d.RefuseType();
    return Checked(d, Map<Mad24HighSaturated, 1, S, S, S, S>(), 3);
  }
  if (half == Half::kHigh) {
    return Checked(
        d, is_signed ? Map<Mad24Of<S, true>, 1, S, S, S, S>() : Map<Mad24Of<U, true>, 1, U, U, U, U>(), 3);
  }
  return Checked(
      d, is_signed ? Map<Mad24Of<S, false>, 1, S, S, S, S>() : Map<Mad24Of<U, false>, 1, U, U, U, U>(), 3);
}

}  // namespace emu::alu
