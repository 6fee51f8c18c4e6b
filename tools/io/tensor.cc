#include "tools/io/tensor.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <limits>
#include <new>
#include <stdexcept>

#include "tests/support/numerics.h"

namespace gemm::io {
namespace {

DataType TypeOf(Element element) {
  return element == Element::kF16    ? DataType::kFP16
         : element == Element::kBF16 ? DataType::kBF16
                                     : DataType::kFP32;
}

float LoadAsFloat(Element element, const std::byte* data, std::int64_t index) {
  if (element != Element::kF64) return tests::Load(TypeOf(element), data, index);
  double value;
  std::memcpy(&value, data + index * 8, sizeof value);
  return static_cast<float>(value);
}

// A number at the start of a file such as a control group's memory.max; false for "max" or no file.
bool ReadNumber(const char* path, double* value) {
  std::ifstream file(path);
  return static_cast<bool>(file >> *value);
}

double AvailableMemory() {
  double available = std::numeric_limits<double>::infinity();
  std::ifstream meminfo("/proc/meminfo");
  std::string word;
  double kilobytes = 0;
  while (meminfo >> word) {
    if (word == "MemAvailable:" && meminfo >> kilobytes) available = kilobytes * 1024;
  }
  double limit = 0;
  double used = 0;
  if (ReadNumber("/sys/fs/cgroup/memory.max", &limit) && ReadNumber("/sys/fs/cgroup/memory.current", &used)) {
    available = std::min(available, std::max(limit - used, 0.0));
  }
  return available;
}

}  // namespace

const char* Name(Element element) {
  switch (element) {
    case Element::kF16:
      return "F16";
    case Element::kBF16:
      return "BF16";
    case Element::kF32:
      return "F32";
    case Element::kF64:
      return "F64";
  }
  return "unknown";
}

bool CheckedBytes(const std::vector<std::int64_t>& shape, std::size_t element_bytes, std::int64_t* bytes) {
  // A size of 0 does not excuse others that overflow: no array of such a shape can be indexed.
  std::int64_t product = static_cast<std::int64_t>(element_bytes);
  bool empty = false;
  for (const std::int64_t size : shape) {
    if (size < 0) return false;
    empty = empty || size == 0;
    if (size != 0 && __builtin_mul_overflow(product, size, &product)) return false;
  }
  *bytes = empty ? 0 : product;
  return true;
}

std::string ShapeText(const std::vector<std::int64_t>& shape) {
  std::string text = "[";
  for (std::size_t i = 0; i < shape.size(); ++i) text += (i == 0 ? "" : ", ") + std::to_string(shape[i]);
  return text + "]";
}

Status Convert(Element from, DataType to, std::vector<std::byte>* data) {
  if (to != DataType::kFP32 && to != DataType::kFP16 && to != DataType::kBF16) {
    return Status(StatusCode::kUnsupported,
                  std::string("conversion to ") + gemm::Name(to) + "; fp32, fp16 and bf16 are known");
  }
  if (from != Element::kF64 && TypeOf(from) == to) return Status();
  const std::int64_t count = static_cast<std::int64_t>(data->size() / ElementBytes(from));
  try {
    std::vector<std::byte> converted(static_cast<std::size_t>(count * (to == DataType::kFP32 ? 4 : 2)));
    for (std::int64_t i = 0; i < count; ++i) {
      tests::Store(to, converted.data(), i, LoadAsFloat(from, data->data(), i));
    }
    data->swap(converted);
  } catch (const std::bad_alloc&) {
    return Status(StatusCode::kOutOfMemory,
                  "no host memory to convert an array of " + std::to_string(count) + " elements");
  }
  return Status();
}

Status CheckHostMemory(double bytes, const std::string& what) {
  const double available = AvailableMemory();
  if (bytes <= available) return Status();
  char text[96];
  std::snprintf(text, sizeof text, " need %.3g GB of host memory; %.3g GB are available", bytes * 1e-9,
                available * 1e-9);
  return Status(StatusCode::kOutOfMemory, what + text);
}

}  // namespace gemm::io
