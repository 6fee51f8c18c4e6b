// PTX ISA, "Comparison and Selection Instructions": set, setp; testp.
#include "tools/emulator/alu/compare.h"

#include "tools/emulator/alu/groups.h"

namespace emu::alu {
namespace {

using ptx::Type;

// Op::imm: what becomes of the comparison's masks.
constexpr std::int64_t kComplement = 1, kAnd = 2, kOr = 4, kXor = 8, kNegateC = 16, kHasQ = 32, kNarrow = 64;
constexpr int kPatternShift = 16;  // set: the bits of "true" from here on

// With the predicate c, where there is one.
EMU_INLINE LaneMask Combine(const Warp& warp, const Op& op, LaneMask mask) {
  if ((op.imm & (kAnd | kOr | kXor)) == 0) return mask;
  const LaneMask c = warp.Mask(op.at[3]) ^ ((op.imm & kNegateC) != 0 ? kAllLanes : 0);
  return (op.imm & kAnd) != 0 ? mask & c : (op.imm & kOr) != 0 ? mask | c : mask ^ c;
}

// at: p, a, b, c, q. p is BoolOp(t, c); q is BoolOp(not t, c), and for packed types what p is for the upper elements.
template <class C>
struct Setp {
  EMU_INLINE static void Run(Warp& warp, const Op& op) {
    LaneMask masks[C::kResults];
    C::Masks(warp, op, masks);
    const LaneMask flip = (op.imm & kComplement) != 0 ? kAllLanes : 0;
    const LaneMask p = Combine(warp, op, masks[0] ^ flip);
    if ((op.imm & kHasQ) != 0) {
      const LaneMask other = C::kResults == 2 ? masks[C::kResults - 1] ^ flip : ~(masks[0] ^ flip);
      WriteMask(warp, op.at[4], Combine(warp, op, other));
    }
    WriteMask(warp, op.at[0], p);
  }
};

// at: d, a, b, c. Packed types give a half of d each.
template <class C>
struct Set {
  EMU_INLINE static void Run(Warp& warp, const Op& op) {
    LaneMask masks[C::kResults];
    C::Masks(warp, op, masks);
    for (LaneMask& mask : masks) mask = Combine(warp, op, (op.imm & kComplement) != 0 ? ~mask : mask);
    const auto pattern = static_cast<std::uint32_t>(op.imm >> kPatternShift);
    for (std::uint32_t lane : Each(warp.active())) {
      std::uint32_t value = (masks[0] >> lane & 1) != 0 ? pattern : 0;
      if (C::kResults == 2 && (masks[C::kResults - 1] >> lane & 1) != 0) value |= pattern << 16;
      if ((op.imm & kNarrow) != 0) {
        warp.Lanes<std::uint16_t>(op.at[0])[lane] = static_cast<std::uint16_t>(value);
      } else {
        warp.Lanes<std::uint32_t>(op.at[0])[lane] = value;
      }
    }
  }
};

struct Operator {
  const char* name;
  Test test;
  bool exchange, complement;
};
// "!(b < a)" is true for NaN: that is leu.
constexpr Operator kOrdered[] = {
    {"eq", Test::kEq, false, false}, {"lt", Test::kLt, false, false}, {"le", Test::kLe, false, false},
    {"gt", Test::kLt, true, false},  {"ge", Test::kLe, true, false},
};
constexpr Operator kIntegerOnly[] = {{"ne", Test::kEq, false, true}};
constexpr Operator kUnsignedOnly[] = {
    {"lo", Test::kLt, false, false},
    {"ls", Test::kLe, false, false},
    {"hi", Test::kLt, true, false},
    {"hs", Test::kLe, true, false},
};
constexpr Operator kFloatOnly[] = {
    {"ne", Test::kNe, false, false}, {"equ", Test::kNe, false, true},   {"neu", Test::kEq, false, true},
    {"ltu", Test::kLe, true, true},  {"leu", Test::kLt, true, true},    {"gtu", Test::kLe, false, true},
    {"geu", Test::kLt, false, true}, {"num", Test::kNum, false, false}, {"nan", Test::kNum, false, true},
};

template <std::size_t kSize>
const Operator* TakeFrom(Decoder& d, const Operator (&operators)[kSize]) {
  for (const Operator& candidate : operators) {
    if (d.Take(candidate.name)) return &candidate;
  }
  return nullptr;
}

Operator TakeOperator(Decoder& d, Type type) {
  const bool bits = type >= Type::kB8 && type <= Type::kB64, integer = IsInteger(type);
  const Operator* found = TakeFrom(d, kOrdered);
  if (found == nullptr) found = bits || integer ? TakeFrom(d, kIntegerOnly) : TakeFrom(d, kFloatOnly);
  if (found == nullptr && integer && !IsSigned(type)) found = TakeFrom(d, kUnsignedOnly);
  if (found == nullptr || (bits && found->test != Test::kEq)) d.Refuse("no comparison known for the type");
  return *found;
}

// make(Comparison<...>{}) for the type and the test.
template <class L, int kPer, class Make>
Handler ByTest(Test test, Make make) {
  switch (test) {
    case Test::kEq:
      return make(Comparison<L, Test::kEq, kPer>{});
    case Test::kLt:
      return make(Comparison<L, Test::kLt, kPer>{});
    case Test::kLe:
      return make(Comparison<L, Test::kLe, kPer>{});
    case Test::kNe:
      if constexpr (!std::is_integral_v<decltype(L::Value({}))>) return make(Comparison<L, Test::kNe, kPer>{});
      break;
    case Test::kNum:
      if constexpr (!std::is_integral_v<decltype(L::Value({}))>) return make(Comparison<L, Test::kNum, kPer>{});
      break;
  }
  return nullptr;
}

template <class Make>
Handler ByType(Type type, bool flush, Test test, Make make) {
  switch (Unsigned(type)) {
    case Type::kU16:
      return ByTest<Plain<std::uint16_t>, 1>(test, make);
    case Type::kU32:
      return ByTest<Plain<std::uint32_t>, 1>(test, make);
    case Type::kU64:
      return ByTest<Plain<std::uint64_t>, 1>(test, make);
    case Type::kS16:
      return ByTest<Plain<std::int16_t>, 1>(test, make);
    case Type::kS32:
      return ByTest<Plain<std::int32_t>, 1>(test, make);
    case Type::kS64:
      return ByTest<Plain<std::int64_t>, 1>(test, make);
    case Type::kF32:
      return flush ? ByTest<FlushedSingle, 1>(test, make) : ByTest<Plain<float>, 1>(test, make);
    case Type::kF64:
      return ByTest<Plain<double>, 1>(test, make);
    case Type::kF16:
      return flush ? ByTest<HalfPrecision<F16, true>, 1>(test, make)
                   : ByTest<HalfPrecision<F16, false>, 1>(test, make);
    case Type::kF16x2:
      return flush ? ByTest<HalfPrecision<F16, true>, 2>(test, make)
                   : ByTest<HalfPrecision<F16, false>, 2>(test, make);
    case Type::kBF16:
      return ByTest<HalfPrecision<BF16, false>, 1>(test, make);
    case Type::kBF16x2:
      return ByTest<HalfPrecision<BF16, false>, 2>(test, make);
    default:
      return nullptr;
  }
}

// What is frequent is compiled twice: setp of 32 and 64 bits.
template <template <class> class Kernel, class C>
Handler HandlerOf() {
  if constexpr (std::is_same_v<Kernel<C>, Setp<C>> && sizeof(typename C::Stored) >= 4) {
    return HotKernel<Kernel<C>>();
  } else {
    return RunKernel<Kernel<C>>;
  }
}

// Everything but the destination.
template <template <class> class Kernel>
Op LowerComparison(Decoder& d, Type type) {
  const Operator compare = TakeOperator(d, type);
  const int combine = d.TakeOneOf({"and", "or", "xor"});
  const bool flush = d.Take("ftz");
  if (flush && type != Type::kF32 && type != Type::kF16 && type != Type::kF16x2) d.RefuseType();
  d.NeedOperands(combine < 0 ? 3 : 4);
  Op op;
  op.run = ByType(type, flush, compare.test,
                  [](auto comparison) { return HandlerOf<Kernel, decltype(comparison)>(); });
  if (op.run == nullptr) d.RefuseType();
  op.at[compare.exchange ? 2 : 1] = d.Source(1, type);
  op.at[compare.exchange ? 1 : 2] = d.Source(2, type);
  op.imm = compare.complement ? kComplement : 0;
  if (combine >= 0) {
    bool negated;
    op.at[3] = d.Predicate(3, &negated);
    op.imm |= kAnd << combine | (negated ? kNegateC : 0);
  }
  return op;
}

struct Destination {
  std::uint32_t pattern = 0;
  bool narrow = false;
};

// "True" in the destination's type, and whether d is 16 bits.
Destination SetDestination(Decoder& d, Type to, Type from) {
  const bool packed = IsPacked(from);
  switch (to) {
    case Type::kU32:
    case Type::kS32:
      return {packed ? 0xffff : 0xffff'ffff, false};
    case Type::kF32:
      if (IsHalf(from)) break;
      return {0x3f80'0000, false};
    case Type::kU16:
    case Type::kS16:
      if (!IsHalf(from) || packed) break;
      return {0xffff, true};
    case Type::kF16:
    case Type::kBF16:
      if (packed) break;
      return {to == Type::kF16 ? 0x3c00u : 0x3f80u, true};
    case Type::kF16x2:
    case Type::kBF16x2:
      if (to != from) break;
      return {to == Type::kF16x2 ? 0x3c00u : 0x3f80u, false};
    default:
      break;
  }
  d.RefuseType();
}

// Op::imm bits.
constexpr std::int64_t kZero = 1, kSubnormal = 2, kNormal = 4, kInfinite = 8, kNan = 16;

template <class F>
Flow RunTestp(Warp& warp, const Op& op) {
  using Bits = typename F::Bits;
  const Bits* a = warp.Lanes<Bits>(op.at[1]);
  LaneMask result = 0;
  for (std::uint32_t lane : Each(warp.active())) {
    const std::uint64_t magnitude = a[lane] & (F::format.sign() - 1);
    const std::int64_t is = magnitude == 0                                            ? kZero
                            : magnitude < std::uint64_t{1} << F::format.mantissa_bits ? kSubnormal
                            : magnitude < F::format.infinity()                        ? kNormal
                            : magnitude == F::format.infinity()                       ? kInfinite
                                                                                      : kNan;
    result |= LaneMask{(op.imm & is) != 0} << lane;
  }
  WriteMask(warp, op.at[0], result);
  return Flow::kNext;
}

}  // namespace

Op LowerSetp(Decoder& d) {
  const Type type = d.type();
  Op op = LowerComparison<Setp>(d, type);
  const ptx::Operand& destination = d.instruction().operands[0];
  if (destination.kind != ptx::Operand::Kind::kPair) {
    if (IsPacked(type)) d.Refuse("needs two destinations, p|q");
    op.at[0] = d.Destination(destination, Type::kPred);
    return op;
  }
  if (destination.elements.size() != 2) d.Refuse("needs two destinations, p|q");
  op.at[0] = d.Destination(destination.elements[0], Type::kPred);
  op.at[4] = d.Destination(destination.elements[1], Type::kPred);
  op.imm |= kHasQ;
  return op;
}

Op LowerSet(Decoder& d) {
  d.ExpectTypes(2);
  const Type to = d.type(0), from = d.type(1);
  const Destination destination = SetDestination(d, to, from);
  Op op = LowerComparison<Set>(d, from);
  op.at[0] = d.Destination(0, to);
  op.imm |= (destination.narrow ? kNarrow : 0) | static_cast<std::int64_t>(destination.pattern)
                                                     << kPatternShift;
  return op;
}

Op LowerTestp(Decoder& d) {
  constexpr std::int64_t kSets[] = {kZero | kSubnormal | kNormal,
                                    kInfinite,
                                    kZero | kSubnormal | kNormal | kInfinite,
                                    kNan,
                                    kZero | kNormal,
                                    kSubnormal};
  const int test = d.TakeOneOf({"finite", "infinite", "number", "notanumber", "normal", "subnormal"});
  const Type t = d.type();
  if (test < 0 || (t != Type::kF32 && t != Type::kF64)) d.RefuseType();
  Op op = d.Make(t == Type::kF32 ? RunTestp<F32> : RunTestp<F64>, Type::kPred, {t});
  op.imm = kSets[test];
  return op;
}

}  // namespace emu::alu
