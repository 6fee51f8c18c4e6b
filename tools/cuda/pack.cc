// usage: pack IN OUT
//
// Packs code for embedding: a Zstandard frame that says how long the code is and ends with a checksum. common/driver/unpack.h reads it.
#include <zstd.h>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>

namespace {

// Of 22. For 7.7 MB of cubin and 23.5 MB of PTX: 0.93 and 1.91 MB in 14 s, at 17 0.96 and 1.99 MB in 8 s, zlib's best 1.83 and 3.57 MB
// (2026-11-25).
constexpr int kLevel = 19;

// Empty where packing failed, which it says.
std::string Pack(const std::string& code) {
  const std::unique_ptr<ZSTD_CCtx, std::size_t (*)(ZSTD_CCtx*)> context(ZSTD_createCCtx(), ZSTD_freeCCtx);
  if (context == nullptr) {
    std::fprintf(stderr, "pack: out of memory\n");
    return {};
  }
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_compressionLevel, kLevel);
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_checksumFlag, 1);
  std::string packed(ZSTD_compressBound(code.size()), '\0');
  const std::size_t size =
      ZSTD_compress2(context.get(), packed.data(), packed.size(), code.data(), code.size());
  if (ZSTD_isError(size)) {
    std::fprintf(stderr, "pack: %s\n", ZSTD_getErrorName(size));
    return {};
  }
  packed.resize(size);
  return packed;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: pack IN OUT\n");
    return 2;
  }
  std::ifstream in(argv[1], std::ios::binary);
  const std::string code((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  if (!in.is_open() || in.bad()) {
    std::fprintf(stderr, "pack: cannot read %s\n", argv[1]);
    return 1;
  }
  const std::string packed = Pack(code);
  if (packed.empty()) return 1;
  std::ofstream out(argv[2], std::ios::binary);
  out.write(packed.data(), static_cast<std::streamsize>(packed.size()));
  out.close();
  if (!out.good()) {
    std::fprintf(stderr, "pack: cannot write %s\n", argv[2]);
    return 1;
  }
}
