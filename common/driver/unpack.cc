#include "common/driver/unpack.h"

#include <zstd.h>

namespace gemm::driver {
namespace {

constexpr unsigned long long kMostBytes = 1ULL << 30;  // no code of ours is near it

}  // namespace

Status Unpack(const Code& code, std::string* unpacked) {
  // Where the frame does not say, or is none, the greatest numbers.
  const unsigned long long size = ZSTD_getFrameContentSize(code.data, code.size);
  if (size <= kMostBytes) {
    unpacked->resize(size);
    if (ZSTD_decompress(unpacked->data(), size, code.data, code.size) == size) return Status();
  }
  return Status(StatusCode::kInternal,
                std::string("the embedded code of ") + code.source + " for " + code.target + " is damaged");
}

}  // namespace gemm::driver
