// usage: pack OUT IN...
//
// Packs codes for embedding, in the form that common/driver/unpack.h reads, with a checksum. IN whose name ends in .ptx is PTX.
#include <zstd.h>

#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/driver/ptx_numbers.h"

namespace {

// Of 22. For 7.7 MB of cubin and 23.5 MB of PTX with its numbers as they are: 0.93 and 1.91 MB in 14 s, at 17 0.96 and 1.99 MB in 8 s,
// zlib's best 1.83 and 3.57 MB (2026-11-25).
constexpr int kLevel = 19;
// So that the second of two codes of 24 MB, which differ in the type alone, is found in the first: 2.01 MB for 3.93.
constexpr int kWindowLog = 27;

std::string Number(std::uint64_t value) {
  std::string bytes;
  for (int i = 0; i < 8; ++i) bytes.push_back(static_cast<char>(value >> 8 * i & 0xff));
  return bytes;
}

std::string Join(const std::vector<std::string>& codes) {
  std::string all = Number(codes.size());
  for (const std::string& code : codes) all += Number(code.size());
  for (const std::string& code : codes) all += code;
  return all;
}

bool IsPtx(std::string_view name) { return name.size() > 4 && name.substr(name.size() - 4) == ".ptx"; }

// False where what is read back would be something else.
bool MakeNumbersRelative(std::string* ptx) {
  std::string text = gemm::driver::WithRelativeNumbers(*ptx);
  std::string back;
  if (!gemm::driver::WithAbsoluteNumbers(text, &back) || back != *ptx) return false;
  *ptx = std::move(text);
  return true;
}

// Empty where packing failed, which it says.
std::string Pack(const std::string& all) {
  const std::unique_ptr<ZSTD_CCtx, std::size_t (*)(ZSTD_CCtx*)> context(ZSTD_createCCtx(), ZSTD_freeCCtx);
  if (context == nullptr) {
    std::fprintf(stderr, "pack: out of memory\n");
    return {};
  }
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_compressionLevel, kLevel);
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_windowLog, kWindowLog);
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_enableLongDistanceMatching, 1);
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_checksumFlag, 1);
  std::string packed(ZSTD_compressBound(all.size()), '\0');
  const std::size_t size = ZSTD_compress2(context.get(), packed.data(), packed.size(), all.data(), all.size());
  if (ZSTD_isError(size)) {
    std::fprintf(stderr, "pack: %s\n", ZSTD_getErrorName(size));
    return {};
  }
  packed.resize(size);
  return packed;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: pack OUT IN...\n");
    return 2;
  }
  std::vector<std::string> codes;
  for (int i = 2; i < argc; ++i) {
    std::ifstream in(argv[i], std::ios::binary);
    codes.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
    if (!in.is_open() || in.bad()) {
      std::fprintf(stderr, "pack: cannot read %s\n", argv[i]);
      return 1;
    }
    if (IsPtx(argv[i]) && !MakeNumbersRelative(&codes.back())) {
      std::fprintf(stderr, "pack: %s has a name with a ~ where a number would be\n", argv[i]);
      return 1;
    }
  }
  const std::string packed = Pack(Join(codes));
  if (packed.empty()) return 1;
  std::ofstream out(argv[1], std::ios::binary);
  out.write(packed.data(), static_cast<std::streamsize>(packed.size()));
  out.close();
  if (!out.good()) {
    std::fprintf(stderr, "pack: cannot write %s\n", argv[1]);
    return 1;
  }
}
