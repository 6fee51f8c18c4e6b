#include "common/driver/unpack.h"

#include <zstd.h>

#include <memory>
#include <new>
#include <utility>

#include "common/driver/ptx_numbers.h"

namespace gemm::driver {
namespace {

constexpr unsigned long long kMostBytes = 1ULL << 30;  // no code of ours is near it

// The code as it was packed. False where it or what it is packed against is damaged.
bool Decompress(const Code& code, std::string* packed) {
  std::string base;
  if (code.base != nullptr && !Decompress(*code.base, &base)) return false;
  // Where the frame does not say, or is none, the greatest numbers.
  const unsigned long long size = ZSTD_getFrameContentSize(code.data, code.size);
  if (size > kMostBytes) return false;
  packed->resize(size);
  const std::unique_ptr<ZSTD_DCtx, std::size_t (*)(ZSTD_DCtx*)> context(ZSTD_createDCtx(), ZSTD_freeDCtx);
  if (context == nullptr) throw std::bad_alloc();
  if (ZSTD_isError(ZSTD_DCtx_refPrefix(context.get(), base.data(), base.size()))) return false;
  return ZSTD_decompressDCtx(context.get(), packed->data(), size, code.data, code.size) == size;
}

}  // namespace

Status Unpack(const Code& code, std::string* unpacked) {
  std::string packed;
  if (Decompress(code, &packed)) {
    if (!code.is_ptx) {
      *unpacked = std::move(packed);
      return Status();
    }
    if (WithAbsoluteNumbers(packed, unpacked)) return Status();
  }
  return Status(StatusCode::kInternal,
                std::string("the embedded code of ") + code.source + " for " + code.target + " is damaged");
}

}  // namespace gemm::driver
