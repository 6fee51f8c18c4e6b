// PTX ISA: min, max, abs, neg, copysign of every floating point type, on the bits: an encoding without its sign is ordered
// as the number is.
#include <limits>

#include "tools/emulator/alu/groups.h"
#include "tools/emulator/alu/half_math.h"

namespace emu::alu {
namespace {

using ptx::Type;

// Op::imm
constexpr std::int64_t kFlush = 1, kNan = 2, kXorsign = 4, kAbs = 8;

template <class F>
using SignedBits = std::make_signed_t<typename F::Bits>;

// Ordered as the numbers are, -0 below +0. Not for NaN.
template <class F>
EMU_INLINE SignedBits<F> Rank(typename F::Bits x) {
  using S = SignedBits<F>;
  const S value = static_cast<S>(x);
  return static_cast<S>(value < 0 ? static_cast<S>(value ^ std::numeric_limits<S>::max()) : value);
}

template <class F, bool kMax, bool kPlain>
class MinMax {
 public:
  using Bits = typename F::Bits;
  explicit MinMax(const Op& op)
      : flush_((op.imm & kFlush) != 0),
        nan_((op.imm & kNan) != 0),
        xorsign_((op.imm & kXorsign) != 0),
        abs_((op.imm & kAbs) != 0) {}

  EMU_INLINE Bits operator()(Bits a, Bits b) const {
    constexpr Bits kSign = static_cast<Bits>(F::format.sign());
    if (kPlain) return Choose(a, b);
    const Bits sign = xorsign_ ? (a ^ b) & kSign : 0;
    const Bits result = Choose(Prepare(a), Prepare(b));
    return xorsign_ && !IsNan<F>(result) ? static_cast<Bits>((result & ~kSign) | sign) : result;
  }
  EMU_INLINE Bits operator()(Bits a, Bits b, Bits c) const {
    return Choose(Choose(Prepare(a), Prepare(b)), Prepare(c));
  }

 private:
  EMU_INLINE Bits Prepare(Bits x) const {
    if (flush_) x = FlushBits<F>(x);
    return abs_ ? static_cast<Bits>(x & (F::format.sign() - 1)) : x;
  }
  EMU_INLINE Bits Choose(Bits a, Bits b) const {
    const bool first = kMax ? Rank<F>(a) > Rank<F>(b) : Rank<F>(a) < Rank<F>(b);
    Bits result = first ? a : b;
    const bool nan_a = IsNan<F>(a), nan_b = IsNan<F>(b);
    result = nan_a ? b : result;
    result = nan_b ? a : result;
    const bool nan = !kPlain && nan_ ? nan_a | nan_b : nan_a & nan_b;
    return nan ? static_cast<Bits>(kResultNan) : result;
  }

  static constexpr Bits kResultNan = static_cast<Bits>(F::format.nan);
  bool flush_, nan_, xorsign_, abs_;
};

template <class F, bool kFlushes>
struct AbsOf {
  using Bits = typename F::Bits;
  EMU_INLINE Bits operator()(Bits a) const {
    return static_cast<Bits>((kFlushes ? FlushBits<F>(a) : a) & (F::format.sign() - 1));
  }
};
template <class F, bool kFlushes>
struct NegOf {
  using Bits = typename F::Bits;
  EMU_INLINE Bits operator()(Bits a) const {
    return static_cast<Bits>((kFlushes ? FlushBits<F>(a) : a) ^ F::format.sign());
  }
};
// The sign of a on b.
template <class F>
struct Copysign {
  using Bits = typename F::Bits;
  EMU_INLINE Bits operator()(Bits a, Bits b) const {
    return static_cast<Bits>((a & F::format.sign()) | (b & (F::format.sign() - 1)));
  }
};

// make(format, elements per register), both as types.
template <class Make>
Handler ByFormat(Type type, Make make) {
  using One = std::integral_constant<int, 1>;
  using Two = std::integral_constant<int, 2>;
  switch (type) {
    case Type::kF32:
      return make(F32{}, One{});
    case Type::kF64:
      return make(F64{}, One{});
    case Type::kF16:
      return make(F16{}, One{});
    case Type::kF16x2:
      return make(F16{}, Two{});
    case Type::kBF16:
      return make(BF16{}, One{});
    case Type::kBF16x2:
      return make(BF16{}, Two{});
    default:
      return nullptr;
  }
}

template <bool kMax>
Op LowerMinMax(Decoder& d) {
  const Type t = d.type();
  std::int64_t modes = (d.Take("ftz") ? kFlush : 0) | (d.Take("NaN") ? kNan : 0) |
                       (d.Take("xorsign") ? kXorsign : 0) | (d.Take("abs") ? kAbs : 0);
  const bool three = d.operand_count() == 4;
  const bool flushes = t == Type::kF32 || t == Type::kF16 || t == Type::kF16x2;
  const bool xorsign = (modes & kXorsign) != 0, abs = (modes & kAbs) != 0;
  if ((modes & kFlush) != 0 && !flushes) d.RefuseType();
  if (three ? t != Type::kF32 || xorsign : xorsign != abs || (t == Type::kF64 && modes != 0)) d.RefuseType();
  if (three) {
    Op op =
        d.Make(Map<MinMax<F32, kMax, false>, 1, std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>(),
               t, {t, t, t});
    op.imm = modes;
    return op;
  }
  const Handler handler = ByFormat(t, [modes](auto format, auto per) {
    using F = decltype(format);
    using Bits = typename F::Bits;
    return modes == 0 ? HotMap<MinMax<F, kMax, true>, per(), Bits, Bits, Bits>()
                      : HotMap<MinMax<F, kMax, false>, per(), Bits, Bits, Bits>();
  });
  if (handler == nullptr) d.RefuseType();
  Op op = d.Make(handler, t, {t, t});
  op.imm = modes;
  return op;
}

template <template <class, bool> class Functor>
Op LowerUnary(Decoder& d) {
  const Type t = d.type();
  const bool flush = d.Take("ftz");
  if (flush && (t == Type::kF64 || t == Type::kBF16 || t == Type::kBF16x2)) d.RefuseType();
  const Handler handler = ByFormat(t, [flush](auto format, auto per) {
    using F = decltype(format);
    using Bits = typename F::Bits;
    return flush ? HotMap<Functor<F, true>, per(), Bits, Bits>()
                 : HotMap<Functor<F, false>, per(), Bits, Bits>();
  });
  if (handler == nullptr) d.RefuseType();
  return d.Make(handler, t, {t});
}

}  // namespace

Op LowerFloatMin(Decoder& d) { return LowerMinMax<false>(d); }
Op LowerFloatMax(Decoder& d) { return LowerMinMax<true>(d); }
Op LowerFloatAbs(Decoder& d) { return LowerUnary<AbsOf>(d); }
Op LowerFloatNeg(Decoder& d) { return LowerUnary<NegOf>(d); }

Op LowerCopysign(Decoder& d) {
  const Type t = d.type();
  if (t == Type::kF32)
    return d.Make(Map<Copysign<F32>, 1, std::uint32_t, std::uint32_t, std::uint32_t>(), t, {t, t});
  if (t == Type::kF64)
    return d.Make(Map<Copysign<F64>, 1, std::uint64_t, std::uint64_t, std::uint64_t>(), t, {t, t});
  d.RefuseType();
}

}  // namespace emu::alu
