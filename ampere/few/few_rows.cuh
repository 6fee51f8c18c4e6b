// The short operand's rows, which start anywhere, in registers and shifted to match the longer one's.
#pragma once

#include "ampere/few/steps.cuh"
#include "common/device/ptx/opaque.cuh"

namespace gemm::ampere::few {

// Elements at..at + 7 of a row of `k`, the first of which `from` is at; zeros where it has none.
__device__ __forceinline__ uint4 PickUp(const unsigned short* from, int at, int k) {
  unsigned words[4] = {};
#pragma unroll
  for (int i = 0; i < kPiece; ++i) {
    const unsigned element = at + i >= 0 && at + i < k ? from[i] : 0;
    words[i / 2] |= element << i % 2 * 16;
  }
  return {words[0], words[1], words[2], words[3]};
}

// A lane's sixteen elements of a row in a step.
struct Sixteen {
  uint4 halves[2];
};

// 24 elements in which sixteen begin behind the first `ahead`, 0 to 7.
struct Around {
  uint4 pieces[3];

  __device__ __forceinline__ Sixteen From(unsigned ahead) const {
    unsigned w[12];
#pragma unroll
    for (int i = 0; i < 3; ++i) {
      w[i * 4] = pieces[i].x, w[i * 4 + 1] = pieces[i].y, w[i * 4 + 2] = pieces[i].z,
            w[i * 4 + 3] = pieces[i].w;
    }
    if (ahead & 4) {
#pragma unroll
      for (int i = 0; i < 10; ++i) w[i] = w[i + 2];
    }
    if (ahead & 2) {
#pragma unroll
      for (int i = 0; i < 9; ++i) w[i] = w[i + 1];
    }
#pragma unroll
    for (int i = 0; i < 8; ++i) w[i] = __funnelshift_r(w[i], w[i + 1], (ahead & 1) * 16);
    return {{{w[0], w[1], w[2], w[3]}, {w[4], w[5], w[6], w[7]}}};
  }
};

// A lane's rows of the short operand, every eighth one, and its part of their steps.
template <class C>
class FewRows {
 public:
  __device__ __forceinline__ FewRows(const Operand& operand, int first, int rows, int part,
                                     const Steps<C>& steps)
      : eight_(8 * operand.ld), rows_((rows - first + 7) / 8), part_(part * 16), steps_(steps) {
    const unsigned short* start = FirstElement(operand) + first * operand.ld + steps.At(0) + part_;
    ahead_ = Behind<kPiece>(start);
    from_ = start - ahead_;
    device::ptx::KeepInRegister(from_);
  }

  // Of the row that `eights` times eight lies behind the lane's first.
  __device__ __forceinline__ Around Load(int eights, int step) const {
    Around around = {};
    if (eights >= rows_) return around;
    const unsigned short* from = from_ + step * C::kTileK + eights * eight_;
    if (steps_.IsWhole(step)) {
#pragma unroll
      for (int i = 0; i < 3; ++i) around.pieces[i] = reinterpret_cast<const uint4*>(from)[i];
    } else {
#pragma unroll
      for (int i = 0; i < 2; ++i) {
        around.pieces[i] = PickUp(from + ahead_ + i * kPiece, steps_.At(step) + part_ + i * kPiece, steps_.k);
      }
    }
    return around;
  }
  // What Around::From is to be given.
  __device__ __forceinline__ unsigned Ahead(int step) const { return steps_.IsWhole(step) ? ahead_ : 0; }

 private:
  const long long eight_;  // elements from a lane's row to its next
  const int rows_;         // that there are
  const int part_;         // of a step: elements from its start to the lane's
  unsigned ahead_;         // elements from a multiple of 16 bytes to the lane's
  const Steps<C> steps_;
  const unsigned short* from_;  // the lane's first piece of the first step
};

}  // namespace gemm::ampere::few
