// PTX ISA, "Half Precision Floating Point Instructions": add, sub, mul, fma of f16, f16x2, bf16, bf16x2. Each is computed
// exactly, as a double and its error, and rounded once.
#include "tools/emulator/alu/groups.h"
#include "tools/emulator/alu/half_math.h"

namespace emu::alu {
namespace {

using ptx::Type;

enum class After : std::uint8_t { kNothing, kSaturate, kRelu };

template <class F, bool kFlush, After kAfter>
struct Mode {
  using Format = F;
  EMU_INLINE static double In(std::uint16_t x) { return ToSingle<F>(kFlush ? FlushBits<F>(x) : x); }
  // p + c, rounded; infinities and NaN by p + c itself.
  EMU_INLINE static std::uint16_t Sum(double p, double c) {
    const ExactSum sum = SumExactly(p, c);
    return Out(sum.hi, sum.hi - sum.hi == 0 ? sum.lo : 0);
  }
  EMU_INLINE static std::uint16_t Out(double hi, double lo) {
    constexpr auto kSign = static_cast<std::uint16_t>(F::format.sign());
    constexpr std::uint16_t kOne = F::format.bias() << F::format.mantissa_bits;
    std::uint16_t x = RoundToHalf<F>(hi, lo);
    if (kFlush) x = FlushBits<F>(x);
    if (kAfter == After::kSaturate) {
      // NaN and what is negative become 0.
      x = x > F::format.infinity() ? 0 : x;
      x = x > kOne ? kOne : x;
    } else if (kAfter == After::kRelu) {
      x = (x & kSign) != 0 ? 0 : x;
    }
    return x;
  }
};

template <class M>
struct AddOf {
  EMU_INLINE std::uint16_t operator()(std::uint16_t a, std::uint16_t b) const {
    return M::Sum(M::In(a), M::In(b));
  }
};
template <class M>
struct SubOf {
  EMU_INLINE std::uint16_t operator()(std::uint16_t a, std::uint16_t b) const {
    return M::Sum(M::In(a), -M::In(b));
  }
};
template <class M>
struct MulOf {
  EMU_INLINE std::uint16_t operator()(std::uint16_t a, std::uint16_t b) const {
    return M::Out(M::In(a) * M::In(b), 0);
  }
};
template <class M>
struct FmaOf {
  EMU_INLINE std::uint16_t operator()(std::uint16_t a, std::uint16_t b, std::uint16_t c) const {
    return M::Sum(M::In(a) * M::In(b), M::In(c));
  }
};

template <template <class> class F, int kSources, class M>
Handler Handle(bool packed) {
  using U16 = std::uint16_t;
  if constexpr (kSources == 2) {
    return packed ? HotMap<F<M>, 2, U16, U16, U16>() : HotMap<F<M>, 1, U16, U16, U16>();
  } else {
    return packed ? HotMap<F<M>, 2, U16, U16, U16, U16>() : HotMap<F<M>, 1, U16, U16, U16, U16>();
  }
}

// Only fma has relu: nothing is compiled for it of the others.
template <template <class> class F, int kSources, class Format, bool kFlush>
Handler HandleAfter(After after, bool packed) {
  if constexpr (kSources == 3) {
    if (after == After::kRelu) return Handle<F, kSources, Mode<Format, kFlush, After::kRelu>>(packed);
  }
  if constexpr (std::is_same_v<Format, F16>) {
    if (after == After::kSaturate) return Handle<F, kSources, Mode<Format, kFlush, After::kSaturate>>(packed);
  }
  return Handle<F, kSources, Mode<Format, kFlush, After::kNothing>>(packed);
}

template <template <class> class F, int kSources>
Op LowerHalf(Decoder& d) {
  const Type t = d.type();
  const bool rounding = d.Take("rn");
  if (kSources == 3 && !rounding) d.Refuse("needs .rn");
  const bool flush = d.Take("ftz"), saturate = d.Take("sat"), relu = kSources == 3 && d.Take("relu");
  const bool bfloat = t == Type::kBF16 || t == Type::kBF16x2;
  if ((bfloat && (flush || saturate)) || (saturate && relu)) d.RefuseType();
  const bool packed = IsPacked(t);
  const After after = relu ? After::kRelu : saturate ? After::kSaturate : After::kNothing;
  Handler handler = nullptr;
  if (bfloat) {
    handler = HandleAfter<F, kSources, BF16, false>(after, packed);
  } else {
    handler = WithBool(flush, [=](auto f) { return HandleAfter<F, kSources, F16, f()>(after, packed); });
  }
  return kSources == 2 ? d.Make(handler, t, {t, t}) : d.Make(handler, t, {t, t, t});
}

}  // namespace

Op LowerHalfAdd(Decoder& d) { return LowerHalf<AddOf, 2>(d); }
Op LowerHalfSub(Decoder& d) { return LowerHalf<SubOf, 2>(d); }
Op LowerHalfMul(Decoder& d) { return LowerHalf<MulOf, 2>(d); }
Op LowerHalfFma(Decoder& d) { return LowerHalf<FmaOf, 3>(d); }

}  // namespace emu::alu
