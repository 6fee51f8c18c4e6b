// Staging one FP32 operand by cp.async, straight from global into shared memory.
#pragma once

#include "common/device/ptx/cp_async.cuh"
#include "common/simt/config.h"
#include "common/simt/params.h"
#include "common/simt/shared.cuh"

namespace gemm::simt {

// Copies panels of kExtent x kTileK elements. K-major operands are transposed on the way, by copies of single elements:
// a warp takes 8 columns of 4 lines, which are whole 32-byte sectors in global memory and 32 banks in shared memory.
// MN-major ones are copied by vectors: their base, strides and extent must be multiples of four elements. Lines beyond
// the operand's end are copies of its last ones: nothing of D comes of them. Columns beyond K become zero. Offsets within a
// panel must fit into 32 bits (ring.cc keeps to that).
template <typename Config, int kExtent, int kMajor>
class RingPanel {
 public:
  using Shared = SharedPanel<Config::kTileK, kExtent>;

  // `origin`: element (0, 0) of the first panel, of which `mn_left` lines exist.
  __device__ __forceinline__ RingPanel(const Input& input, const char* origin, long long mn_left)
      : from_(origin), k_stride_(static_cast<unsigned>(input.k_stride)) {
    const int last = (mn_left < kExtent ? static_cast<int>(mn_left) - 1 : kExtent - 1) / kWidth * kWidth;
    const Place first = First();
#pragma unroll
    for (int i = 0; i < kLines; ++i) {
      const int mn = first.mn + i * kLineStep;
      offset_[i] = static_cast<unsigned>((mn < last ? mn : last) * input.mn_stride + first.k * input.k_stride);
    }
  }

  // Starts all copies of the next panel, all of whose columns exist.
  __device__ __forceinline__ void Copy(Shared& shared) const {
#pragma unroll
    for (int i = 0; i < kCopies; ++i) CopyOne(shared, i, true);
  }

  // The same for part `part` of `parts`; to be unrolled.
  __device__ __forceinline__ void CopyPart(Shared& shared, int part, int parts) const {
#pragma unroll
    for (int i = 0; i < kCopies; ++i) {
      if (i * parts / kCopies == part) CopyOne(shared, i, true);
    }
  }

  // Starts all copies of the first panel, of which only `columns` <= kTileK are wanted, and moves on by as many.
  __device__ __forceinline__ void CopyFirst(Shared& shared, int columns) {
    const Place first = First();
#pragma unroll
    for (int i = 0; i < kCopies; ++i) CopyOne(shared, i, first.k + i / kLines * kColumnStep < columns);
    from_ += static_cast<long long>(columns) * (kMajor == kMajorK ? 4 : k_stride_);
  }

  __device__ __forceinline__ void Advance() {
    from_ += Config::kTileK * static_cast<long long>(kMajor == kMajorK ? 4 : k_stride_);
  }

  // From behind the last panel to that panel.
  __device__ __forceinline__ void StepBack() {
    from_ -= Config::kTileK * static_cast<long long>(kMajor == kMajorK ? 4 : k_stride_);
  }

 private:
  static constexpr int kThreads = Config::kThreads;
  static constexpr int kWidth = kMajor == kMajorK ? 1 : 4;  // elements of a copy
  static constexpr int kLineThreads = kMajor == kMajorMN       ? kExtent / 4
                                      : kThreads / 8 < kExtent ? kThreads / 8
                                                               : kExtent;
  static constexpr int kColumnThreads = kThreads / kLineThreads;
  static constexpr int kLineStep = kLineThreads * kWidth;
  static constexpr int kColumnStep = kColumnThreads;
  static constexpr int kLines = kExtent / kLineStep;

 public:
  static constexpr int kCopies = kLines * Config::kTileK / kColumnStep;  // of a panel, by each thread

 private:
  static_assert(kCopies * kThreads * kWidth == kExtent * Config::kTileK && kCopies > 0,
                "the threads must tile the panel");

  // Starts copy i, or fills its place with zeros.
  __device__ __forceinline__ void CopyOne(Shared& shared, int i, bool wanted) const {
    const Place first = First();
    const int line = i % kLines;
    const int column = i / kLines * kColumnStep;
    const unsigned to = static_cast<unsigned>(
        __cvta_generic_to_shared(&shared.at[first.k + column][first.mn + line * kLineStep]));
    const char* from = from_ + offset_[line] + (kMajor == kMajorK ? column * 4u : column * k_stride_);
    if constexpr (kMajor == kMajorK) {
      device::ptx::CpAsync4(to, wanted ? from : from_, wanted ? 4 : 0);
    } else {
      device::ptx::CpAsync16(to, wanted ? from : from_, wanted ? 16 : 0);
    }
  }

  static __device__ __forceinline__ Place First() {
    const int thread = static_cast<int>(threadIdx.x);
    if (kMajor == kMajorK) return {thread / kColumnThreads, thread % kColumnThreads};
    return {thread % kLineThreads * kWidth, thread / kLineThreads};
  }

  const char* from_;  // element (0, 0) of the next panel
  unsigned k_stride_;
  unsigned offset_[kLines];  // of this thread's first element of each of its lines
};

}  // namespace gemm::simt
