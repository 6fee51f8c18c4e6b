// PTX ISA, "Comparison and Selection Instructions": selp, slct.
#include "tools/emulator/alu/float_math.h"
#include "tools/emulator/alu/groups.h"

namespace emu::alu {
namespace {

using ptx::Type;

// at: d, a, b, p: a where p.
template <class T>
struct Selp {
  EMU_INLINE static void Run(Warp& warp, const Op& op) {
    T* d = warp.Lanes<T>(op.at[0]);
    const T* a = warp.Lanes<T>(op.at[1]);
    const T* b = warp.Lanes<T>(op.at[2]);
    const LaneMask p = warp.Mask(op.at[3]);
    ForElements<1>(
        warp.active(), [=](std::uint32_t i) __attribute__((always_inline)) {
          const T if_true = a[i], if_false = b[i];
          d[i] = (p & kLaneBits.bit[i]) != 0 ? if_true : if_false;
        });
  }
};

template <class T>
struct SlctInteger {
  EMU_INLINE T operator()(T a, T b, std::int32_t c) const { return c >= 0 ? a : b; }
};
// -0 chooses a; NaN chooses b.
template <class T, bool kFlush>
struct SlctFloat {
  EMU_INLINE T operator()(T a, T b, float c) const { return FlushIf<kFlush>(c) >= 0 ? a : b; }
};

// Of the types that these instructions have; 0 for others.
std::uint32_t Bytes(Type type) {
  if ((type >= Type::kB16 && type <= Type::kB64) || type == Type::kF32 || type == Type::kF64)
    return ptx::SizeOf(type);
  if (IsInteger(type)) return ptx::SizeOf(type) == 1 ? 0 : ptx::SizeOf(type);
  return 0;
}

template <class T>
Handler SlctHandler(bool by_float, bool flush) {
  if (!by_float) return Map<SlctInteger<T>, 1, T, T, T, std::int32_t>();
  return flush ? Map<SlctFloat<T, true>, 1, T, T, T, float>() : Map<SlctFloat<T, false>, 1, T, T, T, float>();
}

}  // namespace

Op LowerSelp(Decoder& d) {
  const Type t = d.type();
  d.NeedOperands(4);
  Op op;
  switch (Bytes(t)) {
    case 2:
      op.run = HotKernel<Selp<std::uint16_t>>();
      break;
    case 4:
      op.run = HotKernel<Selp<std::uint32_t>>();
      break;
    case 8:
      op.run = HotKernel<Selp<std::uint64_t>>();
      break;
    default:
      d.RefuseType();
  }
  bool negated;
  op.at[3] = d.Predicate(3, &negated);
  op.at[0] = d.Destination(0, t);
  op.at[negated ? 2 : 1] = d.Source(1, t);
  op.at[negated ? 1 : 2] = d.Source(2, t);
  return op;
}

Op LowerSlct(Decoder& d) {
  d.ExpectTypes(2);
  const Type t = d.type(0), by = d.type(1);
  const bool flush = d.Take("ftz"), by_float = by == Type::kF32;
  if ((!by_float && by != Type::kS32) || (flush && !by_float)) d.RefuseType();
  switch (Bytes(t)) {
    case 2:
      return d.Make(SlctHandler<std::uint16_t>(by_float, flush), t, {t, t, by});
    case 4:
      return d.Make(SlctHandler<std::uint32_t>(by_float, flush), t, {t, t, by});
    case 8:
      return d.Make(SlctHandler<std::uint64_t>(by_float, flush), t, {t, t, by});
    default:
      d.RefuseType();
  }
}

}  // namespace emu::alu
