#include "tools/emulator/tensor/descriptor.h"

namespace emu {

namespace {

std::uint32_t Field(std::uint64_t bits, int at) { return static_cast<std::uint32_t>(bits >> at & 0x3fff) << 4; }

// Swizzle<B, 4, 3> on the address: the granule's number in its line of 128 bytes is exclusive-ored with the line's number in
// the pattern, of which there are 2, 4 or 8. Lines are counted from the pattern's start, which the base offset tells.
std::uint32_t Swizzle(const MatrixDescriptor& matrix, std::uint32_t address) {
  if (matrix.swizzle == 0) return address;
  const std::uint32_t line = ((address >> 7) - matrix.base_offset) & (matrix.swizzle / kGranule - 1);
  return address ^ line << 4;
}

}  // namespace

MatrixDescriptor DecodeDescriptor(std::uint64_t bits) {
  constexpr std::uint32_t kLine[] = {0, 128, 64, 32};
  MatrixDescriptor matrix;
  matrix.start = Field(bits, 0);
  matrix.leading = Field(bits, 16);
  matrix.stride = Field(bits, 32);
  matrix.base_offset = static_cast<std::uint32_t>(bits >> 49 & 7);
  matrix.swizzle = kLine[bits >> 62];
  return matrix;
}

// ((8, m), (T, 2k)) : ((line, SBO), (1, T)), without swizzle ((8, m), (T, 2k)) : ((1T, SBO), (1, LBO)).
std::uint32_t KMajorGranule(const MatrixDescriptor& matrix, std::uint32_t mn, std::uint32_t along) {
  const std::uint32_t line = matrix.swizzle == 0 ? kGranule : matrix.swizzle;
  const std::uint32_t step = matrix.swizzle == 0 ? matrix.leading : kGranule;
  return Swizzle(matrix, matrix.start + mn % 8 * line + mn / 8 * matrix.stride + along * step);
}

// ((T, W, m), (8, k)) : ((1, T, LBO), (W T, SBO)) with W granules in a line; without swizzle ((T, 1, m), (8, k)) :
// ((1, T, SBO), (1T, LBO)).
std::uint32_t MnMajorGranule(const MatrixDescriptor& matrix, std::uint32_t along, std::uint32_t k) {
  if (matrix.swizzle == 0) {
    return matrix.start + along * matrix.stride + k % 8 * kGranule + k / 8 * matrix.leading;
  }
  const std::uint32_t width = matrix.swizzle / kGranule;
  return Swizzle(matrix, matrix.start + along % width * kGranule + along / width * matrix.leading +
                             k % 8 * matrix.swizzle + k / 8 * matrix.stride);
}

}  // namespace emu
