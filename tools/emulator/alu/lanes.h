// Handlers as loops over a warp's lanes, and the two ways they are compiled.
//
// A functor has `D operator()(A, ...) const` and is made from the Op when it has such a constructor, from nothing else
// when not. Map<F, kPer, D, S...> applies it to every active lane's kPer elements: 1, or 2 for packed types, whose
// 32-bit (64-bit) registers are then seen as D[64]. Op::at[0] is the destination, at[1] ... the sources.
//
// A register that is written may be one that is read, with the same offset; it never overlaps one otherwise.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "tools/emulator/exec/op.h"
#include "tools/emulator/exec/warp.h"

#define EMU_INLINE [[gnu::always_inline]] inline

namespace emu::alu {

struct LaneBits {
  alignas(64) std::uint32_t bit[kWarpSize];
  constexpr LaneBits() : bit{} {
    for (int i = 0; i < kWarpSize; ++i) bit[i] = 1u << i;
  }
};
inline constexpr LaneBits kLaneBits;

template <class F>
EMU_INLINE F MakeFunctor(const Op& op) {
  if constexpr (std::is_constructible_v<F, const Op&>) {
    return F(op);
  } else {
    return F{};
  }
}

template <int kPer, class Body>
EMU_INLINE void ForElements(LaneMask active, Body body) {
  if (active == kAllLanes) {
#pragma GCC ivdep
    for (std::uint32_t i = 0; i < kWarpSize * kPer; ++i) body(i);
  } else {
    for (std::uint32_t lane : Each(active)) {
      for (std::uint32_t part = 0; part < kPer; ++part) body(lane * kPer + part);
    }
  }
}

template <class F, int kPer, class D, class A>
EMU_INLINE void Loop(Warp& warp, const Op& op) {
  const F f = MakeFunctor<F>(op);
  D* d = warp.Lanes<D>(op.at[0]);
  const A* a = warp.Lanes<A>(op.at[1]);
  ForElements<kPer>(
      warp.active(), [=](std::uint32_t i) __attribute__((always_inline)) { d[i] = static_cast<D>(f(a[i])); });
}

template <class F, int kPer, class D, class A, class B>
EMU_INLINE void Loop(Warp& warp, const Op& op) {
  const F f = MakeFunctor<F>(op);
  D* d = warp.Lanes<D>(op.at[0]);
  const A* a = warp.Lanes<A>(op.at[1]);
  const B* b = warp.Lanes<B>(op.at[2]);
  ForElements<kPer>(
      warp.active(), [=](std::uint32_t i)
                         __attribute__((always_inline)) { d[i] = static_cast<D>(f(a[i], b[i])); });
}

template <class F, int kPer, class D, class A, class B, class C>
EMU_INLINE void Loop(Warp& warp, const Op& op) {
  const F f = MakeFunctor<F>(op);
  D* d = warp.Lanes<D>(op.at[0]);
  const A* a = warp.Lanes<A>(op.at[1]);
  const B* b = warp.Lanes<B>(op.at[2]);
  const C* c = warp.Lanes<C>(op.at[3]);
  ForElements<kPer>(
      warp.active(), [=](std::uint32_t i)
                         __attribute__((always_inline)) { d[i] = static_cast<D>(f(a[i], b[i], c[i])); });
}

template <class F, int kPer, class D, class A, class B, class C, class E>
EMU_INLINE void Loop(Warp& warp, const Op& op) {
  const F f = MakeFunctor<F>(op);
  D* d = warp.Lanes<D>(op.at[0]);
  const A* a = warp.Lanes<A>(op.at[1]);
  const B* b = warp.Lanes<B>(op.at[2]);
  const C* c = warp.Lanes<C>(op.at[3]);
  const E* e = warp.Lanes<E>(op.at[4]);
  ForElements<kPer>(
      warp.active(), [=](std::uint32_t i)
                         __attribute__((always_inline)) { d[i] = static_cast<D>(f(a[i], b[i], c[i], e[i])); });
}

// Compiled for any x86-64.
template <class F, int kPer, class... T>
Flow RunPlain(Warp& warp, const Op& op) {
  Loop<F, kPer, T...>(warp, op);
  return Flow::kNext;
}

#define EMU_FAST_TARGET "avx2,fma,f16c,bmi,bmi2,lzcnt,popcnt"

// Compiled for processors since 2013. The results are the same: multiplications and additions are contracted only where
// the source says so (see copts.bzl).
template <class F, int kPer, class... T>
[[gnu::target(EMU_FAST_TARGET)]] Flow RunFast(Warp& warp, const Op& op) {
  Loop<F, kPer, T...>(warp, op);
  return Flow::kNext;
}

// Whether this processor runs EMU_FAST_TARGET, and nobody has forbidden it.
bool HasFast();
// For tests: what is lowered from now on uses the handlers of any x86-64.
void ForbidFast(bool forbid);

// The handler for ordinary instructions, compiled once.
template <class F, int kPer, class... T>
Handler Map() {
  return RunPlain<F, kPer, T...>;
}
// The handler for frequent ones, compiled twice.
template <class F, int kPer, class... T>
Handler HotMap() {
  return HasFast() ? RunFast<F, kPer, T...> : RunPlain<F, kPer, T...>;
}

// The same for whatever is no map: K::Run(warp, op), which must be EMU_INLINE.
template <class K>
Flow RunKernel(Warp& warp, const Op& op) {
  K::Run(warp, op);
  return Flow::kNext;
}
template <class K>
[[gnu::target(EMU_FAST_TARGET)]] Flow RunKernelFast(Warp& warp, const Op& op) {
  K::Run(warp, op);
  return Flow::kNext;
}
template <class K>
Handler HotKernel() {
  return HasFast() ? RunKernelFast<K> : RunKernel<K>;
}

// Bits of a predicate that come from the active lanes only.
EMU_INLINE void WriteMask(Warp& warp, std::uint32_t at, LaneMask value) {
  LaneMask& mask = warp.Mask(at);
  mask = (mask & ~warp.active()) | (value & warp.active());
}

}  // namespace emu::alu
