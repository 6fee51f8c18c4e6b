// Products of small matrices, the arithmetic of every tensor instruction.
//
// Floating-point types: the elements' products are exact in double (at most 24 + 24 bits), they are added in double in the
// order of k, the accumulator first, and the sum is rounded once, at the end of the instruction, to nearest even. The
// hardware's order, its alignment of addends and its truncation are its own, and the ISA leaves them open ("accumulation
// order, rounding and handling of subnormal inputs is unspecified"). Against the chip the tolerance per instruction is
// therefore |error| <= (k + 1) * 2^-23 * (|c| + sum |a||b|) for f32 accumulators (fp8 in wgmma, whose sums the chip keeps
// to 13 fraction bits: 2^-13 instead of 2^-23), + 2^-10 |d| for f16. Subnormals are kept, NaN and infinity propagate, NaN
// results are 0x7fffffff and 0x7fff. Integer sums are exact in double and then wrapped or clamped.
// Since products are exact, code with fused multiply-add and code without have the same results.
#pragma once

#include <cstdint>

#include "tools/emulator/tensor/layouts.h"

namespace emu {

// c[m][8] += a[m][k] * b[k][8], rows one after the other. m: a multiple of 4.
void AddProduct(const double* a, const double* b, double* c, int m, int k);

// The same for f64 elements: a chain of fused multiply-adds in the order of k, each rounded. `rounding`: FE_TONEAREST, ...
void AddProductF64(const double* a, const double* b, double* c, int m, int n, int k, int rounding);

// The same for single bits, 32 to a word along k: c[m][n] += popc(a & b) or popc(a ^ b). a[m][words], b[n][words].
void AddProductBits(const std::uint32_t* a, const std::uint32_t* b, std::int32_t* c, int m, int n, int words,
                    bool exclusive);

// An integer sum as the accumulator keeps it: modulo 2^32, or clamped (.satfinite).
std::int32_t ToS32(double exact, bool saturate);

}  // namespace emu
