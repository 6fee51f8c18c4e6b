#include "tools/io/safetensors.h"

#include <algorithm>
#include <cstdint>
#include <new>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

namespace gemm::io {
namespace {

using Json = nlohmann::json;

// The format's own limit on its header.
constexpr std::uint64_t kLongestHeader = 100'000'000;
constexpr std::size_t kLengthBytes = 8;
constexpr std::size_t kNamesListed = 3;

Status Malformed(const std::string& name, const std::string& what) {
  return Status(StatusCode::kInvalidArgument, name + ": not a valid .safetensors file: " + what);
}

struct Entry {
  std::string name;
  std::string dtype;
  std::vector<std::int64_t> shape;
  std::uint64_t begin = 0;  // bytes behind the header
  std::uint64_t end = 0;
};

// Bits of an element; 0 for a type that is not known here, whose size cannot be checked.
int DtypeBits(const std::string& dtype) {
  static constexpr std::pair<const char*, int> kTypes[] = {
      {"F64", 64},    {"I64", 64},    {"U64", 64}, {"F32", 32}, {"I32", 32}, {"U32", 32},
      {"F16", 16},    {"BF16", 16},   {"I16", 16}, {"U16", 16}, {"I8", 8},   {"U8", 8},
      {"F8_E4M3", 8}, {"F8_E5M2", 8}, {"BOOL", 8}, {"C64", 64}};
  for (const auto& [name, bits] : kTypes) {
    if (dtype == name) return bits;
  }
  return 0;
}

// A tensor's name as a sentence shows it: of a length that a line can hold, without control characters.
std::string Shown(std::string name) {
  if (name.size() > 80) name = name.substr(0, 77) + "...";
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return c < 32 || c == 127; }, '?');
  return "'" + name + "'";
}

// Empty when *entry was filled, otherwise what is wrong with `value`.
std::string ParseEntry(const std::string& name, const Json& value, Entry* entry) {
  const std::string tensor = "tensor " + Shown(name);
  if (!value.is_object()) return tensor + " is described by no object";
  const auto dtype = value.find("dtype");
  const auto shape = value.find("shape");
  const auto offsets = value.find("data_offsets");
  if (dtype == value.end() || shape == value.end() || offsets == value.end()) {
    return tensor + " lacks one of dtype, shape and data_offsets";
  }
  if (!dtype->is_string() || !shape->is_array() || !offsets->is_array() || offsets->size() != 2) {
    return tensor + " has a dtype, shape or data_offsets of the wrong kind";
  }
  entry->name = name;
  entry->dtype = dtype->get<std::string>();
  for (const Json& size : *shape) {
    if (!size.is_number_unsigned() || size.get<std::uint64_t>() > INT64_MAX)
      return tensor + " has a size that is no count";
    entry->shape.push_back(static_cast<std::int64_t>(size.get<std::uint64_t>()));
  }
  if (!(*offsets)[0].is_number_unsigned() || !(*offsets)[1].is_number_unsigned())
    return tensor + " has an offset that is no count";
  entry->begin = (*offsets)[0].get<std::uint64_t>();
  entry->end = (*offsets)[1].get<std::uint64_t>();
  if (entry->end < entry->begin) return tensor + " ends before it begins";
  return "";
}

// Checks the bytes of one tensor against its type and shape.
std::string CheckSize(const Entry& entry) {
  const int bits = DtypeBits(entry.dtype);
  if (bits == 0) return "";
  std::int64_t bytes = 0;
  if (!CheckedBytes(entry.shape, static_cast<std::size_t>(bits / 8), &bytes)) {
    return "tensor " + Shown(entry.name) + " has the shape " + ShapeText(entry.shape) +
           ", which overflows 63 bits";
  }
  if (static_cast<std::uint64_t>(bytes) == entry.end - entry.begin) return "";
  return "tensor " + Shown(entry.name) + " of type " + entry.dtype + " and shape " + ShapeText(entry.shape) +
         " takes " + std::to_string(bytes) + " bytes; its offsets span " +
         std::to_string(entry.end - entry.begin);
}

// Tensors must follow one another and fill the data.
std::string CheckCoverage(std::vector<Entry>* entries, std::uint64_t data_bytes) {
  std::sort(entries->begin(), entries->end(), [](const Entry& a, const Entry& b) {
    return a.begin != b.begin ? a.begin < b.begin : a.end < b.end;
  });
  std::uint64_t covered = 0;
  for (const Entry& entry : *entries) {
    const std::string tensor = "tensor " + Shown(entry.name);
    if (entry.end > data_bytes) {
      return tensor + " ends at byte " + std::to_string(entry.end) + " of the data, which has " +
             std::to_string(data_bytes);
    }
    if (entry.begin < covered) return tensor + " overlaps the one before it";
    if (entry.begin > covered) {
      return "the data have a hole of " + std::to_string(entry.begin - covered) + " bytes before " + tensor;
    }
    covered = entry.end;
  }
  if (covered == data_bytes) return "";
  return std::to_string(data_bytes - covered) + " bytes of the data belong to no tensor";
}

// Parses the header's text, names once each. Json::parse keeps the last of two equal names, so they are looked
// for here.
std::string ParseHeader(const std::string& text, std::vector<Entry>* entries) {
  std::set<std::string> names;
  std::string twice;
  const auto watch = [&](int depth, Json::parse_event_t event, Json& parsed) {
    if (event == Json::parse_event_t::key && depth == 1 && !names.insert(parsed.get<std::string>()).second) {
      twice = parsed.get<std::string>();
    }
    return true;
  };
  // A header may be padded with blanks behind its object, which JSON allows.
  const Json header = Json::parse(text, watch, /*allow_exceptions=*/false);
  if (header.is_discarded() || !header.is_object()) return "its header is no JSON object";
  if (!twice.empty()) return "its header names " + Shown(twice) + " twice";
  for (const auto& [name, value] : header.items()) {
    if (name == "__metadata__") continue;
    Entry entry;
    std::string problem = ParseEntry(name, value, &entry);
    if (problem.empty()) problem = CheckSize(entry);
    if (!problem.empty()) return problem;
    entries->push_back(std::move(entry));
  }
  return "";
}

// Levenshtein's distance.
std::size_t EditDistance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substituted = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = std::exchange(row[j], std::min({substituted, row[j] + 1, row[j - 1] + 1}));
    }
  }
  return row[b.size()];
}

Status NotThere(const std::string& file, const std::string& wanted, const std::vector<Entry>& entries) {
  // Names are as long as their file pleases; distances are taken over what a name of a model can be.
  constexpr std::size_t kCompared = 256;
  std::vector<std::pair<std::size_t, std::string>> nearest;
  for (const Entry& entry : entries) {
    nearest.emplace_back(EditDistance(wanted.substr(0, kCompared), entry.name.substr(0, kCompared)),
                         entry.name);
  }
  std::sort(nearest.begin(), nearest.end());
  if (nearest.size() > kNamesListed) nearest.resize(kNamesListed);
  std::string text = file + ": no tensor " + Shown(wanted) + " among its " + std::to_string(entries.size());
  for (std::size_t i = 0; i < nearest.size(); ++i)
    text += (i == 0 ? "; the nearest: " : ", ") + Shown(nearest[i].second);
  return Status(StatusCode::kInvalidArgument, text);
}

Status ReadIndex(const ByteSource& source, const std::string& name, std::vector<Entry>* entries,
                 std::uint64_t* data_offset) {
  const std::uint64_t size = source.size();
  if (size < kLengthBytes)
    return Malformed(name, "it has " + std::to_string(size) + " bytes, fewer than its header's length");
  unsigned char bytes[kLengthBytes];
  Status status = source.Read(0, kLengthBytes, bytes);
  if (!status.ok()) return status;
  std::uint64_t length = 0;
  for (std::size_t i = kLengthBytes; i-- > 0;) length = length << 8 | bytes[i];
  if (length > size - kLengthBytes) {
    return Malformed(name, "its header of " + std::to_string(length) + " bytes is longer than the file");
  }
  if (length > kLongestHeader)
    return Malformed(name, "its header has " + std::to_string(length) + " bytes; 10^8 are allowed");
  std::string text(static_cast<std::size_t>(length), '\0');
  status = source.Read(kLengthBytes, text.size(), text.data());
  if (!status.ok()) return status;
  *data_offset = kLengthBytes + length;
  std::string problem = ParseHeader(text, entries);
  if (problem.empty()) problem = CheckCoverage(entries, size - *data_offset);
  return problem.empty() ? Status() : Malformed(name, problem);
}

Status ReadTensor(const ByteSource& source, const std::string& name, std::uint64_t data_offset,
                  const Entry& entry, Tensor* tensor) {
  Tensor result;
  if (entry.dtype == "F16") {
    result.element = Element::kF16;
  } else if (entry.dtype == "BF16") {
    result.element = Element::kBF16;
  } else if (entry.dtype == "F32") {
    result.element = Element::kF32;
  } else {
    return Status(StatusCode::kUnsupported, name + ": tensor " + Shown(entry.name) + " is of type " +
                                                Shown(entry.dtype) + "; F16, BF16 and F32 are read");
  }
  result.shape = entry.shape;
  Status status =
      CheckHostMemory(static_cast<double>(entry.end - entry.begin), name + ": the tensor's elements");
  if (!status.ok()) return status;
  result.data.resize(static_cast<std::size_t>(entry.end - entry.begin));
  status = source.Read(data_offset + entry.begin, result.data.size(), result.data.data());
  if (status.ok()) *tensor = std::move(result);
  return status;
}

Status Read(const ByteSource& source, const std::string& name, const std::string& tensor_name, Tensor* tensor) {
  std::vector<Entry> entries;
  std::uint64_t data_offset = 0;
  Status status = ReadIndex(source, name, &entries, &data_offset);
  if (!status.ok()) return status;
  for (const Entry& entry : entries) {
    if (entry.name == tensor_name) return ReadTensor(source, name, data_offset, entry, tensor);
  }
  return NotThere(name, tensor_name, entries);
}

}  // namespace

Status ReadSafetensors(const ByteSource& source, const std::string& name, const std::string& tensor_name,
                       Tensor* tensor) noexcept {
  try {
    return Read(source, name, tensor_name, tensor);
  } catch (const std::bad_alloc&) {
    return Status(StatusCode::kOutOfMemory, name + ": no host memory to read it");
  } catch (const std::length_error&) {
    return Status(StatusCode::kOutOfMemory, name + ": no host memory to read it");
  }
}

Status ReadSafetensors(const std::string& path, const std::string& tensor_name, Tensor* tensor) noexcept {
  File file;
  Status status = file.Open(path);
  return status.ok() ? ReadSafetensors(file, path, tensor_name, tensor) : status;
}

}  // namespace gemm::io
