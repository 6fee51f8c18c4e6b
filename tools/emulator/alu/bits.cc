// PTX ISA, "Integer Arithmetic Instructions" that look at bits (popc, clz, bfind, fns, brev, bfe, bfi, bmsk, szext), and
// prmt of "Data Movement and Conversion Instructions".
#include <algorithm>

#include "tools/emulator/alu/groups.h"
#include "tools/emulator/alu/lanes.h"

namespace emu::alu {
namespace {

using ptx::Type;
using U32 = std::uint32_t;
using U64 = std::uint64_t;
using S32 = std::int32_t;
using S64 = std::int64_t;

template <class T>
constexpr int kBits = 8 * sizeof(T);

template <class T>
struct Popc {
  EMU_INLINE U32 operator()(T a) const { return static_cast<U32>(__builtin_popcountll(a)); }
};
template <class T>
struct Clz {
  EMU_INLINE U32 operator()(T a) const {
    return a == 0 ? kBits<T> : static_cast<U32>(__builtin_clzll(a)) - (64 - kBits<T>);
  }
};
// Position of the highest bit that differs from the sign; as the shift that moves it to the top when kShift.
template <class T, bool kShift>
struct Bfind {
  U32 operator()(T a) const {
    using U = std::make_unsigned_t<T>;
    const U value = static_cast<U>(a < 0 ? ~a : a);
    if (value == 0) return 0xffffffff;
    const U32 shift = static_cast<U32>(__builtin_clzll(value)) - (64 - kBits<T>);
    return kShift ? shift : kBits<T> - 1 - shift;
  }
};
template <class T>
struct Brev {
  T operator()(T a) const {
    T reversed = 0;
    for (int i = 0; i < kBits<T>; ++i) reversed |= static_cast<T>((a >> i & 1) << (kBits<T> - 1 - i));
    return reversed;
  }
};

// The n-th set bit from `base`, upwards for positive n, downwards for negative. A base above 31 is undefined: none.
struct Fns {
  U32 operator()(U32 mask, U32 base, S32 offset) const {
    if (base > 31) return 0xffffffff;
    if (offset == 0) return (mask >> base & 1) != 0 ? base : 0xffffffff;
    const int step = offset > 0 ? 1 : -1;
    S64 left = std::abs(S64{offset});
    for (int at = static_cast<int>(base); at >= 0 && at < 32; at += step) {
      if ((mask >> at & 1) != 0 && --left == 0) return static_cast<U32>(at);
    }
    return 0xffffffff;
  }
};

template <class T>
struct Bfe {
  T operator()(T a, U32 start, U32 length) const {
    const int pos = start & 0xff, len = length & 0xff;
    if (len == 0) return 0;
    // `a` without the bits below the field: sign bits move in where T is signed.
    const T field = static_cast<T>(pos < kBits<T> ? a >> pos : std::is_signed_v<T> ? a >> (kBits<T> - 1) : 0);
    if (len >= kBits<T>) return field;
    using U = std::make_unsigned_t<T>;
    const int unused = kBits<T> - len;
    return static_cast<T>(static_cast<T>(static_cast<U>(field) << unused) >> unused);
  }
};
template <class T>
struct Bfi {
  T operator()(T a, T b, U32 start, U32 length) const {
    const int pos = start & 0xff, len = length & 0xff;
    if (len == 0 || pos >= kBits<T>) return b;
    const T ones = static_cast<T>(-1);
    const T mask = static_cast<T>((len >= kBits<T> ? ones : static_cast<T>(~(ones << len))) << pos);
    return (b & ~mask) | (static_cast<T>(a << pos) & mask);
  }
};

template <bool kWrap>
struct Bmsk {
  U32 operator()(U32 a, U32 b) const {
    if (!kWrap && a >= 32) return 0;
    const U32 start = a & 31, width = b & 31;
    const U32 from = ~0u << start;
    if ((!kWrap && b >= 32) || start + width >= 32) return from;
    return from & ~(~0u << (start + width));
  }
};
template <bool kSigned, bool kWrap>
struct Szext {
  U32 operator()(U32 a, U32 b) const {
    if (!kWrap && b >= 32) return a;
    const U32 width = b & 31;
    if (width == 0) return 0;
    const U32 unused = 32 - width;
    return kSigned ? static_cast<U32>(static_cast<S32>(a << unused) >> unused) : a << unused >> unused;
  }
};

// A selector per byte of the result: three bits choose one of the eight bytes of {b, a}, the fourth replicates its sign.
EMU_INLINE U32 Permute(U64 bytes, U32 selectors) {
  U32 result = 0;
  for (int i = 0; i < 4; ++i) {
    const U32 selector = selectors >> 4 * i;
    U32 byte = static_cast<U32>(bytes >> 8 * (selector & 7)) & 0xff;
    if ((selector & 8) != 0) byte = (byte & 0x80) != 0 ? 0xff : 0;
    result |= byte << 8 * i;
  }
  return result;
}
struct Prmt {
  EMU_INLINE U32 operator()(U32 a, U32 b, U32 c) const { return Permute(U64{b} << 32 | a, c); }
};
// The selectors of a mode for the four values of c & 3; the highest byte's come first.
class PrmtMode {
 public:
  explicit PrmtMode(const Op& op) : table_(kModes[op.imm]) {}
  U32 operator()(U32 a, U32 b, U32 c) const { return Permute(U64{b} << 32 | a, table_[c & 3]); }

 private:
  static constexpr std::uint16_t kModes[6][4] = {
      {0x3210, 0x4321, 0x5432, 0x6543},  // f4e: forward, 4 bytes
      {0x5670, 0x6701, 0x7012, 0x0123},  // b4e: backward, 4 bytes
      {0x0000, 0x1111, 0x2222, 0x3333},  // rc8: one byte, replicated
      {0x3210, 0x3211, 0x3222, 0x3333},  // ecl: clamped from below
      {0x0000, 0x1110, 0x2210, 0x3210},  // ecr: clamped from above
      {0x1010, 0x3232, 0x1010, 0x3232},  // rc16: one half, replicated
  };
  const std::uint16_t* table_;
};

template <template <class> class F>
Op Counting(Decoder& d) {
  if (d.type() == Type::kB32) return d.Make(HotMap<F<U32>, 1, U32, U32>(), Type::kU32, {Type::kB32});
  if (d.type() == Type::kB64) return d.Make(HotMap<F<U64>, 1, U32, U64>(), Type::kU32, {Type::kB64});
  d.RefuseType();
}

template <bool kShift>
Handler BfindHandler(Type type) {
  switch (type) {
    case Type::kU32:
      return Map<Bfind<U32, kShift>, 1, U32, U32>();
    case Type::kU64:
      return Map<Bfind<U64, kShift>, 1, U32, U64>();
    case Type::kS32:
      return Map<Bfind<S32, kShift>, 1, U32, S32>();
    case Type::kS64:
      return Map<Bfind<S64, kShift>, 1, U32, S64>();
    default:
      return nullptr;
  }
}

bool TakeWrap(Decoder& d) {
  const int mode = d.TakeOneOf({"clamp", "wrap"});
  if (mode < 0) d.Refuse("needs .clamp or .wrap");
  return mode == 1;
}

}  // namespace

Op LowerPopc(Decoder& d) { return Counting<Popc>(d); }
Op LowerClz(Decoder& d) { return Counting<Clz>(d); }

Op LowerBfind(Decoder& d) {
  Handler handler = d.Take("shiftamt") ? BfindHandler<true>(d.type()) : BfindHandler<false>(d.type());
  if (handler == nullptr) d.RefuseType();
  return d.Make(handler, Type::kU32, {d.type()});
}

Op LowerFns(Decoder& d) {
  if (d.type() != Type::kB32) d.RefuseType();
  return d.Make(Map<Fns, 1, U32, U32, U32, S32>(), Type::kB32, {Type::kB32, Type::kB32, Type::kS32});
}

Op LowerBrev(Decoder& d) {
  const Type t = d.type();
  if (t == Type::kB32) return d.Make(Map<Brev<U32>, 1, U32, U32>(), t, {t});
  if (t == Type::kB64) return d.Make(Map<Brev<U64>, 1, U64, U64>(), t, {t});
  d.RefuseType();
}

Op LowerBfe(Decoder& d) {
  Handler handler = nullptr;
  switch (d.type()) {
    case Type::kU32:
      handler = Map<Bfe<U32>, 1, U32, U32, U32, U32>();
      break;
    case Type::kU64:
      handler = Map<Bfe<U64>, 1, U64, U64, U32, U32>();
      break;
    case Type::kS32:
      handler = Map<Bfe<S32>, 1, S32, S32, U32, U32>();
      break;
    case Type::kS64:
      handler = Map<Bfe<S64>, 1, S64, S64, U32, U32>();
      break;
    default:
      d.RefuseType();
  }
  return d.Make(handler, d.type(), {d.type(), Type::kU32, Type::kU32});
}

Op LowerBfi(Decoder& d) {
  const Type t = d.type();
  if (t != Type::kB32 && t != Type::kB64) d.RefuseType();
  Handler handler = t == Type::kB32 ? Map<Bfi<U32>, 1, U32, U32, U32, U32, U32>()
                                    : Map<Bfi<U64>, 1, U64, U64, U64, U32, U32>();
  return d.Make(handler, t, {t, t, Type::kU32, Type::kU32});
}

Op LowerBmsk(Decoder& d) {
  const Type t = d.type();
  if (t != Type::kB32) d.RefuseType();
  return d.Make(TakeWrap(d) ? Map<Bmsk<true>, 1, U32, U32, U32>() : Map<Bmsk<false>, 1, U32, U32, U32>(), t,
                {t, t});
}

Op LowerSzext(Decoder& d) {
  const Type t = d.type();
  const bool wrap = TakeWrap(d);
  Handler handler = nullptr;
  if (t == Type::kU32) {
    handler = wrap ? Map<Szext<false, true>, 1, U32, U32, U32>() : Map<Szext<false, false>, 1, U32, U32, U32>();
  } else if (t == Type::kS32) {
    handler = wrap ? Map<Szext<true, true>, 1, U32, U32, U32>() : Map<Szext<true, false>, 1, U32, U32, U32>();
  } else {
    d.RefuseType();
  }
  return d.Make(handler, t, {t, Type::kU32});
}

Op LowerPrmt(Decoder& d) {
  const Type t = d.type();
  if (t != Type::kB32) d.RefuseType();
  const int mode = d.TakeOneOf({"f4e", "b4e", "rc8", "ecl", "ecr", "rc16"});
  Op op = d.Make(mode < 0 ? HotMap<Prmt, 1, U32, U32, U32, U32>() : Map<PrmtMode, 1, U32, U32, U32, U32>(), t,
                 {t, t, t});
  op.imm = std::max(mode, 0);
  return op;
}

}  // namespace emu::alu
