// Tensor maps: 128 opaque bytes that the host makes and a copy instruction reads. The format is the emulator's own.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace emu {

// The numbers of these are those of the driver API (CUtensorMapDataType and so on).
enum class TensorType : std::uint8_t {
  kU8,
  kU16,
  kU32,
  kS32,
  kU64,
  kS64,
  kF16,
  kF32,
  kF64,
  kBF16,
  kF32Ftz,
  kTF32,
  kTF32Ftz,
  kU4Align8,
  kU4Align16,
  kU6Align16,
};
enum class TensorInterleave : std::uint8_t { kNone, k16B, k32B };
enum class TensorSwizzle : std::uint8_t {
  kNone,
  k32B,
  k64B,
  k128B,
  k128BAtom32B,
  k128BAtom32BFlip8B,
  k128BAtom64B
};

constexpr std::size_t kTensorMapBytes = 128;
constexpr std::size_t kTensorMapAlign = 64;
constexpr int kMaxTensorRank = 5;

// Dimension 0 is the innermost; what lies behind `rank` means nothing.
struct TensorMap {
  TensorType type = TensorType::kU8;
  std::uint32_t rank = 1;
  std::uint64_t address = 0;
  std::array<std::uint64_t, kMaxTensorRank> dims{};         // elements
  std::array<std::uint64_t, kMaxTensorRank - 1> strides{};  // bytes; strides[i] is of dimension i + 1
  std::array<std::uint32_t, kMaxTensorRank> box{};          // elements of the tensor that a copy spans
  std::array<std::uint32_t, kMaxTensorRank> element_strides{};
  TensorInterleave interleave = TensorInterleave::kNone;
  TensorSwizzle swizzle = TensorSwizzle::kNone;
  std::uint8_t l2_promotion = 0;
  bool fill_nan = false;

  // Bytes of an element in global memory; 0 for the packed types of 4 and 6 bits.
  std::uint32_t ElementBytes() const;
  bool IsFloat() const;
  // Elements that a copy moves along a dimension: a stride skips the others. Dimension 0 has none (no interleave).
  std::uint32_t Count(std::uint32_t dimension) const;
  // Bytes within which the swizzle permutes; 0 without one.
  std::uint32_t SwizzleSpan() const;
  // Bytes that a copy of the whole box moves, and that an mbarrier counts, whatever is out of bounds.
  std::uint64_t BoxBytes() const;
  // Empty when the map keeps what cuTensorMapEncodeTiled's documentation asks for, else what it breaks.
  std::string Problem() const;
};

// The arguments of cuTensorMapEncodeTiled as they come.
struct TiledRequest {
  void* map = nullptr;
  std::uint32_t type = 0;
  std::uint32_t rank = 0;
  std::uint64_t address = 0;
  const std::uint64_t* dims = nullptr;
  const std::uint64_t* strides = nullptr;
  const std::uint32_t* box = nullptr;
  const std::uint32_t* element_strides = nullptr;
  std::uint32_t interleave = 0;
  std::uint32_t swizzle = 0;
  std::uint32_t l2_promotion = 0;
  std::uint32_t fill = 0;
  int compute_major = 9;  // of the device: what is new with 10 is refused on older ones
};

// Checks every constraint of the driver's documentation. Empty and the map written, or a sentence that names the argument,
// what was got and what is allowed, and nothing written.
std::string EncodeTiled(const TiledRequest& request);

// A map as bytes and back. Decode is false for bytes that Encode did not write.
void Encode(const TensorMap& map, std::byte* bytes);
bool Decode(const std::byte* bytes, TensorMap* map);

}  // namespace emu
