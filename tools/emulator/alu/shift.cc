// PTX ISA, "Logic and Shift Instructions": shl, shr, shf. Amounts are 32 bits and clamp, whatever is shifted.
#include "tools/emulator/alu/groups.h"
#include "tools/emulator/alu/lanes.h"

namespace emu::alu {
namespace {

using ptx::Type;
using U32 = std::uint32_t;

template <class T>
constexpr U32 kBits = 8 * sizeof(T);

template <class T>
struct Shl {
  EMU_INLINE T operator()(T a, U32 b) const {
    return b < kBits<T> ? static_cast<T>(a << (b & (kBits<T> - 1))) : T{0};
  }
};
// Arithmetic when T is signed.
template <class T>
struct Shr {
  EMU_INLINE T operator()(T a, U32 b) const {
    if constexpr (std::is_signed_v<T>) return static_cast<T>(a >> (b < kBits<T> ? b : kBits<T> - 1));
    return b < kBits<T> ? static_cast<T>(a >> (b & (kBits<T> - 1))) : T{0};
  }
};

// {b, a} shifted left, its high half; shifted right, its low half.
template <bool kWrap>
struct FunnelLeft {
  EMU_INLINE U32 operator()(U32 a, U32 b, U32 c) const {
    const U32 n = kWrap ? c & 31 : c < 32 ? c : 32;
    return static_cast<U32>(((std::uint64_t{b} << 32 | a) << n) >> 32);
  }
};
template <bool kWrap>
struct FunnelRight {
  EMU_INLINE U32 operator()(U32 a, U32 b, U32 c) const {
    const U32 n = kWrap ? c & 31 : c < 32 ? c : 32;
    return static_cast<U32>((std::uint64_t{b} << 32 | a) >> n);
  }
};

template <template <class> class F, class T>
Op Shift(Decoder& d) {
  return d.Make(HotMap<F<T>, 1, T, T, U32>(), d.type(), {d.type(), Type::kU32});
}

}  // namespace

Op LowerShl(Decoder& d) {
  switch (d.type()) {
    case Type::kB16:
      return Shift<Shl, std::uint16_t>(d);
    case Type::kB32:
      return Shift<Shl, std::uint32_t>(d);
    case Type::kB64:
      return Shift<Shl, std::uint64_t>(d);
    default:
      d.RefuseType();
  }
}

Op LowerShr(Decoder& d) {
  switch (d.type()) {
    case Type::kB16:
    case Type::kU16:
      return Shift<Shr, std::uint16_t>(d);
    case Type::kB32:
    case Type::kU32:
      return Shift<Shr, std::uint32_t>(d);
    case Type::kB64:
    case Type::kU64:
      return Shift<Shr, std::uint64_t>(d);
    case Type::kS16:
      return Shift<Shr, std::int16_t>(d);
    case Type::kS32:
      return Shift<Shr, std::int32_t>(d);
    case Type::kS64:
      return Shift<Shr, std::int64_t>(d);
    default:
      d.RefuseType();
  }
}

Op LowerShf(Decoder& d) {
  const Type t = d.type();
  if (t != Type::kB32) d.RefuseType();
  const int direction = d.TakeOneOf({"l", "r"});
  const int mode = d.TakeOneOf({"clamp", "wrap"});
  if (direction < 0 || mode < 0) d.Refuse("needs .l or .r, and .clamp or .wrap");
  Handler handler = direction == 0 ? (mode == 0 ? HotMap<FunnelLeft<false>, 1, U32, U32, U32, U32>()
                                                : HotMap<FunnelLeft<true>, 1, U32, U32, U32, U32>())
                                   : (mode == 0 ? HotMap<FunnelRight<false>, 1, U32, U32, U32, U32>()
                                                : HotMap<FunnelRight<true>, 1, U32, U32, U32, U32>());
  return d.Make(handler, t, {t, t, Type::kU32});
}

}  // namespace emu::alu
