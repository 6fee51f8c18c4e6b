#include "tools/emulator/async/tensor_map.h"

#include <fmt/core.h>

#include <cstring>

namespace emu {
namespace {

constexpr std::uint64_t kMagic = 0x70616d20726f7374;  // "tsor map"
constexpr std::uint64_t kMaxDim = std::uint64_t{1} << 32;
constexpr std::uint64_t kStrideLimit = std::uint64_t{1} << 40;
constexpr std::uint32_t kMaxBox = 256;
constexpr std::uint32_t kMaxElementStride = 8;

struct Stored {
  std::uint64_t magic;
  // CUTLASS clears bit 21 of this word of the maps of small tensors, which mends what some of NVIDIA's drivers encode
  // (cute/atom/copy_traits_sm90_tma.hpp): it means nothing here.
  std::uint64_t clobbered;
  std::uint64_t checksum;
  std::uint64_t address;
  std::uint64_t strides[kMaxTensorRank - 1];
  std::uint32_t last[kMaxTensorRank];  // dims - 1: a dimension may have 2^32 elements
  std::uint16_t box[kMaxTensorRank];
  std::uint8_t element_strides[kMaxTensorRank];
  std::uint8_t type, rank, interleave, swizzle, l2_promotion, fill_nan;
  std::uint8_t unused[23];
};
static_assert(sizeof(Stored) == kTensorMapBytes);

// FNV-1a of what stands behind the checksum.
std::uint64_t Checksum(const Stored& stored) {
  constexpr std::size_t kFrom = offsetof(Stored, checksum) + sizeof(std::uint64_t);
  std::uint64_t hash = 0xcbf29ce484222325;
  const auto* bytes = reinterpret_cast<const unsigned char*>(&stored);
  for (std::size_t i = kFrom; i < sizeof stored; ++i) hash = (hash ^ bytes[i]) * 0x100000001b3;
  return hash;
}

bool IsPacked(TensorType type) { return type >= TensorType::kU4Align8; }
bool IsPacked32(TensorType type) { return type == TensorType::kU4Align16 || type == TensorType::kU6Align16; }

std::string DimsProblem(const TensorMap& map) {
  for (std::uint32_t i = 0; i < map.rank; ++i) {
    if (map.dims[i] == 0 || map.dims[i] > kMaxDim) {
      return fmt::format("globalDim[{}] is {}: 1 to 2^32 are allowed", i, map.dims[i]);
    }
  }
  if (IsPacked32(map.type) && map.dims[0] % 128 != 0) {
    return fmt::format("globalDim[0] is {}: this data type takes multiples of 128", map.dims[0]);
  }
  if (map.type == TensorType::kU4Align8 && map.dims[0] % 2 != 0) {
    return fmt::format("globalDim[0] is {}: this data type takes multiples of 2", map.dims[0]);
  }
  const std::uint64_t unit = map.interleave == TensorInterleave::k32B || IsPacked32(map.type) ? 32 : 16;
  for (std::uint32_t i = 0; i + 1 < map.rank; ++i) {
    if (map.strides[i] % unit != 0) {
      return fmt::format("globalStrides[{}] is {}: no multiple of {} bytes", i, map.strides[i], unit);
    }
    if (map.strides[i] >= kStrideLimit) {
      return fmt::format("globalStrides[{}] is {}: less than 2^40 is allowed", i, map.strides[i]);
    }
  }
  return "";
}

std::string BoxProblem(const TensorMap& map) {
  for (std::uint32_t i = 0; i < map.rank; ++i) {
    if (map.box[i] == 0 || map.box[i] > kMaxBox) {
      return fmt::format("boxDim[{}] is {}: 1 to {} are allowed", i, map.box[i], kMaxBox);
    }
    if (map.element_strides[i] == 0 || map.element_strides[i] > kMaxElementStride) {
      return fmt::format("elementStrides[{}] is {}: 1 to {} are allowed", i, map.element_strides[i],
                         kMaxElementStride);
    }
  }
  if (IsPacked32(map.type) && map.box[0] != 128) {
    return fmt::format("boxDim[0] is {}: this data type takes 128", map.box[0]);
  }
  if (map.interleave != TensorInterleave::kNone || IsPacked(map.type)) return "";
  const std::uint32_t inner = map.box[0] * map.ElementBytes();
  if (inner % 16 != 0) {
    return fmt::format("boxDim[0] is {} elements, {} bytes: no multiple of 16 bytes", map.box[0], inner);
  }
  const std::uint32_t span = map.SwizzleSpan();
  if (span != 0 && inner > span) {
    return fmt::format("boxDim[0] is {} elements, {} bytes: more than the swizzle's {} bytes", map.box[0],
                       inner, span);
  }
  return "";
}

// What CUDA 12.8 added for compute capability 10.
std::string NewerProblem(const TiledRequest& request) {
  if (request.compute_major >= 10) return "";
  if (IsPacked(static_cast<TensorType>(request.type))) {
    return fmt::format("tensorDataType is {}: packed types need compute capability 10", request.type);
  }
  if (request.swizzle > static_cast<std::uint32_t>(TensorSwizzle::k128B)) {
    return fmt::format("swizzle is {}: atoms of more than 16 bytes need compute capability 10",
                       request.swizzle);
  }
  return "";
}

// What must hold before the arguments can be put into a TensorMap.
std::string RawProblem(const TiledRequest& request) {
  if (request.compute_major < 9) return "tensor maps need compute capability 9";
  if (request.map == nullptr) return "tensorMap is null";
  if (reinterpret_cast<std::uintptr_t>(request.map) % kTensorMapAlign != 0) {
    return fmt::format("tensorMap is {}: not aligned to {} bytes", request.map, kTensorMapAlign);
  }
  if (request.type > static_cast<std::uint32_t>(TensorType::kU6Align16)) {
    return fmt::format("tensorDataType is {}: no CUtensorMapDataType", request.type);
  }
  if (request.rank == 0 || request.rank > kMaxTensorRank) {
    return fmt::format("tensorRank is {}: 1 to {} are allowed", request.rank, kMaxTensorRank);
  }
  if (request.interleave > static_cast<std::uint32_t>(TensorInterleave::k32B)) {
    return fmt::format("interleave is {}: no CUtensorMapInterleave", request.interleave);
  }
  if (request.swizzle > static_cast<std::uint32_t>(TensorSwizzle::k128BAtom64B)) {
    return fmt::format("swizzle is {}: no CUtensorMapSwizzle", request.swizzle);
  }
  if (request.l2_promotion > 3) {
    return fmt::format("l2Promotion is {}: no CUtensorMapL2promotion", request.l2_promotion);
  }
  if (request.fill > 1) return fmt::format("oobFill is {}: no CUtensorMapFloatOOBfill", request.fill);
  if (request.dims == nullptr) return "globalDim is null";
  if (request.strides == nullptr && request.rank > 1) return "globalStrides is null";
  if (request.box == nullptr) return "boxDim is null";
  if (request.element_strides == nullptr) return "elementStrides is null";
  return NewerProblem(request);
}

}  // namespace

std::uint32_t TensorMap::ElementBytes() const {
  switch (type) {
    case TensorType::kU8:
      return 1;
    case TensorType::kU16:
    case TensorType::kF16:
    case TensorType::kBF16:
      return 2;
    case TensorType::kU64:
    case TensorType::kS64:
    case TensorType::kF64:
      return 8;
    case TensorType::kU4Align8:
    case TensorType::kU4Align16:
    case TensorType::kU6Align16:
      return 0;
    default:
      return 4;
  }
}

bool TensorMap::IsFloat() const { return type >= TensorType::kF16 && type <= TensorType::kTF32Ftz; }

std::uint32_t TensorMap::Count(std::uint32_t dimension) const {
  if (dimension == 0 && interleave == TensorInterleave::kNone) return box[0];
  return (box[dimension] + element_strides[dimension] - 1) / element_strides[dimension];
}

std::uint32_t TensorMap::SwizzleSpan() const {
  switch (swizzle) {
    case TensorSwizzle::kNone:
      return 0;
    case TensorSwizzle::k32B:
      return 32;
    case TensorSwizzle::k64B:
      return 64;
    default:
      return 128;
  }
}

std::uint64_t TensorMap::BoxBytes() const {
  std::uint64_t bytes = ElementBytes();
  for (std::uint32_t i = 0; i < rank; ++i) bytes *= Count(i);
  return bytes;
}

std::string TensorMap::Problem() const {
  if (rank == 0 || rank > kMaxTensorRank)
    return fmt::format("tensorRank is {}: 1 to {} are allowed", rank, kMaxTensorRank);
  if (interleave != TensorInterleave::kNone && rank < 3) {
    return fmt::format("tensorRank is {}: an interleaved layout needs 3 or more", rank);
  }
  const std::uint64_t align = interleave == TensorInterleave::k32B || IsPacked32(type) ? 32 : 16;
  if (address % align != 0) {
    return fmt::format("globalAddress is {:#x}: not aligned to {} bytes", address, align);
  }
  if (std::string problem = DimsProblem(*this); !problem.empty()) return problem;
  if (std::string problem = BoxProblem(*this); !problem.empty()) return problem;
  if (interleave == TensorInterleave::k32B && swizzle != TensorSwizzle::k32B) {
    return "swizzle is not the one of 32 bytes: the interleaved layout of 32 bytes takes no other";
  }
  if (type == TensorType::kU6Align16 && interleave != TensorInterleave::kNone) {
    return "interleave is set: this data type takes none";
  }
  const bool known_packed_swizzle = swizzle == TensorSwizzle::kNone || swizzle == TensorSwizzle::k128B ||
                                    swizzle == TensorSwizzle::k128BAtom32B ||
                                    (swizzle == TensorSwizzle::k128BAtom64B && type == TensorType::kU6Align16);
  if (IsPacked32(type) && !known_packed_swizzle) return "swizzle is none of those that this data type takes";
  if (fill_nan && !IsFloat()) return "oobFill asks for NaN: the data type is no floating-point type";
  return "";
}

std::string EncodeTiled(const TiledRequest& request) {
  if (std::string problem = RawProblem(request); !problem.empty()) return problem;
  TensorMap map;
  map.type = static_cast<TensorType>(request.type);
  map.rank = request.rank;
  map.address = request.address;
  for (std::uint32_t i = 0; i < request.rank; ++i) {
    map.dims[i] = request.dims[i];
    if (i + 1 < request.rank) map.strides[i] = request.strides[i];
    map.box[i] = request.box[i];
    map.element_strides[i] = request.element_strides[i];
  }
  map.interleave = static_cast<TensorInterleave>(request.interleave);
  map.swizzle = static_cast<TensorSwizzle>(request.swizzle);
  map.l2_promotion = static_cast<std::uint8_t>(request.l2_promotion);
  map.fill_nan = request.fill == 1;
  if (std::string problem = map.Problem(); !problem.empty()) return problem;
  Encode(map, static_cast<std::byte*>(request.map));
  return "";
}

void Encode(const TensorMap& map, std::byte* bytes) {
  Stored stored{};
  stored.magic = kMagic;
  stored.address = map.address;
  for (int i = 0; i < kMaxTensorRank; ++i) {
    stored.last[i] = static_cast<std::uint32_t>(map.dims[i] - 1);
    stored.box[i] = static_cast<std::uint16_t>(map.box[i]);
    stored.element_strides[i] = static_cast<std::uint8_t>(map.element_strides[i]);
    if (i + 1 < kMaxTensorRank) stored.strides[i] = map.strides[i];
  }
  stored.type = static_cast<std::uint8_t>(map.type);
  stored.rank = static_cast<std::uint8_t>(map.rank);
  stored.interleave = static_cast<std::uint8_t>(map.interleave);
  stored.swizzle = static_cast<std::uint8_t>(map.swizzle);
  stored.l2_promotion = map.l2_promotion;
  stored.fill_nan = map.fill_nan;
  stored.checksum = Checksum(stored);
  std::memcpy(bytes, &stored, sizeof stored);
}

bool Decode(const std::byte* bytes, TensorMap* map) {
  Stored stored;
  std::memcpy(&stored, bytes, sizeof stored);
  if (stored.magic != kMagic || stored.checksum != Checksum(stored)) return false;
  map->address = stored.address;
  for (int i = 0; i < kMaxTensorRank; ++i) {
    map->dims[i] = std::uint64_t{stored.last[i]} + 1;
    map->box[i] = stored.box[i];
    map->element_strides[i] = stored.element_strides[i];
    if (i + 1 < kMaxTensorRank) map->strides[i] = stored.strides[i];
  }
  map->type = static_cast<TensorType>(stored.type);
  map->rank = stored.rank;
  map->interleave = static_cast<TensorInterleave>(stored.interleave);
  map->swizzle = static_cast<TensorSwizzle>(stored.swizzle);
  map->l2_promotion = stored.l2_promotion;
  map->fill_nan = stored.fill_nan != 0;
  return true;
}

}  // namespace emu
