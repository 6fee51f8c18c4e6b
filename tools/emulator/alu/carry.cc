// PTX ISA, "Extended-Precision Integer Arithmetic Instructions". CC.CF is one bit per lane; for subtractions it holds the
// borrow.
#include "tools/emulator/alu/groups.h"
#include "tools/emulator/alu/integer.h"

namespace emu::alu {
namespace {

using ptx::Type;

// Op::imm
constexpr std::int64_t kReads = 1, kWrites = 2, kHigh = 4;

template <class U>
struct CarryAdd {
  static U Do(const Op&, U a, U b, U, bool carry, bool* out) {
    U sum;
    const bool first = __builtin_add_overflow(a, b, &sum);
    const bool second = __builtin_add_overflow(sum, static_cast<U>(carry), &sum);
    *out = first || second;
    return sum;
  }
};

template <class U>
struct CarrySub {
  static U Do(const Op&, U a, U b, U, bool borrow, bool* out) {
    U difference;
    const bool first = __builtin_sub_overflow(a, b, &difference);
    const bool second = __builtin_sub_overflow(difference, static_cast<U>(borrow), &difference);
    *out = first || second;
    return difference;
  }
};

template <class T>
struct CarryMad {
  using U = std::make_unsigned_t<T>;
  static U Do(const Op& op, T a, T b, U c, bool carry, bool* out) {
    const U half = static_cast<U>((op.imm & kHigh) != 0 ? HighMul(a, b) : WrapMul(a, b));
    return CarryAdd<U>::Do(op, half, c, 0, carry, out);
  }
};

// at: d, a, b, c, CC
template <class F, class T>
Flow Run(Warp& warp, const Op& op) {
  T* d = warp.Lanes<T>(op.at[0]);
  const T* a = warp.Lanes<T>(op.at[1]);
  const T* b = warp.Lanes<T>(op.at[2]);
  const T* c = warp.Lanes<T>(op.at[3]);
  const LaneMask before = (op.imm & kReads) != 0 ? warp.Mask(op.at[4]) : 0;
  LaneMask after = 0;
  for (std::uint32_t lane : Each(warp.active())) {
    bool out;
    d[lane] = static_cast<T>(F::Do(op, a[lane], b[lane], c[lane], (before >> lane & 1) != 0, &out));
    after |= LaneMask{out} << lane;
  }
  if ((op.imm & kWrites) != 0) WriteMask(warp, op.at[4], after);
  return Flow::kNext;
}

Op Make(Decoder& d, Handler handler, std::size_t sources, std::int64_t flags) {
  const Type t = d.type();
  if (handler == nullptr) d.RefuseType();
  Op op = sources == 2 ? d.Make(handler, t, {t, t}) : d.Make(handler, t, {t, t, t});
  if (sources == 2) op.at[3] = op.at[2];
  op.at[4] = d.lowering().CarryFlag();
  op.imm = flags;
  return op;
}

// Addition and subtraction do not care about signs.
template <template <class> class F>
Handler ByWidth(Type type) {
  switch (type) {
    case Type::kU32:
    case Type::kS32:
      return Run<F<std::uint32_t>, std::uint32_t>;
    case Type::kU64:
    case Type::kS64:
      return Run<F<std::uint64_t>, std::uint64_t>;
    default:
      return nullptr;
  }
}

std::int64_t TakeFlags(Decoder& d, bool reads) { return (reads ? kReads : 0) | (d.Take("cc") ? kWrites : 0); }

}  // namespace

Op LowerAddCarry(Decoder& d, bool reads) {
  return Make(d, ByWidth<CarryAdd>(d.type()), 2, TakeFlags(d, reads));
}
Op LowerSubCarry(Decoder& d, bool reads) {
  return Make(d, ByWidth<CarrySub>(d.type()), 2, TakeFlags(d, reads));
}

Op LowerMadCarry(Decoder& d, bool reads) {
  const int half = d.TakeOneOf({"lo", "hi"});
  if (half < 0) d.Refuse("needs .hi or .lo");
  Handler handler = nullptr;
  switch (d.type()) {
    case Type::kU32:
      handler = Run<CarryMad<std::uint32_t>, std::uint32_t>;
      break;
    case Type::kS32:
      handler = Run<CarryMad<std::int32_t>, std::int32_t>;
      break;
    case Type::kU64:
      handler = Run<CarryMad<std::uint64_t>, std::uint64_t>;
      break;
    case Type::kS64:
      handler = Run<CarryMad<std::int64_t>, std::int64_t>;
      break;
    default:
      break;
  }
  return Make(d, handler, 3, TakeFlags(d, reads) | (half == 1 ? kHigh : 0));
}

Op LowerAddc(Decoder& d) { return LowerAddCarry(d, true); }
Op LowerSubc(Decoder& d) { return LowerSubCarry(d, true); }
Op LowerMadc(Decoder& d) { return LowerMadCarry(d, true); }

}  // namespace emu::alu
