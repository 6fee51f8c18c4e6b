// PTX ISA: sin, cos, lg2, ex2, tanh, all .approx. Computed by the host's library in double precision (single for ex2 and
// tanh of half precision) and rounded, which is inside the ISA's error bounds; the hardware's own bits differ.
#include <cmath>

#include "tools/emulator/alu/groups.h"
#include "tools/emulator/alu/half_math.h"

namespace emu::alu {
namespace {

using ptx::Type;

struct Sin {
  static double Of(double x) { return std::sin(x); }
};
struct Cos {
  static double Of(double x) { return std::cos(x); }
};
struct Lg2 {
  static double Of(double x) { return std::log2(x); }
};
struct Ex2 {
  static double Of(double x) { return std::exp2(x); }
};
struct Tanh {
  static double Of(double x) { return std::tanh(x); }
};

template <class G, bool kFlush>
struct Single {
  float operator()(float a) const {
    return Canonical(FlushIf<kFlush>(static_cast<float>(G::Of(FlushIf<kFlush>(a)))));
  }
};

template <class G, class F, bool kFlush>
struct Half {
  std::uint16_t operator()(std::uint16_t a) const {
    if (kFlush) a = FlushBits<F>(a);
    const std::uint16_t result = RoundToHalf<F>(G::Of(ToSingle<F>(a)), 0);
    return kFlush ? FlushBits<F>(result) : result;
  }
};

template <class G>
Op LowerSingle(Decoder& d) {
  if (!d.Take("approx")) d.Refuse("needs .approx");
  if (d.type() != Type::kF32) d.RefuseType();
  const bool flush = d.Take("ftz");
  return d.Make(flush ? Map<Single<G, true>, 1, float, float>() : Map<Single<G, false>, 1, float, float>(),
                Type::kF32, {Type::kF32});
}

// ex2 of bfloat16 always flushes and says so, of half precision never.
template <class G, bool kFlushBfloat>
Op LowerAny(Decoder& d) {
  using U16 = std::uint16_t;
  const Type t = d.type();
  if (t == Type::kF32) return LowerSingle<G>(d);
  if (!d.Take("approx")) d.Refuse("needs .approx");
  const bool bfloat = t == Type::kBF16 || t == Type::kBF16x2;
  if (bfloat && kFlushBfloat && !d.Take("ftz")) d.RefuseType();
  switch (t) {
    case Type::kF16:
      return d.Make(Map<Half<G, F16, false>, 1, U16, U16>(), t, {t});
    case Type::kF16x2:
      return d.Make(Map<Half<G, F16, false>, 2, U16, U16>(), t, {t});
    case Type::kBF16:
      return d.Make(Map<Half<G, BF16, kFlushBfloat>, 1, U16, U16>(), t, {t});
    case Type::kBF16x2:
      return d.Make(Map<Half<G, BF16, kFlushBfloat>, 2, U16, U16>(), t, {t});
    default:
      d.RefuseType();
  }
}

}  // namespace

Op LowerSin(Decoder& d) { return LowerSingle<Sin>(d); }
Op LowerCos(Decoder& d) { return LowerSingle<Cos>(d); }
Op LowerLg2(Decoder& d) { return LowerSingle<Lg2>(d); }
Op LowerEx2(Decoder& d) { return LowerAny<Ex2, true>(d); }
Op LowerTanh(Decoder& d) { return LowerAny<Tanh, false>(d); }

}  // namespace emu::alu
