// PTX ISA, "mov": copies, and vectors {a, b} or {a, b, c, d} packed into a wider register or unpacked from one, the first
// element lowest.
#include "tools/emulator/alu/format.h"
#include "tools/emulator/alu/groups.h"
#include "tools/emulator/alu/lanes.h"

namespace emu::alu {
namespace {

using ptx::Type;
using Kind = ptx::Operand::Kind;

struct Copy {
  template <class T>
  EMU_INLINE T operator()(T a) const {
    return a;
  }
};

// Of 8-bit elements, which are kept as 16 bits, only the low half counts.
template <class Whole, class Part, int kBits>
EMU_INLINE Whole Cut(Part x) {
  return static_cast<Whole>(x & static_cast<Part>(~std::uint64_t{0} >> (64 - kBits)));
}

template <class Whole, class Part, int kBits>
struct Pack {
  EMU_INLINE Whole operator()(Part a, Part b) const {
    return Cut<Whole, Part, kBits>(a) | static_cast<Whole>(Cut<Whole, Part, kBits>(b) << kBits);
  }
  EMU_INLINE Whole operator()(Part a, Part b, Part c, Part d) const {
    Whole whole = Cut<Whole, Part, kBits>(d);
    whole = static_cast<Whole>(whole << kBits) | Cut<Whole, Part, kBits>(c);
    whole = static_cast<Whole>(whole << kBits) | Cut<Whole, Part, kBits>(b);
    return static_cast<Whole>(whole << kBits) | Cut<Whole, Part, kBits>(a);
  }
};

// at: the elements' destinations, and the source in at[4].
template <class Whole, class Part, int kBits, int kCount>
struct Unpack {
  EMU_INLINE static void Run(Warp& warp, const Op& op) {
    Part* parts[kCount];
    for (int i = 0; i < kCount; ++i) parts[i] = warp.Lanes<Part>(op.at[i]);
    const Whole* source = warp.Lanes<Whole>(op.at[4]);
    ForElements<1>(
        warp.active(), [=](std::uint32_t lane) __attribute__((always_inline)) {
          const Whole whole = source[lane];
          for (int i = 0; i < kCount; ++i) parts[i][lane] = Cut<Part, Whole, kBits>(whole >> kBits * i);
        });
  }
};

Type BitsType(std::uint32_t bytes) {
  switch (bytes) {
    case 1:
      return Type::kB8;
    case 2:
      return Type::kB16;
    case 4:
      return Type::kB32;
    case 8:
      return Type::kB64;
    default:
      return Type::kNone;
  }
}

// make(whole, part, bits of an element, elements), as values and constants; null when there is no such vector.
template <class Make>
Handler ByShape(std::uint32_t bytes, std::size_t count, Make make) {
  using U16 = std::uint16_t;
  using U32 = std::uint32_t;
  using U64 = std::uint64_t;
  using B8 = std::integral_constant<int, 8>;
  using B16 = std::integral_constant<int, 16>;
  using B32 = std::integral_constant<int, 32>;
  using B64 = std::integral_constant<int, 64>;
  using Two = std::integral_constant<int, 2>;
  using Four = std::integral_constant<int, 4>;
  if (count == 2) {
    if (bytes == 2) return make(U16{}, U16{}, B8{}, Two{});
    if (bytes == 4) return make(U32{}, U16{}, B16{}, Two{});
    if (bytes == 8) return make(U64{}, U32{}, B32{}, Two{});
    if (bytes == 16) return make(Wide{}, U64{}, B64{}, Two{});
  } else if (count == 4) {
    if (bytes == 4) return make(U32{}, U16{}, B8{}, Four{});
    if (bytes == 8) return make(U64{}, U16{}, B16{}, Four{});
    if (bytes == 16) return make(Wide{}, U32{}, B32{}, Four{});
  }
  return nullptr;
}

Op LowerPack(Decoder& d, const std::vector<ptx::Operand>& elements) {
  const Type t = d.type();
  const std::uint32_t bytes = ptx::SizeOf(t);
  Op op;
  op.run = ByShape(bytes, elements.size(), [](auto whole, auto part, auto bits, auto count) {
    using W = decltype(whole);
    using P = decltype(part);
    if constexpr (count() == 2) {
      return HotMap<Pack<W, P, bits()>, 1, W, P, P>();
    } else {
      return HotMap<Pack<W, P, bits()>, 1, W, P, P, P, P>();
    }
  });
  if (op.run == nullptr) d.RefuseType();
  const Type part = BitsType(bytes / static_cast<std::uint32_t>(elements.size()));
  op.at[0] = d.Destination(0, t);
  for (std::size_t i = 0; i < elements.size(); ++i) op.at[i + 1] = d.Source(elements[i], part);
  return op;
}

Op LowerUnpack(Decoder& d, const std::vector<ptx::Operand>& elements) {
  const Type t = d.type();
  const std::uint32_t bytes = ptx::SizeOf(t);
  Op op;
  op.run = ByShape(bytes, elements.size(), [](auto whole, auto part, auto bits, auto count) {
    return HotKernel<Unpack<decltype(whole), decltype(part), bits(), count()>>();
  });
  if (op.run == nullptr) d.RefuseType();
  const Type part = BitsType(bytes / static_cast<std::uint32_t>(elements.size()));
  for (std::size_t i = 0; i < elements.size(); ++i) op.at[i] = d.Destination(elements[i], part);
  op.at[4] = d.Source(1, t);
  return op;
}

Flow RunMovePredicate(Warp& warp, const Op& op) {
  WriteMask(warp, op.at[0], warp.Mask(op.at[1]) ^ static_cast<LaneMask>(op.imm));
  return Flow::kNext;
}

Op LowerMovePredicate(Decoder& d) {
  bool negated;
  Op op;
  op.run = RunMovePredicate;
  op.at[0] = d.Destination(0, Type::kPred);
  op.at[1] = d.Predicate(1, &negated);
  op.imm = negated ? kAllLanes : 0;
  return op;
}

}  // namespace

Op LowerMov(Decoder& d) {
  d.NeedOperands(2);
  const Type t = d.type();
  if (t == Type::kPred) return LowerMovePredicate(d);
  const auto& operands = d.instruction().operands;
  const bool bits = t == Type::kB16 || t == Type::kB32 || t == Type::kB64 || t == Type::kB128;
  if (operands[0].kind == Kind::kVector && bits) return LowerUnpack(d, operands[0].elements);
  if (operands[1].kind == Kind::kVector && bits) return LowerPack(d, operands[1].elements);
  const bool known = bits || (IsInteger(t) && ptx::SizeOf(t) > 1) || t == Type::kF32 || t == Type::kF64 ||
                     t == Type::kF16 || t == Type::kF16x2 || t == Type::kBF16 || t == Type::kBF16x2;
  if (!known) d.RefuseType();
  switch (ptx::SizeOf(t)) {
    case 2:
      return d.Make(HotMap<Copy, 1, std::uint16_t, std::uint16_t>(), t, {t});
    case 4:
      return d.Make(HotMap<Copy, 1, std::uint32_t, std::uint32_t>(), t, {t});
    case 8:
      return d.Make(HotMap<Copy, 1, std::uint64_t, std::uint64_t>(), t, {t});
    default:
      return d.Make(Map<Copy, 1, Wide, Wide>(), t, {t});
  }
}

}  // namespace emu::alu
