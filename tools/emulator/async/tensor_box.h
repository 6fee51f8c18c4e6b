// The elements of a tensor that one tensor copy moves (PTX ISA, "Tensors": "Tile-mode", "Swizzling modes").
#pragma once

#include <array>
#include <cstdint>

#include "tools/emulator/async/bulk.h"
#include "tools/emulator/async/reduce.h"
#include "tools/emulator/async/tensor_map.h"

namespace emu {

// Offset in shared memory where a swizzle mode puts the 16 bytes whose offset without it is `offset`: bits of the 128-byte
// line's number are xored into the number of the 16-byte chunk. The pattern hangs on the address, not on the box.
std::uint32_t Swizzled(TensorSwizzle mode, std::uint32_t offset);

// A unit is a row: the elements along dimension 0. Where they are fewer bytes than the swizzle permutes, an H200 lets rows lie
// as far apart as that, and permutes the 16-byte chunks of a row and its gap (seen on 2026-11-21: loads of rows of 64 bytes
// under the swizzle of 128; other widths, stores and reductions are taken to be alike). The barrier counts the box's bytes.
class TensorBox : public Transfer {
 public:
  // `start`: coordinates of the first element, maybe outside of the tensor.
  TensorBox(const TensorMap& map, const std::array<std::int32_t, kMaxTensorRank>& start, Reduction reduction);

  // Stops unless everything that a load reads or a store writes is device memory.
  void RequireMemory(const Who& who, bool stores) const;
  void Load(std::uint32_t first, std::uint32_t last, std::byte* shared, std::uint32_t offset) const override;
  void Store(const std::byte* shared, std::uint32_t offset) const override;
  void VisitLoaded(std::uint32_t first, std::uint32_t last, std::uint32_t offset,
                   const Range& visit) const override;
  void VisitStored(std::uint32_t offset, const Range& visit) const override;

  // Type of the elements as the reductions know it.
  static ptx::Type ElementType(TensorType type);

 private:
  // A row's part inside the tensor, in bytes of the row, and where it is in global memory. begin == end: nothing.
  struct Part {
    std::uint32_t begin = 0, end = 0;
    std::uint64_t address = 0;  // of `begin`
  };
  Part Row(std::uint32_t row, bool stores) const;
  void Convert(std::byte* row, std::uint32_t begin, std::uint32_t end) const;

  TensorMap map_;
  std::array<std::int32_t, kMaxTensorRank> start_;
  Reduction reduction_;
};

}  // namespace emu
