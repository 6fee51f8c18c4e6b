// PTX ISA, "Logic and Shift Instructions": and, or, xor, not, cnot, lop3. Predicates are masks with a bit per lane.
#include "tools/emulator/alu/groups.h"
#include "tools/emulator/alu/lanes.h"

namespace emu::alu {
namespace {

using ptx::Type;

struct And {
  template <class T>
  EMU_INLINE T operator()(T a, T b) const {
    return a & b;
  }
};
struct Or {
  template <class T>
  EMU_INLINE T operator()(T a, T b) const {
    return a | b;
  }
};
struct Xor {
  template <class T>
  EMU_INLINE T operator()(T a, T b) const {
    return a ^ b;
  }
};
struct Not {
  template <class T>
  EMU_INLINE T operator()(T a) const {
    return static_cast<T>(~a);
  }
};
struct Cnot {
  template <class T>
  EMU_INLINE T operator()(T a) const {
    return a == 0;
  }
};

// at: d, a, b. Op::imm: masks that negate a (low 32 bits) and b (high).
template <class F>
Flow RunPredicates(Warp& warp, const Op& op) {
  const LaneMask a = warp.Mask(op.at[1]) ^ static_cast<LaneMask>(op.imm);
  const LaneMask b = warp.Mask(op.at[2]) ^ static_cast<LaneMask>(static_cast<std::uint64_t>(op.imm) >> 32);
  WriteMask(warp, op.at[0], F{}(a, b));
  return Flow::kNext;
}

template <class F>
Op LowerPredicates(Decoder& d) {
  d.NeedOperands(3);
  bool negate_a, negate_b;
  Op op;
  op.run = RunPredicates<F>;
  op.at[0] = d.Destination(0, Type::kPred);
  op.at[1] = d.Predicate(1, &negate_a);
  op.at[2] = d.Predicate(2, &negate_b);
  op.imm = static_cast<std::int64_t>((negate_a ? std::uint64_t{kAllLanes} : 0) |
                                     (negate_b ? std::uint64_t{kAllLanes} << 32 : 0));
  return op;
}

Flow RunNotPredicate(Warp& warp, const Op& op) {
  WriteMask(warp, op.at[0], warp.Mask(op.at[1]) ^ static_cast<LaneMask>(op.imm));
  return Flow::kNext;
}

template <class F>
Op LowerBinary(Decoder& d) {
  const Type t = d.type();
  switch (t) {
    case Type::kPred:
      return LowerPredicates<F>(d);
    case Type::kB16:
      return d.Make(HotMap<F, 1, std::uint16_t, std::uint16_t, std::uint16_t>(), t, {t, t});
    case Type::kB32:
      return d.Make(HotMap<F, 1, std::uint32_t, std::uint32_t, std::uint32_t>(), t, {t, t});
    case Type::kB64:
      return d.Make(HotMap<F, 1, std::uint64_t, std::uint64_t, std::uint64_t>(), t, {t, t});
    default:
      d.RefuseType();
  }
}

template <class F>
Op LowerUnary(Decoder& d) {
  const Type t = d.type();
  switch (t) {
    case Type::kB16:
      return d.Make(Map<F, 1, std::uint16_t, std::uint16_t>(), t, {t});
    case Type::kB32:
      return d.Make(HotMap<F, 1, std::uint32_t, std::uint32_t>(), t, {t});
    case Type::kB64:
      return d.Make(Map<F, 1, std::uint64_t, std::uint64_t>(), t, {t});
    default:
      d.RefuseType();
  }
}

// Bit i of the table is the result for the operands' bits a = i >> 2, b = i >> 1 & 1, c = i & 1.
class Lop3 {
 public:
  explicit Lop3(const Op& op) {
    for (int i = 0; i < 8; ++i) rows_[i] = (op.imm >> i & 1) != 0 ? ~0u : 0u;
  }
  EMU_INLINE std::uint32_t operator()(std::uint32_t a, std::uint32_t b, std::uint32_t c) const {
    const std::uint32_t low = (c & rows_[1]) | (~c & rows_[0]);
    const std::uint32_t lower_middle = (c & rows_[3]) | (~c & rows_[2]);
    const std::uint32_t upper_middle = (c & rows_[5]) | (~c & rows_[4]);
    const std::uint32_t high = (c & rows_[7]) | (~c & rows_[6]);
    return (a & ((b & high) | (~b & upper_middle))) | (~a & ((b & lower_middle) | (~b & low)));
  }

 private:
  std::uint32_t rows_[8];
};

// Op::imm above the table's 8 bits.
constexpr std::int64_t kLop3And = 1 << 8, kLop3Negated = 1 << 9;

// at: d, a, b, c, p, q: p = (d != 0) BoolOp q.
Flow RunLop3Predicate(Warp& warp, const Op& op) {
  const Lop3 table(op);
  const std::uint32_t* a = warp.Lanes<std::uint32_t>(op.at[1]);
  const std::uint32_t* b = warp.Lanes<std::uint32_t>(op.at[2]);
  const std::uint32_t* c = warp.Lanes<std::uint32_t>(op.at[3]);
  std::uint32_t* d = warp.Lanes<std::uint32_t>(op.at[0]);
  LaneMask t = 0;
  for (std::uint32_t lane : Each(warp.active())) {
    d[lane] = table(a[lane], b[lane], c[lane]);
    t |= LaneMask{d[lane] != 0} << lane;
  }
  const LaneMask q = warp.Mask(op.at[5]) ^ ((op.imm & kLop3Negated) != 0 ? kAllLanes : 0);
  WriteMask(warp, op.at[4], (op.imm & kLop3And) != 0 ? t & q : t | q);
  return Flow::kNext;
}

}  // namespace

Op LowerAnd(Decoder& d) { return LowerBinary<And>(d); }
Op LowerOr(Decoder& d) { return LowerBinary<Or>(d); }
Op LowerXor(Decoder& d) { return LowerBinary<Xor>(d); }
Op LowerCnot(Decoder& d) { return LowerUnary<Cnot>(d); }

Op LowerNot(Decoder& d) {
  if (d.type() != Type::kPred) return LowerUnary<Not>(d);
  d.NeedOperands(2);
  bool negated;
  Op op;
  op.run = RunNotPredicate;
  op.at[0] = d.Destination(0, Type::kPred);
  op.at[1] = d.Predicate(1, &negated);
  op.imm = negated ? 0 : kAllLanes;
  return op;
}

Op LowerLop3(Decoder& d) {
  if (d.type() != Type::kB32) d.RefuseType();
  const int bool_op = d.TakeOneOf({"or", "and"});
  d.NeedOperands(bool_op < 0 ? 5 : 6);
  const auto& operands = d.instruction().operands;
  if (operands[4].kind != ptx::Operand::Kind::kInteger) d.Refuse("immLut is no constant");
  Op op;
  op.imm = static_cast<std::int64_t>(operands[4].bits & 0xff);
  for (std::size_t i = 1; i < 4; ++i) op.at[i] = d.Source(i, Type::kB32);
  if (bool_op < 0) {
    op.run = HotMap<Lop3, 1, std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>();
    op.at[0] = d.Destination(0, Type::kB32);
    return op;
  }
  if (operands[0].kind != ptx::Operand::Kind::kPair || operands[0].elements.size() != 2) {
    d.Refuse("needs two destinations, d|p");
  }
  bool negated;
  op.run = RunLop3Predicate;
  op.at[0] = d.Destination(operands[0].elements[0], Type::kB32);
  op.at[4] = d.Destination(operands[0].elements[1], Type::kPred);
  op.at[5] = d.Predicate(5, &negated);
  op.imm |= (bool_op == 1 ? kLop3And : 0) | (negated ? kLop3Negated : 0);
  return op;
}

}  // namespace emu::alu
