#include "common/driver/unpack.h"

#include <zstd.h>

#include <cstdint>
#include <memory>
#include <new>
#include <string_view>

#include "common/driver/ptx_numbers.h"

namespace gemm::driver {
namespace {

constexpr unsigned long long kMostBytes = 1ULL << 30;  // no code of ours is near it
constexpr std::size_t kNumberBytes = 8;

// False where the frame is damaged.
bool Decompress(const Code& code, std::string_view prefix, std::string* all) {
  // Where the frame does not say, or is none, the greatest numbers.
  const unsigned long long size = ZSTD_getFrameContentSize(code.data, code.size);
  if (size > kMostBytes) return false;
  all->resize(size);
  const std::unique_ptr<ZSTD_DCtx, std::size_t (*)(ZSTD_DCtx*)> context(ZSTD_createDCtx(), ZSTD_freeDCtx);
  if (context == nullptr) throw std::bad_alloc();
  if (ZSTD_isError(ZSTD_DCtx_refPrefix(context.get(), prefix.data(), prefix.size()))) return false;
  return ZSTD_decompressDCtx(context.get(), all->data(), size, code.data, code.size) == size;
}

// The number at `index` of those that `all` begins with; 0 behind its end.
std::uint64_t Number(const std::string& all, std::size_t index) {
  std::uint64_t number = 0;
  if (index >= all.size() / kNumberBytes) return 0;
  for (std::size_t i = 0; i < kNumberBytes; ++i) {
    number |= std::uint64_t{static_cast<unsigned char>(all[index * kNumberBytes + i])} << 8 * i;
  }
  return number;
}

// False where there is no such part.
bool FindPart(const std::string& all, std::size_t part, std::string_view* found) {
  const std::uint64_t parts = Number(all, 0);
  if (part >= parts || parts >= all.size() / kNumberBytes) return false;
  std::size_t begin = (1 + parts) * kNumberBytes;
  for (std::size_t i = 0;; ++i) {
    const std::uint64_t length = Number(all, 1 + i);
    if (length > all.size() - begin) return false;
    if (i == part) {
      *found = std::string_view(all).substr(begin, length);
      return true;
    }
    begin += length;
  }
}

// The code as it was packed; `all` holds its bytes. False where it or its base is damaged.
bool FindPacked(const Code& code, std::string* all, std::string_view* packed) {
  std::string all_of_base;
  std::string_view base;
  if (code.base != nullptr &&
      !(Decompress(*code.base, {}, &all_of_base) && FindPart(all_of_base, code.base->part, &base)))
    return false;
  return Decompress(code, base, all) && FindPart(*all, code.part, packed);
}

}  // namespace

Status Unpack(const Code& code, std::string* unpacked) {
  std::string all;
  std::string_view part;
  if (FindPacked(code, &all, &part)) {
    if (!code.is_ptx) {
      unpacked->assign(part);
      return Status();
    }
    if (WithAbsoluteNumbers(part, unpacked)) return Status();
  }
  return Status(StatusCode::kInternal,
                std::string("the embedded code of ") + code.source + " for " + code.target + " is damaged");
}

}  // namespace gemm::driver
