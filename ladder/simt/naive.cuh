// One thread, one element of D: every operand comes from global memory, k times. What differs is which element a thread
// takes, and so which addresses a warp asks for at a time.
#pragma once

#include "ladder/element.cuh"
#include "ladder/params.h"

namespace gemm::ladder {

// B of element (k, column) is b[k * step + column_offset].
template <class T>
__device__ __forceinline__ void OneElement(const Params& p, int row, int column, int b_column, int b_step) {
  if (row >= p.m || column >= p.n) return;
  const T* a = static_cast<const T*>(p.a) + row * p.k;
  const T* b = static_cast<const T*>(p.b) + b_column;
  float sum = 0;
  for (int k = 0; k < p.k; ++k) sum += ToFloat(a[k]) * ToFloat(b[k * b_step]);
  StoreRow<1, float>(p, row * p.n + column, &sum);
}

// Blocks of 32 x 32 threads. The lanes of a warp take neighbouring columns: one broadcast from A, 32 neighbours of B.
template <class T>
__device__ __forceinline__ void Naive2d(const Params& p) {
  const int column = blockIdx.x * 32 + threadIdx.x;
  OneElement<T>(p, blockIdx.y * 32 + threadIdx.y, column, column, p.n);
}

// The same with B stored [n, k]: each lane walks along a row of its own, and 32 lanes ask for 32 sectors.
template <class T>
__device__ __forceinline__ void NaiveTransposedB(const Params& p) {
  const int column = blockIdx.x * 32 + threadIdx.x;
  OneElement<T>(p, blockIdx.y * 32 + threadIdx.y, column, column * p.k, 1);
}

// One index over all elements, divided into row and column by each thread.
template <class T>
__device__ __forceinline__ void NaiveIndex1d(const Params& p) {
  const int index = blockIdx.x * 256 + threadIdx.x;
  const int column = index % p.n;
  OneElement<T>(p, index / p.n, column, column, p.n);
}

// A block of 1024 threads in one dimension, folded onto 32 x 32 elements so that accesses coalesce.
template <class T>
__device__ __forceinline__ void NaiveRemapped(const Params& p) {
  const int column = blockIdx.x * 32 + threadIdx.x % 32;
  OneElement<T>(p, blockIdx.y * 32 + threadIdx.x / 32, column, column, p.n);
}

}  // namespace gemm::ladder
