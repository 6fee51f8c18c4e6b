// An array as a file holds it, and its conversion to what the library multiplies.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "gemm/status.h"
#include "gemm/types.h"

namespace gemm::io {

enum class Element : std::int32_t { kF16, kBF16, kF32, kF64 };

constexpr std::size_t ElementBytes(Element element) {
  switch (element) {
    case Element::kF16:
    case Element::kBF16:
      return 2;
    case Element::kF32:
      return 4;
    case Element::kF64:
      return 8;
  }
  return 0;
}

// "F16", "BF16", "F32", "F64": the names that .safetensors uses. Static storage.
const char* Name(Element element);

// Elements in C order: the last index runs fastest. data.size() is the shape's product times
// ElementBytes(element).
struct Tensor {
  Element element = Element::kF32;
  std::vector<std::int64_t> shape;
  std::vector<std::byte> data;
};

// The product of `shape` times the bytes of an element; false when it does not fit 63 bits or a size is
// negative.
bool CheckedBytes(const std::vector<std::int64_t>& shape, std::size_t element_bytes, std::int64_t* bytes);

// "[3, 4]"
std::string ShapeText(const std::vector<std::int64_t>& shape);

// Replaces `data`, of `from`, by the same values rounded to nearest even in `to` (FP32, FP16 or BF16; from FP64
// by way of FP32, which rounds twice). Values beyond the range of `to` become infinities. kUnsupported for
// another type.
Status Convert(Element from, DataType to, std::vector<std::byte>* data);

// kOutOfMemory when this machine, or the control group of this process, has less than `bytes` of memory left:
// Linux grants allocations that it cannot serve and kills the process that uses them. `what` names the need in
// the sentence.
Status CheckHostMemory(double bytes, const std::string& what);

}  // namespace gemm::io
