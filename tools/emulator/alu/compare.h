// Comparisons as masks with a bit per lane.
#pragma once

#include "tools/emulator/alu/half_math.h"

namespace emu::alu {

// What every comparison is made of, by exchanging the operands and by complementing the result: gtu is not le. kNe and kNum
// are false for NaN; integers need the first three only.
enum class Test : std::uint8_t { kEq, kLt, kLe, kNe, kNum };

template <Test kTest, class T>
EMU_INLINE bool Holds(T a, T b) {
  switch (kTest) {
    case Test::kEq:
      return a == b;
    case Test::kLt:
      return a < b;
    case Test::kLe:
      return a <= b;
    case Test::kNe:
      return (a < b) | (a > b);
    case Test::kNum:
      return (a == a) & (b == b);
  }
}

// How the operands of a type are read.
template <class T>
struct Plain {
  using Stored = T;
  EMU_INLINE static T Value(T x) { return x; }
};
struct FlushedSingle {
  using Stored = float;
  EMU_INLINE static float Value(float x) { return FlushSubnormal(x); }
};
template <class F, bool kFlush>
struct HalfPrecision {
  using Stored = std::uint16_t;
  EMU_INLINE static float Value(std::uint16_t x) { return ToSingle<F>(kFlush ? FlushBits<F>(x) : x); }
};

// at[1], at[2]: a, b. Lanes that are not active give 0.
template <class L, Test kTest, int kPer>
struct Comparison {
  static constexpr int kResults = kPer;
  using Stored = typename L::Stored;

  EMU_INLINE static void Masks(const Warp& warp, const Op& op, LaneMask (&masks)[kPer]) {
    const Stored* a = warp.Lanes<Stored>(op.at[1]);
    const Stored* b = warp.Lanes<Stored>(op.at[2]);
    for (int part = 0; part < kPer; ++part) {
      LaneMask mask = 0;
      if (warp.active() == kAllLanes) {
        for (std::uint32_t i = 0; i < kWarpSize; ++i) {
          const std::uint32_t at = i * kPer + static_cast<std::uint32_t>(part);
          mask |= Holds<kTest>(L::Value(a[at]), L::Value(b[at])) ? kLaneBits.bit[i] : 0;
        }
      } else {
        for (std::uint32_t lane : Each(warp.active())) {
          const std::uint32_t at = lane * kPer + static_cast<std::uint32_t>(part);
          mask |= LaneMask{Holds<kTest>(L::Value(a[at]), L::Value(b[at]))} << lane;
        }
      }
      masks[part] = mask;
    }
  }
};

}  // namespace emu::alu
