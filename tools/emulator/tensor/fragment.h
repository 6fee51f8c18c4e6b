// The registers of a warp that hold a matrix.
#pragma once

#include <cstdint>
#include <vector>

#include "tools/emulator/exec/warp.h"
#include "tools/emulator/tensor/layouts.h"

namespace emu {

// In arrays, A is in rows of k; B and C are cut into panels of 8 columns, each in rows of 8 (what AddProduct works on). B of
// single bits is in columns of k (AddProductBits).
int ArrayIndex(Role role, const Shape& shape, Element type, Position position);

struct MatrixFragment {
  Element type = Element::kF32;
  std::vector<std::uint32_t> registers;  // offsets
  // For every register, lane and element in the register, in this order: its index in the array.
  std::vector<std::uint16_t> index;

  int packed() const { return BitsOf(type) >= 32 ? 1 : 32 / BitsOf(type); }

  // All elements of the matrix.
  void Load(const Warp& warp, double* array) const;
  // Rounded to f32 and f16, wrapped or clamped to s32.
  void Store(Warp& warp, const double* array, bool saturate) const;
  // Single bits: words of 32 along k, at index / 32.
  void LoadWords(const Warp& warp, std::uint32_t* array) const;
  // s32 accumulators as they are.
  void LoadIntegers(const Warp& warp, std::int32_t* array) const;
  void StoreIntegers(Warp& warp, const std::int32_t* array) const;
};

// `at(lane, i)` is the position of element i of a lane.
template <class At>
MatrixFragment MakeFragment(Role role, const Shape& shape, Element type, std::vector<std::uint32_t> registers,
                            At at) {
  MatrixFragment fragment;
  fragment.type = type;
  fragment.registers = std::move(registers);
  const int packed = fragment.packed();
  for (int reg = 0; reg < static_cast<int>(fragment.registers.size()); ++reg) {
    for (int lane = 0; lane < kWarpSize; ++lane) {
      for (int e = 0; e < packed; ++e) {
        fragment.index.push_back(
            static_cast<std::uint16_t>(ArrayIndex(role, shape, type, at(lane, reg * packed + e))));
      }
    }
  }
  return fragment;
}

}  // namespace emu
