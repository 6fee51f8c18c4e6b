#include "tools/emulator/async/tensor_box.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace emu {
namespace {

constexpr std::uint32_t kChunk = 16;
constexpr std::uint32_t kMaxRowBytes = 256 * 8;
// No device memory: what an address that does not fit 64 bits is taken for.
constexpr std::uint64_t kNowhere = std::uint64_t{1} << 63;

// cvt.rna.tf32.f32: to the nearest value of 10 bits of fraction, ties away from zero.
std::uint32_t RoundToTf32(std::uint32_t bits) {
  if ((bits & 0x7f800000) == 0x7f800000) return bits;
  return (bits + 0x1000) & 0xffffe000;
}

// The pattern of an element out of bounds. For NaN the driver names no bits: an H200 writes 0x7ff7 for every 16 bits, of
// bf16 and of f32 (2026-11-21).
void Fill(const TensorMap& map, std::byte* row, std::uint32_t bytes) {
  if (!map.fill_nan) {
    std::memset(row, 0, bytes);
    return;
  }
  for (std::uint32_t i = 0; i < bytes; ++i) row[i] = std::byte(i % 2 == 0 ? 0xf7 : 0x7f);
}

}  // namespace

std::uint32_t Swizzled(TensorSwizzle mode, std::uint32_t offset) {
  const std::uint32_t line = offset >> 7;
  switch (mode) {
    case TensorSwizzle::k32B:
      return offset ^ (line & 1) << 4;
    case TensorSwizzle::k64B:
      return offset ^ (line & 3) << 4;
    case TensorSwizzle::k128B:
      return offset ^ (line & 7) << 4;
    default:
      return offset;
  }
}

TensorBox::TensorBox(const TensorMap& map, const std::array<std::int32_t, kMaxTensorRank>& start,
                     Reduction reduction)
    : map_(map), start_(start), reduction_(reduction) {
  units = 1;
  for (std::uint32_t i = 1; i < map_.rank; ++i) units *= map_.Count(i);
  unit_bytes = map_.Count(0) * map_.ElementBytes();
  unit_gap = std::max(map_.SwizzleSpan(), unit_bytes) - unit_bytes;
}

TensorBox::Part TensorBox::Row(std::uint32_t row, bool stores) const {
  unsigned __int128 outer = 0;
  for (std::uint32_t i = 1; i < map_.rank; ++i) {
    const std::uint32_t count = map_.Count(i);
    const std::int64_t at = start_[i] + std::int64_t{row % count} * map_.element_strides[i];
    row /= count;
    if (at < 0 || static_cast<std::uint64_t>(at) >= map_.dims[i]) return {};
    outer += static_cast<unsigned __int128>(at) * map_.strides[i - 1];
  }
  const std::int64_t size = map_.ElementBytes();
  const std::int64_t start = start_[0] * size;  // of the box, in bytes of the tensor's row
  std::int64_t end = static_cast<std::int64_t>(map_.dims[0]) * size;
  if (start >= end) return {};
  // An H200 clips stores in units of 16 bytes: where the row ends inside such a unit, all of the unit is written (seen on
  // 2026-11-21: with 517 columns of 16 bits, a store wrote columns 517 to 519 too). Loads are exact.
  if (stores) end = (end + kChunk - 1) / kChunk * kChunk;
  const std::int64_t first = std::max<std::int64_t>(start, 0);
  const std::int64_t last = std::min<std::int64_t>(start + unit_bytes, end);
  if (first >= last) return {};
  const unsigned __int128 address = outer + map_.address + static_cast<std::uint64_t>(first);
  return {static_cast<std::uint32_t>(first - start), static_cast<std::uint32_t>(last - start),
          address < kNowhere ? static_cast<std::uint64_t>(address) : kNowhere};
}

void TensorBox::RequireMemory(const Who& who, bool stores) const {
  for (std::uint32_t row = 0; row < units; ++row) {
    const Part part = Row(row, stores);
    RequireGlobal(who, part.address, part.end - part.begin, stores ? "writes" : "reads");
  }
}

void TensorBox::Convert(std::byte* row, std::uint32_t begin, std::uint32_t end) const {
  const bool flush = map_.type == TensorType::kF32Ftz || map_.type == TensorType::kTF32Ftz;
  const bool round = map_.type == TensorType::kTF32 || map_.type == TensorType::kTF32Ftz;
  if (!flush && !round) return;
  for (std::uint32_t i = begin; i < end; i += 4) {
    std::uint32_t bits;
    std::memcpy(&bits, row + i, sizeof bits);
    if (flush && (bits & 0x7f800000) == 0) bits &= 0x80000000;
    if (round) bits = RoundToTf32(bits);
    std::memcpy(row + i, &bits, sizeof bits);
  }
}

void TensorBox::Load(std::uint32_t first, std::uint32_t last, std::byte* shared, std::uint32_t offset) const {
  std::byte row[kMaxRowBytes];
  for (std::uint32_t i = first; i < last; ++i) {
    const Part part = Row(i, false);
    if (part.begin != 0 || part.end != unit_bytes) Fill(map_, row, unit_bytes);
    if (part.begin != part.end) {
      std::memcpy(row + part.begin, reinterpret_cast<const void*>(part.address), part.end - part.begin);
      Convert(row, part.begin, part.end);
    }
    const std::uint32_t at = (i - first) * pitch();
    if (map_.swizzle == TensorSwizzle::kNone) {
      std::memcpy(shared + at, row, unit_bytes);
      continue;
    }
    for (std::uint32_t chunk = 0; chunk < unit_bytes; chunk += kChunk) {
      std::memcpy(shared + (Swizzled(map_.swizzle, offset + at + chunk) - offset), row + chunk, kChunk);
    }
  }
}

void TensorBox::Store(const std::byte* shared, std::uint32_t offset) const {
  std::byte row[kMaxRowBytes];
  for (std::uint32_t i = 0; i < units; ++i) {
    const Part part = Row(i, true);
    if (part.begin == part.end) continue;
    for (std::uint32_t chunk = 0; chunk < unit_bytes; chunk += kChunk) {
      const std::uint32_t at = Swizzled(map_.swizzle, offset + i * pitch() + chunk) - offset;
      std::memcpy(row + chunk, shared + at, kChunk);
    }
    auto* to = reinterpret_cast<std::byte*>(part.address);
    const std::uint32_t bytes = part.end - part.begin;
    if (reduction_ == Reduction::kNone) {
      std::memcpy(to, row + part.begin, bytes);
    } else {
      Reduce(reduction_, ElementType(map_.type), to, row + part.begin, bytes / map_.ElementBytes());
    }
  }
}

void TensorBox::VisitLoaded(std::uint32_t first, std::uint32_t last, std::uint32_t offset,
                            const Range& visit) const {
  if (unit_gap == 0) return Transfer::VisitLoaded(first, last, offset, visit);
  for (std::uint32_t i = 0; i < last - first; ++i) {
    for (std::uint32_t chunk = 0; chunk < unit_bytes; chunk += kChunk) {
      visit(Swizzled(map_.swizzle, offset + i * pitch() + chunk) - offset, kChunk);
    }
  }
}

void TensorBox::VisitStored(std::uint32_t offset, const Range& visit) const {
  std::uint32_t begin = 0, end = 0;  // whole rows without gaps: a swizzle keeps to its row
  for (std::uint32_t i = 0; i < units; ++i) {
    const Part part = Row(i, true);
    const std::uint32_t at = i * pitch();
    if (unit_gap == 0 && part.begin == 0 && part.end == unit_bytes) {
      if (end != at) {
        if (begin != end) visit(begin, end - begin);
        begin = at;
      }
      end = at + unit_bytes;
      continue;
    }
    for (std::uint32_t chunk = part.begin / kChunk * kChunk; chunk < part.end; chunk += kChunk) {
      const std::uint32_t first = std::max(chunk, part.begin), last = std::min(chunk + kChunk, part.end);
      visit(Swizzled(map_.swizzle, offset + at + chunk) - offset + (first - chunk), last - first);
    }
  }
  if (begin != end) visit(begin, end - begin);
}

ptx::Type TensorBox::ElementType(TensorType type) {
  switch (type) {
    case TensorType::kU8:
      return ptx::Type::kU8;
    case TensorType::kU16:
      return ptx::Type::kU16;
    case TensorType::kU32:
      return ptx::Type::kU32;
    case TensorType::kS32:
      return ptx::Type::kS32;
    case TensorType::kU64:
      return ptx::Type::kU64;
    case TensorType::kS64:
      return ptx::Type::kS64;
    case TensorType::kF16:
      return ptx::Type::kF16;
    case TensorType::kBF16:
      return ptx::Type::kBF16;
    case TensorType::kF64:
      return ptx::Type::kF64;
    case TensorType::kF32:
    case TensorType::kF32Ftz:
    case TensorType::kTF32:
    case TensorType::kTF32Ftz:
      return ptx::Type::kF32;
    default:
      return ptx::Type::kNone;
  }
}

}  // namespace emu
