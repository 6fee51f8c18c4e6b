// From accumulators to a chunk in shared memory (chunks.cuh): alpha acc + beta C in the output's type.
#pragma once

#include "common/device/convert.cuh"
#include "common/device/ptx/stmatrix.cuh"
#include "common/device/scalars.cuh"

namespace gemm::hopper {

template <bool WithC>
__device__ __forceinline__ float Blend(const device::AlphaBeta& scalars, float value, float c) {
  return WithC ? fmaf(scalars.beta, c, scalars.alpha * value) : scalars.alpha * value;
}

template <bool WithC>
__device__ __forceinline__ void WriteFP32Chunk(const device::AlphaBeta& scalars, unsigned lane,
                                               unsigned char* at, const float* values, int columns) {
  const unsigned g = lane / 4;
  const unsigned t = lane % 4;
#pragma unroll
  for (int block = 0; block < 4; ++block) {
    if (8 * block >= columns) break;
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      float2* pair =
          reinterpret_cast<float2*>(at + (g + 8 * half) * 128 + ((2 * block + t / 2) ^ g) * 16 + t % 2 * 8);
      float2 c = {0.0f, 0.0f};
      if constexpr (WithC) c = *pair;
      const float* v = values + 4 * block + 2 * half;
      *pair = {Blend<WithC>(scalars, v[0], c.x), Blend<WithC>(scalars, v[1], c.y)};
    }
  }
}

// Of 16-bit elements of `type`.
template <bool WithC>
__device__ __forceinline__ void WriteNarrowChunk(int type, const device::AlphaBeta& scalars, unsigned lane,
                                                 unsigned char* at, const float* values, int columns) {
  const unsigned g = lane / 4;
  const unsigned t = lane % 4;
  unsigned words[16];
#pragma unroll
  for (int i = 0; i < 16; ++i) {
    if (4 * i >= columns) break;
    // Word i: columns 8 (i / 2) + 2 t and the next, row g + 8 (i % 2).
    device::Float2 c = {0.0f, 0.0f};
    if constexpr (WithC) {
      const unsigned char* from = at + (g + i % 2 * 8) * 128 + ((i / 2) ^ g) * 16 + t * 4;
      c = device::Unpack2(type, *reinterpret_cast<const unsigned*>(from));
    }
    words[i] = device::Pack2(type, Blend<WithC>(scalars, values[2 * i], c.low),
                             Blend<WithC>(scalars, values[2 * i + 1], c.high));
  }
  // C is read by other lanes than those that overwrite it.
  if constexpr (WithC) __syncwarp();
  // Matrices of one stmatrix: rows 0-7 and 8-15 of 8 columns, then of the next 8.
  const unsigned row = lane % 16;
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    if (16 * i >= columns) break;
    const unsigned unit = (2 * i + lane / 16) ^ (row % 8);
    const unsigned to = device::ptx::SharedAddress(at) + row * 128 + unit * 16;
    if (16 * i + 8 < columns) {
      device::ptx::StoreMatrix4(to, words[4 * i], words[4 * i + 1], words[4 * i + 2], words[4 * i + 3]);
    } else {
      device::ptx::StoreMatrix2(to, words[4 * i], words[4 * i + 1]);
    }
  }
}

// Converts a warp's sums of one chunk into the buffer at `at`, where its C lies when WithC. `values` are the lane's, in wgmma.cuh's
// fragments, of `columns` columns at most, which the compiler knows. `type` is the output's, of as many bytes as Element has. With C it
// is asked for each word: code for each type would be 4% more of the machine code of five kernels (2026-11-29).
template <class Element, bool WithC>
__device__ __forceinline__ void WriteChunk(int type, const device::AlphaBeta& scalars, unsigned lane,
                                           unsigned char* at, const float* values, int columns) {
  if constexpr (sizeof(Element) == 4) {
    WriteFP32Chunk<WithC>(scalars, lane, at, values, columns);
  } else if (WithC) {
    WriteNarrowChunk<WithC>(type, scalars, lane, at, values, columns);
  } else if (type == device::kElementBF16) {
    WriteNarrowChunk<WithC>(device::kElementBF16, scalars, lane, at, values, columns);
  } else {
    WriteNarrowChunk<WithC>(device::kElementFP16, scalars, lane, at, values, columns);
  }
}

}  // namespace gemm::hopper
