// The numbers of the data types, on the host and in portable C++: conversions, unit roundoffs, ranges. Shared
// by the tests and by tools/gemm; written apart from the library's own device code, so that errors cannot
// cancel.
#pragma once

#include <cstdint>

#include "gemm/types.h"

namespace gemm::tests {

// IEEE 754 binary16 and bfloat16 from binary32, rounded to nearest, ties to even; overflow gives infinity, a
// NaN stays a (quiet) NaN. Subnormals are kept. The way back is exact.
std::uint16_t FloatToHalf(float value);
float HalfToFloat(std::uint16_t bits);
std::uint16_t FloatToBFloat16(float value);
float BFloat16ToFloat(std::uint16_t bits);

// Half the distance from 1 to the next larger number: 2^-24, 2^-11, 2^-8. FP32, FP16 and BF16 only, as all
// below.
double UnitRoundoff(DataType type);
double MaxFinite(DataType type);
// The spacing of the numbers around zero: 2^-149, 2^-24, 2^-133.
double SmallestSubnormal(DataType type);

// Element `index` of an array of `type`. Store rounds to nearest even.
float Load(DataType type, const void* data, std::int64_t index);
void Store(DataType type, void* data, std::int64_t index, float value);
// The element's bits in the low end of the result.
std::uint32_t LoadBits(DataType type, const void* data, std::int64_t index);

// `value` rounded to `type` by way of binary32 (a double that is not a binary32 is rounded twice).
float RoundTo(DataType type, double value);

// A NaN of `type` that no arithmetic unit produces: what tests fill outputs and padding with.
std::uint32_t PoisonBits(DataType type);

}  // namespace gemm::tests
