#include "tools/emulator/alu/convert_hot.h"

#include <immintrin.h>

#include "tools/emulator/alu/decode.h"
#include "tools/emulator/alu/half_math.h"

namespace emu::alu {
namespace {

using ptx::Type;

// Integers that neither saturate nor round: cut to the source's bits and extended, cut to the destination's and extended.
// Op::imm: bits and sign of the source, bits and sign of the destination.
template <class Compute>
class CastInteger {
 public:
  explicit CastInteger(const Op& op) {
    Split(op.imm & 0xff, (op.imm & 0x100) != 0, &from_mask_, &from_sign_);
    Split(op.imm >> 16 & 0xff, (op.imm & 0x100'0000) != 0, &to_mask_, &to_sign_);
  }
  template <class T>
  EMU_INLINE Compute operator()(T x) const {
    const Compute extended = ((static_cast<Compute>(x) & from_mask_) ^ from_sign_) - from_sign_;
    return ((extended & to_mask_) ^ to_sign_) - to_sign_;
  }

 private:
  static void Split(std::int64_t bits, bool is_signed, Compute* mask, Compute* sign) {
    *mask = static_cast<Compute>(bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1);
    *sign = is_signed && bits <= static_cast<int>(8 * sizeof(Compute)) ? Compute{1} << (bits - 1) : 0;
  }
  Compute from_mask_, from_sign_, to_mask_, to_sign_;
};

template <class D, class S>
Handler CastHandler() {
  using Compute = std::conditional_t<sizeof(D) == 8 || sizeof(S) == 8, std::uint64_t, std::uint32_t>;
  return HotMap<CastInteger<Compute>, 1, D, S>();
}

template <class S>
Handler CastFrom(std::uint32_t to_bytes) {
  if (to_bytes == 2) return CastHandler<std::uint16_t, S>();
  return to_bytes == 4 ? CastHandler<std::uint32_t, S>() : CastHandler<std::uint64_t, S>();
}

Handler IntegerCast(const Conversion& c, std::uint32_t to_bytes, std::uint32_t from_bytes, std::int64_t* imm) {
  *imm = c.from.bits | (c.from.is_signed ? 0x100 : 0) | c.to.bits << 16 | (c.to.is_signed ? 0x100'0000 : 0);
  if (from_bytes == 2) return CastFrom<std::uint16_t>(to_bytes);
  return from_bytes == 4 ? CastFrom<std::uint32_t>(to_bytes) : CastFrom<std::uint64_t>(to_bytes);
}

// Integers of 32 and 64 bits to floating point, to nearest: what the host does.
struct FromInteger {
  template <class To, class From>
  struct Of {
    EMU_INLINE To operator()(From x) const { return static_cast<To>(x); }
  };
};

template <class To>
Handler FromIntegerTo(Type from) {
  switch (from) {
    case Type::kS32:
      return HotMap<FromInteger::Of<To, std::int32_t>, 1, To, std::int32_t>();
    case Type::kU32:
      return HotMap<FromInteger::Of<To, std::uint32_t>, 1, To, std::uint32_t>();
    case Type::kS64:
      return Map<FromInteger::Of<To, std::int64_t>, 1, To, std::int64_t>();
    case Type::kU64:
      return Map<FromInteger::Of<To, std::uint64_t>, 1, To, std::uint64_t>();
    default:
      return nullptr;
  }
}

template <Rounding kRounding>
EMU_INLINE float ToIntegral(float x) {
  switch (kRounding) {
    case Rounding::kZero:
      return __builtin_truncf(x);
    case Rounding::kDown:
      return __builtin_floorf(x);
    case Rounding::kUp:
      return __builtin_ceilf(x);
    default:
      return __builtin_rintf(x);
  }
}

// Singles to 32-bit integers, clamped; 0 for NaN.
template <Rounding kRounding, bool kFlush>
struct ToSigned {
  EMU_INLINE std::int32_t operator()(float x) const {
    const float whole = ToIntegral<kRounding>(FlushIf<kFlush>(x));
    const bool inside = whole >= -0x1p31f && whole < 0x1p31f;
    const std::int32_t value = static_cast<std::int32_t>(inside ? whole : 0.0f);
    return inside ? value : whole > 0 ? 0x7fff'ffff : whole < 0 ? -0x7fff'ffff - 1 : 0;
  }
};
template <Rounding kRounding, bool kFlush>
struct ToUnsigned {
  EMU_INLINE std::uint32_t operator()(float x) const {
    const float whole = ToIntegral<kRounding>(FlushIf<kFlush>(x));
    const bool inside = whole > -1.0f && whole < 0x1p32f;
    const auto value = static_cast<std::uint32_t>(static_cast<std::int64_t>(inside ? whole : 0.0f));
    return inside ? value : whole > 0 ? 0xffff'ffff : 0;
  }
};
template <Rounding kRounding, bool kFlush>
struct ToWhole {
  EMU_INLINE float operator()(float x) const { return Canonical(ToIntegral<kRounding>(FlushIf<kFlush>(x))); }
};

Handler RoundedToInteger(const Conversion& c, Type to) {
  return WithRounding(c.rounding, [&](auto rounding) -> Handler {
    return WithBool(c.flush, [&](auto flush) -> Handler {
      if (to == Type::kS32) return HotMap<ToSigned<rounding(), flush()>, 1, std::int32_t, float>();
      if (to == Type::kU32) return HotMap<ToUnsigned<rounding(), flush()>, 1, std::uint32_t, float>();
      if (to == Type::kF32) return HotMap<ToWhole<rounding(), flush()>, 1, float, float>();
      return nullptr;
    });
  });
}

template <class F>
struct HalfToSingle {
  EMU_INLINE float operator()(std::uint16_t x) const { return ToSingle<F>(x); }
};
template <class F>
struct SingleToHalf {
  EMU_INLINE std::uint16_t operator()(float x) const { return FromSingle<F>(x); }
};
// a in the upper half.
template <class F>
struct SinglesToHalves {
  EMU_INLINE std::uint32_t operator()(float a, float b) const {
    return static_cast<std::uint32_t>(FromSingle<F>(a)) << 16 | FromSingle<F>(b);
  }
};
// NaN as it is: convert.cc, KeepsNan.
struct BfloatToSingle {
  EMU_INLINE std::uint32_t operator()(std::uint16_t x) const { return std::uint32_t{x} << 16; }
};
// Ties away from zero: half a unit more, then cut. Infinity and NaN are cut only.
struct SingleToTensor {
  EMU_INLINE std::uint32_t operator()(float x) const {
    const auto bits = std::bit_cast<std::uint32_t>(x);
    const bool finite = __builtin_fabsf(x) < __builtin_inff();
    return (bits + (finite ? 0x1000 : 0)) & 0xffff'e000;
  }
};
struct SingleToDouble {
  EMU_INLINE double operator()(float x) const { return x; }
};
struct DoubleToSingle {
  EMU_INLINE float operator()(double x) const { return Canonical(static_cast<float>(x)); }
};

// With the processor's own instructions for half precision. They quiet NaN but keep its payload.
[[gnu::target(EMU_FAST_TARGET)]] inline __m256 Canonical8(__m256 x) {
  const __m256 number = _mm256_cmp_ps(x, x, _CMP_ORD_Q);
  return _mm256_blendv_ps(_mm256_castsi256_ps(_mm256_set1_epi32(0x7fff'ffff)), x, number);
}
[[gnu::target(EMU_FAST_TARGET)]] inline __m128i ToHalf8(const float* x) {
  return _mm256_cvtps_ph(Canonical8(_mm256_loadu_ps(x)), _MM_FROUND_TO_NEAREST_INT);
}

[[gnu::target(EMU_FAST_TARGET)]] Flow RunHalfToSingle(Warp& warp, const Op& op) {
  if (warp.active() != kAllLanes) return RunPlain<HalfToSingle<F16>, 1, float, std::uint16_t>(warp, op);
  float* d = warp.Lanes<float>(op.at[0]);
  const std::uint16_t* a = warp.Lanes<std::uint16_t>(op.at[1]);
  for (int i = 0; i < kWarpSize; i += 8) {
    _mm256_storeu_ps(d + i,
                     Canonical8(_mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(a + i)))));
  }
  return Flow::kNext;
}

[[gnu::target(EMU_FAST_TARGET)]] Flow RunSingleToHalf(Warp& warp, const Op& op) {
  if (warp.active() != kAllLanes) return RunPlain<SingleToHalf<F16>, 1, std::uint16_t, float>(warp, op);
  std::uint16_t* d = warp.Lanes<std::uint16_t>(op.at[0]);
  const float* a = warp.Lanes<float>(op.at[1]);
  for (int i = 0; i < kWarpSize; i += 8) _mm_storeu_si128(reinterpret_cast<__m128i*>(d + i), ToHalf8(a + i));
  return Flow::kNext;
}

[[gnu::target(EMU_FAST_TARGET)]] Flow RunSinglesToHalves(Warp& warp, const Op& op) {
  if (warp.active() != kAllLanes)
    return RunPlain<SinglesToHalves<F16>, 1, std::uint32_t, float, float>(warp, op);
  std::uint32_t* d = warp.Lanes<std::uint32_t>(op.at[0]);
  const float* a = warp.Lanes<float>(op.at[1]);
  const float* b = warp.Lanes<float>(op.at[2]);
  for (int i = 0; i < kWarpSize; i += 8) {
    const __m128i upper = ToHalf8(a + i), lower = ToHalf8(b + i);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(d + i), _mm_unpacklo_epi16(lower, upper));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(d + i + 4), _mm_unpackhi_epi16(lower, upper));
  }
  return Flow::kNext;
}

Handler FloatToFloat(const Conversion& c, Type to, Type from) {
  using U16 = std::uint16_t;
  if (c.flush || c.relu || c.finite) return nullptr;
  if (to == Type::kF32 && from == Type::kF16) {
    return HasFast() ? RunHalfToSingle : Map<HalfToSingle<F16>, 1, float, U16>();
  }
  if (to == Type::kF32 && from == Type::kBF16) return HotMap<BfloatToSingle, 1, std::uint32_t, U16>();
  if (to == Type::kF64 && from == Type::kF32) return HotMap<SingleToDouble, 1, double, float>();
  if (to == Type::kTF32 && c.rounding == Rounding::kAway)
    return HotMap<SingleToTensor, 1, std::uint32_t, float>();
  if (c.rounding != Rounding::kNearest) return nullptr;
  if (to == Type::kF16 && from == Type::kF32) {
    return HasFast() ? RunSingleToHalf : Map<SingleToHalf<F16>, 1, U16, float>();
  }
  if (to == Type::kBF16 && from == Type::kF32) return HotMap<SingleToHalf<BF16>, 1, U16, float>();
  if (to == Type::kF32 && from == Type::kF64) return HotMap<DoubleToSingle, 1, float, double>();
  return nullptr;
}

}  // namespace

Handler HotConversion(const Conversion& c, Type to, Type from, std::uint32_t to_bytes, std::uint32_t from_bytes,
                      std::int64_t* imm) {
  const bool to_float = c.to.format != nullptr, from_float = c.from.format != nullptr;
  if (c.saturate && !(from_float && !to_float)) return nullptr;
  if (!to_float && !from_float) return IntegerCast(c, to_bytes, from_bytes, imm);
  if (to_bytes != StorageBytes(to) || from_bytes != StorageBytes(from)) return nullptr;
  if (c.to_integer) return from == Type::kF32 ? RoundedToInteger(c, to) : nullptr;
  if (from_float) return FloatToFloat(c, to, from);
  if (c.rounding != Rounding::kNearest) return nullptr;
  if (to == Type::kF32) return FromIntegerTo<float>(from);
  return to == Type::kF64 ? FromIntegerTo<double>(from) : nullptr;
}

Handler HotPackedConversion(Type to) {
  using U32 = std::uint32_t;
  if (to == Type::kF16x2)
    return HasFast() ? RunSinglesToHalves : Map<SinglesToHalves<F16>, 1, U32, float, float>();
  return to == Type::kBF16x2 ? HotMap<SinglesToHalves<BF16>, 1, U32, float, float>() : nullptr;
}

}  // namespace emu::alu
