// Files built in memory, well-formed or not, for the readers' tests.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace gemm::io {

// A .npy file: `dictionary` padded as NumPy does, then `data`. header_length replaces the true length when not
// negative.
inline std::string Npy(const std::string& dictionary, const std::string& data, int major = 1,
                       long header_length = -1) {
  std::string file("\x93NUMPY", 6);
  file += static_cast<char>(major);
  file += '\0';
  std::string text = dictionary;
  while ((file.size() + (major == 1 ? 2 : 4) + text.size() + 1) % 64 != 0) text += ' ';
  text += '\n';
  const unsigned long length = header_length < 0 ? text.size() : static_cast<unsigned long>(header_length);
  for (int byte = 0; byte < (major == 1 ? 2 : 4); ++byte)
    file += static_cast<char>(length >> (8 * byte) & 0xff);
  return file + text + data;
}

// A .safetensors file. header_length as above.
inline std::string Safetensors(const std::string& json, const std::string& data,
                               std::uint64_t header_length = UINT64_MAX) {
  std::string file;
  const std::uint64_t length = header_length == UINT64_MAX ? json.size() : header_length;
  for (int byte = 0; byte < 8; ++byte) file += static_cast<char>(length >> (8 * byte) & 0xff);
  return file + json + data;
}

template <typename T>
std::string BytesOf(const std::vector<T>& values) {
  return std::string(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
}

template <typename T>
std::vector<T> ValuesOf(const std::vector<std::byte>& data) {
  std::vector<T> values(data.size() / sizeof(T));
  if (!values.empty()) std::memcpy(values.data(), data.data(), values.size() * sizeof(T));
  return values;
}

}  // namespace gemm::io
