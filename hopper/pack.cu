// Copies operands that TMA cannot address to where it can: from any even address and leading dimension to rows
// that start at multiples of 16 bytes. As fast as memory: device memory is read and written once, in vectors of
// 16 bytes.
//
// A vector of the copy comes out of one or two aligned vectors of the original, shifted by what the row is off
// the grid of 16 bytes; the second is the first one of the next thread and is found in the L1. An aligned vector
// is read only where it holds an element that is wanted, and lies within the matrix whole: those at its very
// beginning and end are read element by element, so that nothing outside is touched. Between the rows, what
// belongs to the caller's padding may be read and is thrown away.
#include <cuda/std/cstdint>

#include "common/device/ptx/grid_dependency.cuh"
#include "hopper/pack.h"

namespace gemm::hopper {

// Addresses stay pointers all along, so that the compiler knows them to be of global memory.
using Bytes = const unsigned char*;

// What one vector of the copy is made of.
struct Source {
  Bytes at;        // its first element
  unsigned shift;  // bytes from the aligned vector before it
  int count;       // elements, 1 to 8; 0 of a vector that there is not
  bool whole;      // read in aligned vectors
  uint4 low;
  uint4 high;
};

__device__ __forceinline__ uint4 LoadVector(Bytes at) { return *reinterpret_cast<const uint4*>(at); }

// Bytes [shift, shift + 16) of the 32 in (low, high); shift is even and below 16.
__device__ __forceinline__ uint4 Shifted(const uint4& low, const uint4& high, unsigned shift) {
  const bool by8 = (shift & 8) != 0;
  const bool by4 = (shift & 4) != 0;
  const unsigned bits = shift % 4 * 8;
  const unsigned w0 = by8 ? low.z : low.x;
  const unsigned w1 = by8 ? low.w : low.y;
  const unsigned w2 = by8 ? high.x : low.z;
  const unsigned w3 = by8 ? high.y : low.w;
  const unsigned w4 = by8 ? high.z : high.x;
  const unsigned w5 = by8 ? high.w : high.y;
  const unsigned v0 = by4 ? w1 : w0;
  const unsigned v1 = by4 ? w2 : w1;
  const unsigned v2 = by4 ? w3 : w2;
  const unsigned v3 = by4 ? w4 : w3;
  const unsigned v4 = by4 ? w5 : w4;
  return make_uint4(__funnelshift_r(v0, v1, bits), __funnelshift_r(v1, v2, bits), __funnelshift_r(v2, v3, bits),
                    __funnelshift_r(v3, v4, bits));
}

__device__ __forceinline__ uint4 LoadElements(const Source& source) {
  const unsigned short* from = reinterpret_cast<const unsigned short*>(source.at);
  unsigned words[4] = {};
#pragma unroll
  for (int i = 0; i < kPackVectorElements; ++i) {
    if (i < source.count) words[i / 2] |= static_cast<unsigned>(from[i]) << (i % 2 * 16);
  }
  return make_uint4(words[0], words[1], words[2], words[3]);
}

// Starts the loads of `count` elements from `at` on, in the matrix that lies in [begin, end).
__device__ __forceinline__ void Start(Source& source, Bytes at, int count, Bytes begin, Bytes end) {
  const unsigned shift = static_cast<unsigned>(reinterpret_cast<cuda::std::uintptr_t>(at) % 16);
  const bool needs_high = shift + 2 * count > 16;
  const Bytes low = at - shift;
  source.at = at;
  source.shift = shift;
  source.count = count;
  source.whole = count > 0 && low >= begin && low + (needs_high ? 32 : 16) <= end;
  if (source.whole) source.low = LoadVector(low);
  if (source.whole && needs_high) source.high = LoadVector(low + 16);
}

__device__ __forceinline__ uint4 Finish(const Source& source) {
  return source.whole ? Shifted(source.low, source.high, source.shift) : LoadElements(source);
}

// The vectors of one matrix that are this thread's: `block` counts the matrix's CTAs.
__device__ __forceinline__ void PackMatrix(const PackOperand& operand, unsigned block, long long batch) {
  const Bytes begin = static_cast<Bytes>(operand.from) + 2 * batch * operand.from_batch_stride;
  const Bytes end = begin + 2 * ((operand.rows - 1) * operand.from_ld + operand.row_elements);
  uint4* const to = static_cast<uint4*>(operand.to) + batch * operand.to_batch_stride / kPackVectorElements;
  const long long to_ld = operand.to_ld / kPackVectorElements;
  // The CTA's first vector; those of its threads follow, 32 bits apart.
  const long long first = static_cast<long long>(block) * (kPackThreads * kPackVectors);
  const long long first_row = first / operand.row_vectors;
  const unsigned first_vector = static_cast<unsigned>(first - first_row * operand.row_vectors);
  Source sources[kPackVectors];
  uint4* targets[kPackVectors];
#pragma unroll
  for (int i = 0; i < kPackVectors; ++i) {
    const unsigned vector = first_vector + i * kPackThreads + threadIdx.x;
    const unsigned rows = vector / operand.row_vectors;
    const unsigned in_row = vector - rows * operand.row_vectors;
    const long long row = first_row + rows;
    const int element = static_cast<int>(in_row) * kPackVectorElements;
    const int count = row < operand.rows ? min(operand.row_elements - element, kPackVectorElements) : 0;
    targets[i] = to + row * to_ld + in_row;
    Start(sources[i], begin + 2 * (row * operand.from_ld + element), count, begin, end);
  }
#pragma unroll
  for (int i = 0; i < kPackVectors; ++i) {
    if (sources[i].count > 0) *targets[i] = Finish(sources[i]);
  }
}

}  // namespace gemm::hopper

extern "C" __global__ void __launch_bounds__(gemm::hopper::kPackThreads)
    hopper_pack_16bit(const __grid_constant__ gemm::hopper::PackParams params) {
  gemm::device::ptx::GridDependencyWait();
  // Not before: classes.cc has the next kernel read an operand that lies where the caller has it, without a wait of its own.
  gemm::device::ptx::GridDependencyLaunchDependents();
  const bool is_a = blockIdx.x < params.a.blocks;
  const gemm::hopper::PackOperand& operand = is_a ? params.a : params.b;
  const unsigned block = is_a ? blockIdx.x : blockIdx.x - params.a.blocks;
  for (long long batch = blockIdx.y; batch < operand.batch; batch += gridDim.y) {
    gemm::hopper::PackMatrix(operand, block, batch);
  }
}
