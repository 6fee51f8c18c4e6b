// PTX with the numbers in its names as differences, which packs to five ninths: kernels of one template differ in the numbers of all
// their registers and labels, and hardly in how far these lie from the last ones. bf16_kk and, with it, fp16_kk, 30.4 MB each: 1.48 MB
// for 2.67 (2026-11-27).
#pragma once

#include <string>
#include <string_view>

namespace gemm::driver {

// A numbered name is `%` and up to eight small letters, or `$L__BB`, a number and `_`, and then a number of up to nine digits without
// leading zeros. Its number becomes `~` and the difference from that of the last such name before it, with `-` where that is
// negative. "Such" are registers of the same letters, and labels. All else stays. May throw std::bad_alloc.
std::string WithRelativeNumbers(std::string_view ptx);

// Undoes it. False where the `~` of a numbered name has no difference behind it, or a number would be negative. May throw std::bad_alloc.
bool WithAbsoluteNumbers(std::string_view text, std::string* ptx);

}  // namespace gemm::driver
