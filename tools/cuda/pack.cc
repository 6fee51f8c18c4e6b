// usage: pack OUT IN [BASE]
//
// Packs a code for embedding, in the form that common/driver/unpack.h reads, with a checksum, and against BASE if there is one. What has a
// name that ends in .ptx is PTX.
#include <zstd.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "common/driver/ptx_numbers.h"

namespace {

// The highest. The PTX of bf16_kk and fp16_kk takes 2.00 MB, at 19 and with its comments 2.18; cubins take no less than at 19 (2026-11-29).
constexpr int kLevel = 22;
// So that a code is found in the whole of its base, of 38 MB at most.
constexpr int kWindowLog = 27;

// Without what nothing reads: comments, and blanks around a line. Lines keep their numbers, by which the emulated GPU reports.
std::string WithoutComments(std::string_view ptx) {
  constexpr std::string_view kBlanks = " \t";
  std::string kept;
  while (!ptx.empty()) {
    std::string_view line = ptx.substr(0, ptx.find('\n'));
    ptx.remove_prefix(std::min(line.size() + 1, ptx.size()));
    const bool has_string = line.find('"') != std::string_view::npos;
    if (!has_string) line = line.substr(0, line.find("//"));
    line.remove_prefix(std::min(line.find_first_not_of(kBlanks), line.size()));
    kept += line.substr(0, line.find_last_not_of(kBlanks) + 1);
    kept += '\n';
  }
  return kept;
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
std::string Pack(const std::string& code, const std::string& base) {
  const std::unique_ptr<ZSTD_CCtx, std::size_t (*)(ZSTD_CCtx*)> context(ZSTD_createCCtx(), ZSTD_freeCCtx);
  if (context == nullptr) {
    std::fprintf(stderr, "pack: out of memory\n");
    return {};
  }
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_compressionLevel, kLevel);
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_windowLog, kWindowLog);
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_enableLongDistanceMatching, 1);
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_checksumFlag, 1);
  ZSTD_CCtx_refPrefix(context.get(), base.data(), base.size());
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

// The code as it is packed. False where it cannot be, which it says.
bool Read(const char* path, std::string* code) {
  std::ifstream in(path, std::ios::binary);
  code->assign(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
  if (!in.is_open() || in.bad()) {
    std::fprintf(stderr, "pack: cannot read %s\n", path);
    return false;
  }
  if (!IsPtx(path)) return true;
  *code = WithoutComments(*code);
  if (MakeNumbersRelative(code)) return true;
  std::fprintf(stderr, "pack: %s has a name with a ~ where a number would be\n", path);
  return false;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3 && argc != 4) {
    std::fprintf(stderr, "usage: pack OUT IN [BASE]\n");
    return 2;
  }
  std::string code;
  std::string base;
  if (!Read(argv[2], &code) || (argc == 4 && !Read(argv[3], &base))) return 1;
  const std::string packed = Pack(code, base);
  if (packed.empty()) return 1;
  std::ofstream out(argv[1], std::ios::binary);
  out.write(packed.data(), static_cast<std::streamsize>(packed.size()));
  out.close();
  if (!out.good()) {
    std::fprintf(stderr, "pack: cannot write %s\n", argv[1]);
    return 1;
  }
}
