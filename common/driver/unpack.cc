#include "common/driver/unpack.h"

#include <zlib.h>

#include <cstdint>

namespace gemm::driver {
namespace {

constexpr std::size_t kHeaderBytes = 8;
constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 30;  // no code of ours is near it

}  // namespace

Status Unpack(const Code& code, std::string* unpacked) {
  const auto* bytes = static_cast<const unsigned char*>(code.data);
  std::uint64_t size = 0;
  for (std::size_t i = 0; i < kHeaderBytes && i < code.size; ++i) size |= std::uint64_t{bytes[i]} << 8 * i;
  if (code.size > kHeaderBytes && size <= kMostBytes) {
    unpacked->resize(size);
    uLongf written = size;
    const int result = uncompress(reinterpret_cast<Bytef*>(unpacked->data()), &written, bytes + kHeaderBytes,
                                  static_cast<uLong>(code.size - kHeaderBytes));
    if (result == Z_OK && written == size) return Status();
  }
  return Status(StatusCode::kInternal,
                std::string("the embedded code of ") + code.source + " for " + code.target + " is damaged");
}

}  // namespace gemm::driver
