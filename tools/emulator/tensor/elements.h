// The element types of matrices, and what their bits mean.
#pragma once

#include <cstddef>
#include <cstdint>

namespace emu {

enum class Element : std::uint8_t {
  kF16,
  kBF16,
  kTF32,
  kF32,
  kF64,
  kE4M3,
  kE5M2,
  kS8,
  kU8,
  kS4,
  kU4,
  kB1,
  kS32
};

// Bits of an element in memory and in registers; tf32 takes 32.
constexpr int BitsOf(Element type) {
  switch (type) {
    case Element::kF64:
      return 64;
    case Element::kF32:
    case Element::kTF32:
    case Element::kS32:
      return 32;
    case Element::kF16:
    case Element::kBF16:
      return 16;
    case Element::kS4:
    case Element::kU4:
      return 4;
    case Element::kB1:
      return 1;
    default:
      return 8;
  }
}
constexpr bool IsInteger(Element type) {
  return type == Element::kS8 || type == Element::kU8 || type == Element::kS4 || type == Element::kU4 ||
         type == Element::kB1 || type == Element::kS32;
}

// "f16" -> kF16. False when it is the name of no element type.
bool ParseElement(const char* name, Element* type);
const char* ToString(Element type);

// Values of `count` elements that lie packed, low bits first, from `from` on. All types but f64 and f32 are exact in a
// float. tf32 reads the upper 19 bits and leaves the others out, as the tensor cores do (PTX ISA, "Alternate floating-point
// data formats": the lower 13 bits are ignored); a NaN stays one.
// For types of 8 bits or more `from` may have any alignment; of 4 bits and 1 bit, `count` is a multiple of 8.
void ToDoubles(Element type, const void* from, int count, double* to);

// Rounded to nearest even; NaN becomes 0x7fff and 0x7fffffff, the NaN of the tensor cores.
std::uint16_t ToF16(double value);
std::uint32_t ToF32(double value);

}  // namespace emu
