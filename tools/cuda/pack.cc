// usage: pack OUT IN...
//
// Packs codes for embedding, in the form that common/driver/unpack.h reads, with a checksum. IN whose name ends in .ptx is PTX.
#include <zstd.h>

#include <algorithm>
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

// The highest. The PTX of bf16_kk and fp16_kk takes 2.00 MB, at 19 and with its comments 2.18; cubins take no less than at 19 (2026-11-29).
constexpr int kLevel = 22;
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
    if (!IsPtx(argv[i])) continue;
    codes.back() = WithoutComments(codes.back());
    if (!MakeNumbersRelative(&codes.back())) {
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
