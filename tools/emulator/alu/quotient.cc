// PTX ISA: div, rcp, sqrt, rsqrt of single and double precision. The .approx and .full forms are correctly rounded, which
// is inside their error bounds, except where the ISA names a result: div.approx by |b| > 2^126.
#include <cmath>

#include "tools/emulator/alu/float_math.h"
#include "tools/emulator/alu/groups.h"

namespace emu::alu {
namespace {

using ptx::Type;

template <class T>
constexpr const Format& FormatOf() {
  return sizeof(T) == 4 ? kBinary32 : kBinary64;
}
template <class T>
Number NumberOf(T x) {
  if constexpr (sizeof(T) == 4)
    return Unpack(kBinary32, std::bit_cast<std::uint32_t>(x));
  else
    return Unpack(kBinary64, std::bit_cast<std::uint64_t>(x));
}
template <class T>
T Rounded(const Number& number, Rounding rounding) {
  const std::uint64_t bits = Pack(FormatOf<T>(), number, rounding);
  if constexpr (sizeof(T) == 4)
    return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
  else
    return std::bit_cast<double>(bits);
}

template <class T, Rounding kRounding, bool kFlush>
struct DivOf {
  EMU_INLINE T operator()(T a, T b) const {
    a = FlushIf<kFlush>(a);
    b = FlushIf<kFlush>(b);
    T nearest = a / b;
    if constexpr (sizeof(T) == 8) nearest = KeepNan(nearest, a, b);
    if (kRounding == Rounding::kNearest || nearest != nearest) return Canonical(FlushIf<kFlush>(nearest));
    return FlushIf<kFlush>(Rounded<T>(Divide(NumberOf(a), NumberOf(b)), kRounding));
  }
};
template <class T, Rounding kRounding, bool kFlush>
struct RcpOf {
  EMU_INLINE T operator()(T a) const { return DivOf<T, kRounding, kFlush>{}(T{1}, a); }
};
template <class T, Rounding kRounding, bool kFlush>
struct SqrtOf {
  EMU_INLINE T operator()(T a) const {
    a = FlushIf<kFlush>(a);
    T nearest;
    if constexpr (sizeof(T) == 4)
      nearest = __builtin_sqrtf(a);
    else
      nearest = __builtin_sqrt(a);
    if (kRounding == Rounding::kNearest || nearest != nearest) return Canonical(nearest);
    return Rounded<T>(SquareRoot(NumberOf(a)), kRounding);
  }
};

// a * (1 / b), where 1 / b counts as zero for 2^126 < |b| < 2^128.
template <bool kFlush>
struct DivApprox {
  EMU_INLINE float operator()(float a, float b) const {
    a = FlushIf<kFlush>(a);
    b = FlushIf<kFlush>(b);
    const float size = __builtin_fabsf(b);
    const float quotient =
        size > 0x1p126f && size < __builtin_inff() ? a * __builtin_copysignf(0.0f, b) : a / b;
    return Canonical(FlushIf<kFlush>(quotient));
  }
};

template <bool kFlush>
struct RsqrtSingle {
  EMU_INLINE float operator()(float a) const {
    a = FlushIf<kFlush>(a);
    return Canonical(FlushIf<kFlush>(static_cast<float>(1.0 / __builtin_sqrt(static_cast<double>(a)))));
  }
};

// The double precision approximations see and give the upper half of a double only, and flush subnormal numbers.
EMU_INLINE double UpperHalf(double x) {
  return std::bit_cast<double>(std::bit_cast<std::uint64_t>(x) & 0xffff'ffff'0000'0000);
}
struct RcpDouble {
  EMU_INLINE double operator()(double a) const {
    return UpperHalf(FlushSubnormal(1.0 / FlushSubnormal(UpperHalf(a))));
  }
};
struct RsqrtDoubleFlushed {
  EMU_INLINE double operator()(double a) const {
    return UpperHalf(1.0 / __builtin_sqrt(FlushSubnormal(UpperHalf(a))));
  }
};
struct RsqrtDouble {
  EMU_INLINE double operator()(double a) const { return 1.0 / __builtin_sqrt(a); }
};

template <template <class, Rounding, bool> class F, int kSources, class T>
Handler WithModes(Rounding rounding, bool flush) {
  return WithRounding(rounding, [flush](auto r) {
    return WithBool(flush, [](auto f) {
      using Functor = F<T, decltype(r)::value, decltype(f)::value>;
      if constexpr (kSources == 2)
        return Map<Functor, 1, T, T, T>();
      else
        return decltype(r)::value == Rounding::kNearest ? HotMap<Functor, 1, T, T>() : Map<Functor, 1, T, T>();
    });
  });
}

// Correctly rounded, for the approximations too.
template <template <class, Rounding, bool> class F, int kSources>
Handler RoundedHandler(Decoder& d, bool approximate) {
  const Type t = d.type();
  const auto rounding = d.TakeRounding();
  const bool flush = d.Take("ftz");
  if (!rounding && !approximate) d.Refuse("needs .approx or .rn, .rz, .rm, .rp");
  if (t == Type::kF32) return WithModes<F, kSources, float>(rounding.value_or(Rounding::kNearest), flush);
  if (t != Type::kF64 || flush || approximate) d.RefuseType();
  return WithModes<F, kSources, double>(*rounding, false);
}

Op Unary(Decoder& d, Handler handler) { return d.Make(handler, d.type(), {d.type()}); }

}  // namespace

Op LowerFloatDiv(Decoder& d) {
  const Type t = d.type();
  if (d.Take("approx")) {
    if (t != Type::kF32) d.RefuseType();
    return d.Make(d.Take("ftz") ? HotMap<DivApprox<true>, 1, float, float, float>()
                                : HotMap<DivApprox<false>, 1, float, float, float>(),
                  t, {t, t});
  }
  return d.Make(RoundedHandler<DivOf, 2>(d, d.Take("full")), t, {t, t});
}

Op LowerRcp(Decoder& d) {
  const bool approximate = d.Take("approx");
  if (!approximate || d.type() != Type::kF64) return Unary(d, RoundedHandler<RcpOf, 1>(d, approximate));
  if (!d.Take("ftz")) d.RefuseType();
  return Unary(d, Map<RcpDouble, 1, double, double>());
}

Op LowerSqrt(Decoder& d) { return Unary(d, RoundedHandler<SqrtOf, 1>(d, d.Take("approx"))); }

Op LowerRsqrt(Decoder& d) {
  if (!d.Take("approx")) d.Refuse("needs .approx");
  const bool flush = d.Take("ftz");
  if (d.type() == Type::kF32) {
    return Unary(d, flush ? HotMap<RsqrtSingle<true>, 1, float, float>()
                          : HotMap<RsqrtSingle<false>, 1, float, float>());
  }
  if (d.type() != Type::kF64) d.RefuseType();
  return Unary(d, flush ? Map<RsqrtDoubleFlushed, 1, double, double>() : Map<RsqrtDouble, 1, double, double>());
}

}  // namespace emu::alu
