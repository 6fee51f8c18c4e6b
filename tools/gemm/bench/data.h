// Operands for timing: random normal values in enough sets that none is still in the L2 when its turn comes
// again.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "gemm/gemm.h"
#include "tools/gpu/gpu.h"

namespace gemm::tool::bench {

// Some million normal deviates of one type, on the host and on the device. Every operand is copied out of it,
// so each of its elements is known on the host without reading the device.
class NormalPool {
 public:
  static Status Create(DataType type, std::uint64_t seed, NormalPool* pool);

  DataType type() const { return type_; }
  // Element `index` of an endless repetition of the pool.
  double At(std::int64_t index) const;
  // Fills `count` elements at `destination` with those from `first` on.
  Status CopyTo(void* destination, std::int64_t first, std::int64_t count, CUstream stream) const;

 private:
  DataType type_ = DataType::kFP32;
  std::vector<std::byte> host_;
  gpu::DeviceBuffer device_;
};

// Sets of operands of one problem, all of them in one piece of device memory. Set i is used by launches i, i +
// sets(), and so on; a set is touched again only after twice the L2's size of other bytes, unless even
// `most_sets` do not reach that.
class Rotation {
 public:
  // `memory` must outlive this; it is kept for the next problem and grows as needed. A, B and, when with_c, C
  // are filled.
  Status Create(const Problem& problem, bool with_c, const NormalPool* inputs, const NormalPool* outputs,
                std::size_t l2_bytes, int most_sets, std::uint64_t seed, gpu::DeviceBuffer* memory,
                CUstream stream);

  std::int64_t sets() const { return sets_; }
  double footprint_bytes() const { return static_cast<double>(sets_) * static_cast<double>(set_bytes_); }
  // The addresses of set `index`; the other arguments are left as they are.
  void Point(std::int64_t index, Arguments* args) const;

  // Compares D of a set in some elements with FP64; *worst is the largest error in units of the bound of gemm.h.
  Status Check(std::int64_t set, const Arguments& args, double* worst) const;
  // Fills D of a set with NaN.
  Status PoisonD(std::int64_t set, CUstream stream) const;

 private:
  enum Operand { kA, kB, kC, kD };
  std::int64_t First(std::int64_t set, Operand operand) const;
  struct Element {
    std::int64_t set, batch, i, j;
  };
  std::size_t OffsetOf(std::int64_t set, Operand operand) const;
  // alpha A B + beta C of one element, and the sum of magnitudes.
  void Expect(const Arguments& args, const Element& at, double* value, double* magnitude) const;

  Problem problem_;
  bool with_c_ = false;
  const NormalPool* inputs_ = nullptr;
  const NormalPool* outputs_ = nullptr;
  std::uint64_t seed_ = 0;
  const gpu::DeviceBuffer* memory_ = nullptr;
  char* base_ = nullptr;
  std::size_t offset_[4] = {};
  std::size_t bytes_[4] = {};
  std::size_t set_bytes_ = 0;
  std::int64_t sets_ = 0;
};

// A, B and D once, and C when it is read.
double CompulsoryBytes(const Problem& problem, bool with_c);

}  // namespace gemm::tool::bench
