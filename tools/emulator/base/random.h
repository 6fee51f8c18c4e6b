// The emulator's only source of chance: the same seed gives the same run.
#pragma once

#include <cstdint>

namespace emu {

// splitmix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number generators", 2014).
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t Next() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  // 0 <= result < limit; limit > 0. Its bias for a limit far below 2^32 does not matter here.
  std::uint32_t Below(std::uint32_t limit) {
    return static_cast<std::uint32_t>((Next() >> 32) * limit >> 32);
  }
  bool Chance(double probability) { return static_cast<double>(Next() >> 11) < probability * 9007199254740992.0; }

 private:
  std::uint64_t state_;
};

}  // namespace emu
