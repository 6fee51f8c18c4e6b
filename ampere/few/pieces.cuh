// Pieces of 16 bytes on their way into shared memory, of which a matrix may have a part alone.
#pragma once

#include "ampere/few/config.h"
#include "common/device/ptx/cp_async.cuh"

namespace gemm::ampere::few {

// The first `there` elements of a piece, zeros behind them, of a matrix that ends at `end`. A copy reads no more than its bytes, but
// compute-sanitizer takes it for one of 16: at the matrix's end elements go one by one.
__device__ __forceinline__ void CopyPiece(unsigned to, const unsigned short* at, int there,
                                          const unsigned short* end) {
  if (there == 0 || at + kPiece <= end) {
    device::ptx::CpAsync16(to, at, 2 * there);
    return;
  }
  auto* const elements = static_cast<unsigned short*>(__cvta_shared_to_generic(to));
#pragma unroll 1
  for (int i = 0; i < kPiece; ++i) elements[i] = i < there ? at[i] : 0;
}

}  // namespace gemm::ampere::few
