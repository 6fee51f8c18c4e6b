#include "tools/emulator/tensor/fragment.h"

#include "tools/emulator/tensor/product.h"

namespace emu {

int ArrayIndex(Role role, const Shape& shape, Element type, Position position) {
  if (role == Role::kA) return position.row * shape.k + position.column;
  if (type == Element::kB1) return position.column * shape.k + position.row;
  const int rows = role == Role::kB ? shape.k : shape.m;
  return position.column / 8 * rows * 8 + position.row * 8 + position.column % 8;
}

void MatrixFragment::Load(const Warp& warp, double* array) const {
  const int count = kWarpSize * packed();
  alignas(64) double values[kWarpSize * 8];
  const std::uint16_t* place = index.data();
  for (const std::uint32_t offset : registers) {
    ToDoubles(type, warp.Lanes<char>(offset), count, values);
    for (int i = 0; i < count; ++i) array[place[i]] = values[i];
    place += count;
  }
}

void MatrixFragment::Store(Warp& warp, const double* array, bool saturate) const {
  const std::uint16_t* place = index.data();
  for (const std::uint32_t offset : registers) {
    switch (type) {
      case Element::kF64: {
        auto* out = warp.Lanes<double>(offset);
        for (int i = 0; i < kWarpSize; ++i) out[i] = array[place[i]];
        break;
      }
      case Element::kF16: {
        auto* out = warp.Lanes<std::uint16_t>(offset);
        for (int i = 0; i < kWarpSize * 2; ++i) out[i] = ToF16(array[place[i]]);
        break;
      }
      case Element::kS32: {
        auto* out = warp.Lanes<std::int32_t>(offset);
        for (int i = 0; i < kWarpSize; ++i) out[i] = ToS32(array[place[i]], saturate);
        break;
      }
      default: {
        auto* out = warp.Lanes<std::uint32_t>(offset);
        for (int i = 0; i < kWarpSize; ++i) out[i] = ToF32(array[place[i]]);
        break;
      }
    }
    place += kWarpSize * packed();
  }
}

void MatrixFragment::LoadWords(const Warp& warp, std::uint32_t* array) const {
  const std::uint16_t* place = index.data();
  for (const std::uint32_t offset : registers) {
    const auto* words = warp.Lanes<std::uint32_t>(offset);
    for (int lane = 0; lane < kWarpSize; ++lane) array[place[lane * 32] / 32] = words[lane];
    place += kWarpSize * 32;
  }
}

void MatrixFragment::LoadIntegers(const Warp& warp, std::int32_t* array) const {
  const std::uint16_t* place = index.data();
  for (const std::uint32_t offset : registers) {
    const auto* in = warp.Lanes<std::int32_t>(offset);
    for (int lane = 0; lane < kWarpSize; ++lane) array[place[lane]] = in[lane];
    place += kWarpSize;
  }
}

void MatrixFragment::StoreIntegers(Warp& warp, const std::int32_t* array) const {
  const std::uint16_t* place = index.data();
  for (const std::uint32_t offset : registers) {
    auto* out = warp.Lanes<std::int32_t>(offset);
    for (int lane = 0; lane < kWarpSize; ++lane) out[lane] = array[place[lane]];
    place += kWarpSize;
  }
}

}  // namespace emu
