// The scalar types of cvt by their names, and values of each that are likely to go wrong.
#pragma once

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "tests/emulator/alu/evaluate.h"
#include "tests/emulator/alu/formats.h"

namespace emu::testing {

inline const std::vector<std::string> kIntegers = {"u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64"};
inline const std::vector<std::string> kFloats = {"f16", "bf16", "f32", "f64"};

inline int BitsOf(const std::string& type) { return std::stoi(type.substr(type.find_first_of("0123456789"))); }
inline bool IsFloat(const std::string& type) { return type.find('f') != std::string::npos; }
inline bool IsSigned(const std::string& type) { return type[0] == 's'; }
// Of the register: there is none of 8 bits here, and TF32 has that of a single.
inline std::uint32_t BytesOf(const std::string& type) {
  return type == "tf32" ? 4 : static_cast<std::uint32_t>(std::max(2, BitsOf(type) / 8));
}
inline const SmallFormat* SmallOf(const std::string& type) {
  if (type == "f16") return &F16();
  if (type == "bf16") return &BF16();
  return type == "tf32" ? &TF32() : nullptr;
}

inline std::uint64_t EncodeNearest(const std::string& type, double x) {
  if (const SmallFormat* small = SmallOf(type)) return small->Encode(x, Mode::kRn);
  return type == "f32" ? Bits(static_cast<float>(x)) : Bits(x);
}

template <class T>
std::vector<std::uint64_t> IntegerBits() {
  std::vector<std::uint64_t> bits;
  for (const T value : Integers<T>(150)) bits.push_back(Bits(value));
  return bits;
}

// Where rounding to a float or to an integer of some size has its corners.
inline std::vector<double> Corners() {
  std::vector<double> corners;
  for (const SmallFormat* format : {&F16(), &BF16(), &TF32()}) {
    const auto ties = format->Ties(format->max() / 50);
    corners.insert(corners.end(), ties.begin(), ties.end());
  }
  for (const int power : {0, 1, 2, 7, 8, 15, 16, 31, 32, 63, 64}) {
    for (const double offset : {-1.5, -1.0, -0.75, -0.5, -0.25, 0.0, 0.25, 0.5, 1.0}) {
      const double x = std::ldexp(1.0, power) + offset;
      corners.push_back(x), corners.push_back(-x);
    }
    corners.push_back(std::nextafter(std::ldexp(1.0, power), 0.0));
  }
  for (const double tie : {0x1.000001p0, 0x1.000003p0, 0x1.0000010000001p0, 0x1.fffffefffffffp127,
                           0x1.ffffffp127, 0x1p-149, 0x1p-150, 0x1.8p-150, 0x1.fffffep-127}) {
    corners.push_back(tie), corners.push_back(-tie);
  }
  return corners;
}

inline const std::vector<std::uint64_t>& Inputs(const std::string& type) {
  static std::map<std::string, std::vector<std::uint64_t>> known;
  std::vector<std::uint64_t>& inputs = known[type];
  if (!inputs.empty()) return inputs;
  if (!IsFloat(type)) {
    // What lies above the 8 bits of a register does not count.
    const bool wide = BitsOf(type) == 64;
    inputs = wide                 ? IntegerBits<std::uint64_t>()
             : BitsOf(type) == 32 ? IntegerBits<std::uint32_t>()
                                  : IntegerBits<std::uint16_t>();
    return inputs;
  }
  if (type == "f16") inputs = Floats(5, 10, 300);
  if (type == "bf16") inputs = Floats(8, 7, 300);
  if (type == "f32") inputs = Floats(8, 23, 300);
  if (type == "f64") inputs = Floats(11, 52, 300);
  for (const double corner : Corners()) inputs.push_back(EncodeNearest(type, corner));
  return inputs;
}

}  // namespace emu::testing
