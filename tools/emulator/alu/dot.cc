// PTX ISA, "dp4a" and "dp2a": products of the bytes of a register, summed.
#include "tools/emulator/alu/groups.h"
#include "tools/emulator/alu/lanes.h"

namespace emu::alu {
namespace {

using ptx::Type;

template <class A, class B>
struct Dot4 {
  EMU_INLINE std::uint32_t operator()(std::uint32_t a, std::uint32_t b, std::uint32_t c) const {
    for (int i = 0; i < 4; ++i) {
      c += static_cast<std::uint32_t>(std::int32_t{static_cast<A>(a >> 8 * i)} *
                                      std::int32_t{static_cast<B>(b >> 8 * i)});
    }
    return c;
  }
};

// Two halves of a by two bytes of b, which start at kFirst.
template <class A, class B, int kFirst>
struct Dot2 {
  EMU_INLINE std::uint32_t operator()(std::uint32_t a, std::uint32_t b, std::uint32_t c) const {
    for (int i = 0; i < 2; ++i) {
      c += static_cast<std::uint32_t>(std::int32_t{static_cast<A>(a >> 16 * i)} *
                                      std::int32_t{static_cast<B>(b >> 8 * (kFirst + i))});
    }
    return c;
  }
};

template <class F>
Handler Ternary() {
  return Map<F, 1, std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>();
}

template <int kFirst>
Handler Dot2Handler(bool a, bool b) {
  if (a)
    return b ? Ternary<Dot2<std::int16_t, std::int8_t, kFirst>>()
             : Ternary<Dot2<std::int16_t, std::uint8_t, kFirst>>();
  return b ? Ternary<Dot2<std::uint16_t, std::int8_t, kFirst>>()
           : Ternary<Dot2<std::uint16_t, std::uint8_t, kFirst>>();
}

void TakeSigns(Decoder& d, bool* a, bool* b) {
  d.ExpectTypes(2);
  for (std::size_t i = 0; i < 2; ++i) {
    if (d.type(i) != Type::kU32 && d.type(i) != Type::kS32) d.RefuseType();
  }
  *a = d.type(0) == Type::kS32;
  *b = d.type(1) == Type::kS32;
}

}  // namespace

Op LowerDp4a(Decoder& d) {
  bool a, b;
  TakeSigns(d, &a, &b);
  Handler handler =
      a ? (b ? Ternary<Dot4<std::int8_t, std::int8_t>>() : Ternary<Dot4<std::int8_t, std::uint8_t>>())
        : (b ? Ternary<Dot4<std::uint8_t, std::int8_t>>() : Ternary<Dot4<std::uint8_t, std::uint8_t>>());
  return d.Make(handler, Type::kB32, {Type::kB32, Type::kB32, Type::kB32});
}

Op LowerDp2a(Decoder& d) {
  bool a, b;
  TakeSigns(d, &a, &b);
  const int half = d.TakeOneOf({"lo", "hi"});
  if (half < 0) d.Refuse("needs .lo or .hi");
  return d.Make(half == 0 ? Dot2Handler<0>(a, b) : Dot2Handler<2>(a, b), Type::kB32,
                {Type::kB32, Type::kB32, Type::kB32});
}

}  // namespace emu::alu
