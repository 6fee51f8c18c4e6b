#include "tools/io/npy.h"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <cstring>
#include <new>
#include <stdexcept>
#include <utility>

#include "tools/io/write_file.h"

namespace gemm::io {
namespace {

constexpr char kMagic[] = "\x93NUMPY";
constexpr std::size_t kMagicBytes = 6;
// NumPy itself refuses headers longer than this unless told otherwise.
constexpr std::uint64_t kLongestHeader = 1 << 20;
constexpr std::size_t kMostDimensions = 32;

Status Malformed(const std::string& name, const std::string& what) {
  return Status(StatusCode::kInvalidArgument, name + ": not a valid .npy file: " + what);
}

// What the header's dictionary says.
struct Header {
  std::string descr;
  bool fortran_order = false;
  std::vector<std::int64_t> shape;
};

// Reads the Python literal {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }: exactly these keys, any
// order.
class HeaderParser {
 public:
  explicit HeaderParser(std::string_view text) : text_(text) {}

  // Empty when *header was filled, otherwise what is wrong.
  std::string Parse(Header* header) {
    if (!Take('{')) return "its header is not a dictionary";
    bool seen[3] = {};
    while (!Take('}')) {
      std::string key;
      if (!TakeString(&key) || !Take(':')) return "its header's dictionary has a key that is no string";
      const std::string problem = TakeValue(key, seen, header);
      if (!problem.empty()) return problem;
      if (!Take(',') && Peek() != '}') return "its header's dictionary lacks a comma or its end";
    }
    if (Peek() != '\0') return "text follows its header's dictionary";
    if (!seen[0] || !seen[1] || !seen[2]) return "its header lacks one of descr, fortran_order and shape";
    return "";
  }

 private:
  std::string TakeValue(const std::string& key, bool seen[3], Header* header) {
    const int index = key == "descr" ? 0 : key == "fortran_order" ? 1 : key == "shape" ? 2 : -1;
    if (index < 0) return "its header has an unknown key";
    if (std::exchange(seen[index], true)) return "its header names " + key + " twice";
    if (index == 0)
      return TakeString(&header->descr) ? "" : "its descr is no string (structured types are not read)";
    if (index == 1)
      return TakeBool(&header->fortran_order) ? "" : "its fortran_order is neither True nor False";
    return TakeShape(&header->shape) ? "" : "its shape is no tuple of sizes that fit 63 bits";
  }

  // The next character that is no blank; NUL at the end.
  char Peek() {
    while (position_ < text_.size() && (text_[position_] == ' ' || text_[position_] == '\n')) ++position_;
    return position_ < text_.size() ? text_[position_] : '\0';
  }

  bool Take(char expected) {
    if (Peek() != expected || position_ >= text_.size()) return false;
    ++position_;
    return true;
  }

  bool TakeWord(std::string_view word) {
    Peek();
    if (text_.substr(std::min(position_, text_.size()), word.size()) != word) return false;
    position_ += word.size();
    return true;
  }

  bool TakeBool(bool* value) {
    *value = TakeWord("True");
    return *value || TakeWord("False");
  }

  bool TakeString(std::string* value) {
    const char quote = Peek();
    if (quote != '\'' && quote != '"') return false;
    const std::size_t end = text_.find(quote, position_ + 1);
    if (end == std::string_view::npos) return false;
    value->assign(text_.substr(position_ + 1, end - position_ - 1));
    position_ = end + 1;
    return true;
  }

  bool TakeSize(std::int64_t* value) {
    if (!std::isdigit(static_cast<unsigned char>(Peek()))) return false;
    *value = 0;
    while (position_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[position_]))) {
      if (__builtin_mul_overflow(*value, std::int64_t{10}, value)) return false;
      if (__builtin_add_overflow(*value, std::int64_t{text_[position_++] - '0'}, value)) return false;
    }
    return true;
  }

  bool TakeShape(std::vector<std::int64_t>* shape) {
    if (!Take('(')) return false;
    while (!Take(')')) {
      std::int64_t size = 0;
      if (!TakeSize(&size) || shape->size() >= kMostDimensions) return false;
      shape->push_back(size);
      if (!Take(',') && Peek() != ')') return false;
    }
    return true;
  }

  std::string_view text_;
  std::size_t position_ = 0;
};

// Reads the preamble and the dictionary's text; *data_offset is where the elements start.
Status ReadHeaderText(const ByteSource& source, const std::string& name, std::string* text,
                      std::uint64_t* data_offset) {
  unsigned char head[12] = {};
  const std::uint64_t size = source.size();
  if (size < 10) return Malformed(name, "it has " + std::to_string(size) + " bytes, fewer than any header");
  Status status = source.Read(0, static_cast<std::size_t>(std::min<std::uint64_t>(size, 12)), head);
  if (!status.ok()) return status;
  if (std::memcmp(head, kMagic, kMagicBytes) != 0) return Malformed(name, "it does not start with \\x93NUMPY");
  const int major = head[6];
  if (major < 1 || major > 3 || head[7] != 0) {
    return Status(StatusCode::kUnsupported, name + ": .npy version " + std::to_string(major) + "." +
                                                std::to_string(head[7]) + "; 1.0, 2.0 and 3.0 are read");
  }
  const std::uint64_t start = major == 1 ? 10 : 12;
  std::uint64_t length = head[8] | head[9] << 8;
  if (major > 1) length |= std::uint64_t{head[10]} << 16 | std::uint64_t{head[11]} << 24;
  if (size < start || length > size - start) {
    return Malformed(name, "its header of " + std::to_string(length) + " bytes is longer than the file");
  }
  if (length > kLongestHeader)
    return Malformed(name, "its header has " + std::to_string(length) + " bytes; 2^20 are allowed");
  text->resize(static_cast<std::size_t>(length));
  *data_offset = start + length;
  return source.Read(start, text->size(), text->data());
}

Status ElementOf(const std::string& descr, const std::string& name, Element* element) {
  if (descr == "<f2") {
    *element = Element::kF16;
  } else if (descr == "<f4") {
    *element = Element::kF32;
  } else if (descr == "<f8") {
    *element = Element::kF64;
  } else {
    return Status(StatusCode::kUnsupported,
                  name + ": elements of type '" + descr.substr(0, 32) + "'; '<f2', '<f4' and '<f8' are read");
  }
  return Status();
}

// Column-major rows x cols to row-major.
std::vector<std::byte> Transposed(const std::vector<std::byte>& data, std::size_t rows, std::size_t cols,
                                  std::size_t bytes) {
  std::vector<std::byte> result(data.size());
  constexpr std::size_t kBlock = 32;  // both sides of a block stay in the L1 cache
  for (std::size_t i0 = 0; i0 < rows; i0 += kBlock) {
    for (std::size_t j0 = 0; j0 < cols; j0 += kBlock) {
      for (std::size_t i = i0; i < std::min(i0 + kBlock, rows); ++i) {
        for (std::size_t j = j0; j < std::min(j0 + kBlock, cols); ++j) {
          std::memcpy(&result[(i * cols + j) * bytes], &data[(i + j * rows) * bytes], bytes);
        }
      }
    }
  }
  return result;
}

Status Read(const ByteSource& source, const std::string& name, Tensor* tensor) {
  std::string text;
  std::uint64_t data_offset = 0;
  Status status = ReadHeaderText(source, name, &text, &data_offset);
  if (!status.ok()) return status;
  Header header;
  const std::string problem = HeaderParser(text).Parse(&header);
  if (!problem.empty()) return Malformed(name, problem);

  Tensor result;
  status = ElementOf(header.descr, name, &result.element);
  if (!status.ok()) return status;
  result.shape = header.shape;
  std::int64_t bytes = 0;
  if (!CheckedBytes(result.shape, ElementBytes(result.element), &bytes)) {
    return Malformed(name, "its shape " + ShapeText(result.shape) + " overflows 63 bits");
  }
  const std::uint64_t present = source.size() - data_offset;
  if (static_cast<std::uint64_t>(bytes) != present) {
    return Malformed(name, "its shape " + ShapeText(result.shape) + " takes " + std::to_string(bytes) +
                               " bytes; " + std::to_string(present) + " follow the header");
  }
  const bool transpose = header.fortran_order && result.shape.size() > 1;
  if (transpose && result.shape.size() > 2) {
    return Status(StatusCode::kUnsupported, name + ": Fortran order with more than two dimensions");
  }
  status = CheckHostMemory((transpose ? 2.0 : 1.0) * static_cast<double>(bytes), name + ": its elements");
  if (!status.ok()) return status;
  result.data.resize(static_cast<std::size_t>(bytes));
  status = source.Read(data_offset, result.data.size(), result.data.data());
  if (!status.ok()) return status;
  if (transpose) {
    result.data = Transposed(result.data, static_cast<std::size_t>(result.shape[0]),
                             static_cast<std::size_t>(result.shape[1]), ElementBytes(result.element));
  }
  *tensor = std::move(result);
  return Status();
}

Status Write(const std::string& path, const Tensor& tensor) {
  if (tensor.element == Element::kBF16) {
    Tensor wide = tensor;
    Status status = Convert(Element::kBF16, DataType::kFP32, &wide.data);
    if (!status.ok()) return status;
    wide.element = Element::kF32;
    return Write(path, wide);
  }
  std::string shape;
  for (const std::int64_t size : tensor.shape) shape += std::to_string(size) + ",";
  std::string text = "{'descr': '<f" + std::to_string(ElementBytes(tensor.element)) +
                     "', 'fortran_order': False, 'shape': (" + shape + "), }";
  // The elements start at a multiple of 64 bytes; the header ends with a line feed.
  text.append(63 - (10 + text.size()) % 64, ' ');
  text += '\n';
  std::string head(kMagic, kMagicBytes);
  head += std::string("\x01\x00", 2);
  head += static_cast<char>(text.size() & 0xff);
  head += static_cast<char>(text.size() >> 8);
  return WriteFile(path, head + text,
                   std::string_view(reinterpret_cast<const char*>(tensor.data.data()), tensor.data.size()));
}

}  // namespace

Status ReadNpy(const ByteSource& source, const std::string& name, Tensor* tensor) noexcept {
  try {
    return Read(source, name, tensor);
  } catch (const std::bad_alloc&) {
    return Status(StatusCode::kOutOfMemory, name + ": no host memory for its elements");
  } catch (const std::length_error&) {
    return Status(StatusCode::kOutOfMemory, name + ": no host memory for its elements");
  }
}

Status ReadNpy(const std::string& path, Tensor* tensor) noexcept {
  File file;
  Status status = file.Open(path);
  return status.ok() ? ReadNpy(file, path, tensor) : status;
}

Status WriteNpy(const std::string& path, const Tensor& tensor) noexcept {
  try {
    return Write(path, tensor);
  } catch (const std::bad_alloc&) {
    return Status(StatusCode::kOutOfMemory, path + ": no host memory to write it");
  }
}

}  // namespace gemm::io
