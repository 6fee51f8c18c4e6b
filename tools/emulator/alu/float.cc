// PTX ISA, "Floating Point Instructions": add, sub, mul, mad, fma of single and double precision, of pairs of singles, and
// of singles with half precision operands ("Mixed Precision Floating Point Instructions").
#include "tools/emulator/alu/float_math.h"
#include "tools/emulator/alu/groups.h"
#include "tools/emulator/alu/half_math.h"

namespace emu::alu {
namespace {

using ptx::Type;

template <Rounding kRounding, bool kFlush, bool kSaturate>
struct Mode {
  static constexpr Rounding rounding = kRounding;
  template <class T>
  EMU_INLINE static T In(T x) {
    return FlushIf<kFlush>(x);
  }
  template <class T>
  EMU_INLINE static T Out(T x) {
    if constexpr (kSaturate) return Saturate(FlushIf<kFlush>(x));
    return Canonical(FlushIf<kFlush>(x));
  }
};

template <class M, class T>
struct AddOf {
  EMU_INLINE T operator()(T a, T b) const { return M::Out(Add<M::rounding>(M::In(a), M::In(b))); }
};
template <class M, class T>
struct SubOf {
  EMU_INLINE T operator()(T a, T b) const { return M::Out(Sub<M::rounding>(M::In(a), M::In(b))); }
};
template <class M, class T>
struct MulOf {
  EMU_INLINE T operator()(T a, T b) const { return M::Out(Mul<M::rounding>(M::In(a), M::In(b))); }
};
template <class M, class T>
struct FmaOf {
  EMU_INLINE T operator()(T a, T b, T c) const {
    return M::Out(Fma<M::rounding>(M::In(a), M::In(b), M::In(c)));
  }
};

// A half precision operand of a single precision instruction.
template <class M, class F>
struct MixedAdd {
  EMU_INLINE float operator()(std::uint16_t a, float c) const {
    return M::Out(Add<M::rounding>(ToSingle<F>(a), c));
  }
};
template <class M, class F>
struct MixedSub {
  EMU_INLINE float operator()(std::uint16_t a, float c) const {
    return M::Out(Sub<M::rounding>(ToSingle<F>(a), c));
  }
};
template <class M, class F>
struct MixedFma {
  EMU_INLINE float operator()(std::uint16_t a, std::uint16_t b, float c) const {
    return M::Out(Fma<M::rounding>(ToSingle<F>(a), ToSingle<F>(b), c));
  }
};

struct Modes {
  Rounding rounding = Rounding::kNearest;
  bool flush = false, saturate = false;
};

Modes TakeModes(Decoder& d, bool rounding_needed) {
  Modes modes;
  const auto rounding = d.TakeRounding();
  if (!rounding && rounding_needed) d.Refuse("needs .rn, .rz, .rm or .rp");
  modes.rounding = rounding.value_or(Rounding::kNearest);
  modes.flush = d.Take("ftz");
  modes.saturate = d.Take("sat");
  return modes;
}

// make(Mode<...>{}) for the modes. To nearest is frequent.
template <class Make>
Handler WithModes(const Modes& modes, Make make) {
  return WithRounding(modes.rounding, [&](auto rounding) {
    return WithBool(modes.flush, [&](auto flush) {
      return WithBool(modes.saturate,
                      [&](auto saturate) { return make(Mode<rounding(), flush(), saturate()>{}); });
    });
  });
}

template <int kSources, class F, class T, int kPer, bool kHot>
Handler Elementwise() {
  if constexpr (kSources == 2) {
    return kHot ? HotMap<F, kPer, T, T, T>() : Map<F, kPer, T, T, T>();
  } else {
    return kHot ? HotMap<F, kPer, T, T, T, T>() : Map<F, kPer, T, T, T, T>();
  }
}

template <template <class, class> class F, int kSources>
Op LowerFloat(Decoder& d, bool rounding_needed) {
  const Type t = d.type();
  const Modes modes = TakeModes(d, rounding_needed);
  Handler handler = nullptr;
  if (t == Type::kF64 && !modes.flush && !modes.saturate) {
    handler = WithRounding(modes.rounding, [](auto rounding) {
      return Elementwise<kSources, F<Mode<rounding(), false, false>, double>, double, 1, false>();
    });
  } else if (t == Type::kF32) {
    handler = WithModes(modes, [](auto mode) {
      using M = decltype(mode);
      return Elementwise<kSources, F<M, float>, float, 1, M::rounding == Rounding::kNearest>();
    });
  } else if (t == Type::kF32x2 && !modes.saturate) {
    handler = WithRounding(modes.rounding, [&](auto rounding) {
      return WithBool(modes.flush, [&](auto flush) {
        using M = Mode<rounding(), flush(), false>;
        return Elementwise<kSources, F<M, float>, float, 2, M::rounding == Rounding::kNearest>();
      });
    });
  } else {
    d.RefuseType();
  }
  return kSources == 2 ? d.Make(handler, t, {t, t}) : d.Make(handler, t, {t, t, t});
}

bool IsMixed(const Decoder& d) { return d.type_count() == 2; }

// add.f32.f16 d, a, c and fma.f32.f16 d, a, b, c: c and d are single precision.
template <template <class, class> class F, int kSources>
Op LowerMixed(Decoder& d, bool rounding_needed) {
  d.ExpectTypes(2);
  const Type half = d.type(1);
  if (d.type(0) != Type::kF32 || (half != Type::kF16 && half != Type::kBF16)) d.RefuseType();
  const Modes modes = TakeModes(d, rounding_needed);
  if (modes.flush) d.RefuseType();
  const Handler handler = WithRounding(modes.rounding, [&](auto rounding) {
    return WithBool(modes.saturate, [&](auto saturate) {
      return WithBool(half == Type::kF16, [&](auto is_f16) {
        using M = Mode<rounding(), false, saturate()>;
        using Functor = F<M, std::conditional_t<is_f16(), F16, BF16>>;
        if constexpr (kSources == 2) {
          return Map<Functor, 1, float, std::uint16_t, float>();
        } else {
          return Map<Functor, 1, float, std::uint16_t, std::uint16_t, float>();
        }
      });
    });
  });
  return kSources == 2 ? d.Make(handler, Type::kF32, {half, Type::kF32})
                       : d.Make(handler, Type::kF32, {half, half, Type::kF32});
}

}  // namespace

Op LowerFloatAdd(Decoder& d) {
  return IsMixed(d) ? LowerMixed<MixedAdd, 2>(d, false) : LowerFloat<AddOf, 2>(d, false);
}
Op LowerFloatSub(Decoder& d) {
  return IsMixed(d) ? LowerMixed<MixedSub, 2>(d, false) : LowerFloat<SubOf, 2>(d, false);
}
Op LowerFloatMul(Decoder& d) { return LowerFloat<MulOf, 2>(d, false); }
Op LowerFloatFma(Decoder& d) {
  return IsMixed(d) ? LowerMixed<MixedFma, 3>(d, true) : LowerFloat<FmaOf, 3>(d, true);
}

}  // namespace emu::alu
