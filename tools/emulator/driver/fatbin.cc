// NVIDIA does not document the format. What is used here was read off what nvcc 13 writes: a header of 16 bytes (magic, version,
// header size, size of what follows), then for each piece of code a header with its kind, sizes and flags, and the code.
#include "tools/emulator/driver/fatbin.h"

#include <dlfcn.h>

#include <cstdint>
#include <cstring>

namespace emu::driver {
namespace {

constexpr std::uint32_t kWrapperMagic = 0x466243b1;
constexpr std::uint32_t kContainerMagic = 0xba55ed50;
constexpr std::uint16_t kPtx = 1;
constexpr std::uint16_t kCubin = 2;
constexpr std::uint64_t kLz4 = 0x2000;
constexpr std::uint64_t kZstd = 0x8000;
// More is no PTX but a broken header.
constexpr std::size_t kMostUnpacked = std::size_t{1} << 30;

struct Wrapper {
  std::uint32_t magic, version;
  const void* container;
  const void* file_name;
};

struct Container {
  std::uint32_t magic;
  std::uint16_t version, header_bytes;
  std::uint64_t bytes;
};

struct Entry {
  std::uint16_t kind, version;
  std::uint32_t header_bytes;
  std::uint64_t bytes;  // to the next entry
  std::uint32_t packed_bytes, options;
  std::uint16_t minor, major;
  std::uint32_t architecture;
  std::uint32_t name_at, name_bytes;
  std::uint64_t flags;
  std::uint64_t reserved;
  std::uint64_t unpacked_bytes;
};
static_assert(sizeof(Entry) == 64);

template <class T>
T Read(const unsigned char* at) {
  T value;
  std::memcpy(&value, at, sizeof(value));
  return value;
}

// A length that goes on in further bytes while they are 255.
bool ReadLength(const unsigned char*& at, const unsigned char* end, std::size_t* length) {
  if (*length != 15) return true;
  for (;;) {
    if (at == end) return false;
    *length += *at;
    if (*at++ != 255) return true;
  }
}

// LZ4 block format, as its specification describes it: literals, then a match in what was written, again and again.
bool UnpackLz4(const unsigned char* at, const unsigned char* end, std::size_t unpacked, std::string* text) {
  text->clear();
  while (at < end) {
    const unsigned token = *at++;
    std::size_t literals = token >> 4;
    if (!ReadLength(at, end, &literals) || literals > static_cast<std::size_t>(end - at)) return false;
    text->append(reinterpret_cast<const char*>(at), literals);
    at += literals;
    if (at == end) break;
    if (end - at < 2) return false;
    const std::size_t distance = Read<std::uint16_t>(at);
    at += 2;
    std::size_t match = token & 15;
    if (!ReadLength(at, end, &match)) return false;
    match += 4;
    if (distance == 0 || distance > text->size() || text->size() + match > unpacked) return false;
    for (std::size_t from = text->size() - distance; match > 0; --match) text->push_back((*text)[from++]);
  }
  return text->size() == unpacked;
}

// Zstandard is left to its library, which nearly every Linux has. False when this one does not.
bool UnpackZstd(const unsigned char* packed, std::size_t bytes, std::size_t unpacked, std::string* text) {
  using Decompress = std::size_t (*)(void*, std::size_t, const void*, std::size_t);
  static void* const library = dlopen("libzstd.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr || unpacked > kMostUnpacked) return false;
  const auto decompress = reinterpret_cast<Decompress>(dlsym(library, "ZSTD_decompress"));
  if (decompress == nullptr) return false;
  text->resize(unpacked);
  return decompress(text->data(), unpacked, packed, bytes) == unpacked;
}

// False for what cannot be unpacked.
bool Unpack(const unsigned char* code, const Entry& entry, std::string* text) {
  if ((entry.flags & (kLz4 | kZstd)) == 0) {
    text->assign(reinterpret_cast<const char*>(code), entry.bytes);
    return true;
  }
  if (entry.packed_bytes > entry.bytes) return false;
  if ((entry.flags & kLz4) != 0) return UnpackLz4(code, code + entry.packed_bytes, entry.unpacked_bytes, text);
  return UnpackZstd(code, entry.packed_bytes, entry.unpacked_bytes, text);
}

void ReadEntry(const unsigned char* code, const Entry& entry, FatBinary* binary) {
  if (entry.kind == kCubin) ++binary->cubins;
  if (entry.kind != kPtx) return;
  std::string text;
  if (!Unpack(code, entry, &text)) {
    ++binary->compressed;
    return;
  }
  binary->texts.push_back(text.substr(0, text.find('\0')));
}

}  // namespace

FatBinary ReadFatBinary(const void* image) {
  FatBinary binary;
  const auto* at = static_cast<const unsigned char*>(image);
  if (Read<std::uint32_t>(at) == kWrapperMagic)
    at = static_cast<const unsigned char*>(Read<Wrapper>(at).container);
  if (at == nullptr || Read<std::uint32_t>(at) != kContainerMagic) return binary;
  binary.recognised = true;
  const auto container = Read<Container>(at);
  at += container.header_bytes;
  const unsigned char* const end = at + container.bytes;
  while (static_cast<std::size_t>(end - at) >= sizeof(Entry)) {
    const auto entry = Read<Entry>(at);
    const auto left = static_cast<std::uint64_t>(end - at);
    if (entry.header_bytes < sizeof(Entry) || entry.header_bytes > left ||
        entry.bytes > left - entry.header_bytes)
      break;
    ReadEntry(at + entry.header_bytes, entry, &binary);
    at += entry.header_bytes + entry.bytes;
  }
  return binary;
}

}  // namespace emu::driver
