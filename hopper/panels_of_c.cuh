// C for a kernel that computes D's transpose: added to the sums before transposed_store.cuh stores them.
//
// C comes in panels as D leaves (a map like D's: output_maps.cc), into the places that D's panels leave from, so an update in place is read
// before it is written, by the same consumer. ldmatrix takes from a panel what stmatrix would write there: the same addresses, and the
// fragments that wgmma leaves. An FP32 C, and one whose columns do not start at multiples of 16 bytes, is read an element at a time
// (transposed_store.cuh).
#pragma once

#include "common/device/convert.cuh"
#include "common/device/ptx/elect.cuh"
#include "common/device/ptx/ldmatrix.cuh"
#include "common/device/ptx/mbarrier.cuh"
#include "common/device/ptx/tma.cuh"
#include "common/device/scalars.cuh"
#include "hopper/panels.cuh"
#include "hopper/params.h"
#include "hopper/shared.cuh"
#include "hopper/tile_scheduler.cuh"

namespace gemm::hopper {

// A consumer warp's. `next` counts the panels that its consumer has stored.
template <class C>
class PanelsOfC {
 public:
  __device__ __forceinline__ PanelsOfC(const Params& params, Shared<C>& shared, unsigned consumer,
                                       unsigned warp, unsigned lane, unsigned next)
      : params_(params),
        panels_(shared, consumer, warp, lane),
        full_(shared.c_full[consumer * 4]),
        next_(next) {}

  // While the main loop runs: the first panels, where their places are free by now, the others into the L2.
  __device__ __forceinline__ void FetchAhead(const TileAt& tile) const {
    if (panels_.IsFirstWarp()) {
      if (device::ptx::ElectOne()) {
        device::ptx::WaitStoresRead<0>();
#pragma unroll 1
        for (int panel = 0; panel < kPanels; ++panel) {
          if (panel < C::kChunkBuffers && !C::kEpilogueInRing) {
            Load(tile, panel);
          } else {
            device::ptx::PrefetchTile(Map(panel), panels_.Row(tile, panel), panels_.Column(tile, panel),
                                      tile.batch * params_.c_batch_step);
          }
        }
      }
      __syncwarp();
    }
  }

  // The first panels, where the consumer has multiplied what lay in their places.
  __device__ __forceinline__ void FetchIntoRing(const TileAt& tile) const {
    if (panels_.IsFirstWarp()) {
      if (device::ptx::ElectOne()) {
#pragma unroll 1
        for (int panel = 0; panel < min(C::kChunkBuffers, kPanels); ++panel) Load(tile, panel);
      }
      __syncwarp();
    }
  }

  // alpha acc + beta C into acc. Other warps may not have read their rows of the last panels yet.
  __device__ __forceinline__ void Combine(const TileAt& tile, const device::AlphaBeta& scalars,
                                          float (&acc)[C::kBlocksM][C::kTileN / 2]) const {
#pragma unroll
    for (int panel = 0; panel < kPanels; ++panel) {
      const unsigned count = next_ + panel;
      device::ptx::WaitParity(&full_[count % C::kChunkBuffers], count / C::kChunkBuffers & 1);
      Add(panels_.At(panel, count), params_.n - panels_.Column(tile, panel), scalars, acc, panel);
      if (panel + C::kChunkBuffers < kPanels) {
        panels_.Sync();
        if (panels_.IsFirstWarp()) {
          if (device::ptx::ElectOne()) {
            // There are none, but without a wait here ptxas issues some kernels' copy in a loop over the warp's lanes (tests/codegen).
            device::ptx::WaitStoresRead<0>();
            Load(tile, panel + C::kChunkBuffers);
          }
          __syncwarp();
        }
      }
    }
  }

 private:
  static constexpr int kPanels = Panels<C>::kOfTile;

  __device__ __forceinline__ const TensorMap* Map(int panel) const {
    return Panels<C>::IsNarrow(panel) ? &params_.c_narrow : &params_.c;
  }

  __device__ __forceinline__ void Load(const TileAt& tile, int panel) const {
    const unsigned count = next_ + panel;
    device::ptx::Barrier* const full = &full_[count % C::kChunkBuffers];
    device::ptx::ArriveExpectBytes(full, Panels<C>::Width(panel) * 128);
    device::ptx::LoadTile(panels_.At(panel, count), Map(panel), panels_.Row(tile, panel),
                          panels_.Column(tile, panel), tile.batch * params_.c_batch_step, full);
  }

  // This warp's rows of the panel, which has `columns` of D.
  __device__ __forceinline__ void Add(const unsigned char* at, int columns, const device::AlphaBeta& scalars,
                                      float (&acc)[C::kBlocksM][C::kTileN / 2], int panel) const {
    const unsigned from = panels_.Matrices(at);
#pragma unroll
    for (int i = 0; i < Panels<C>::Width(panel); i += 16) {
      // Also keeps ptxas from asking for all of the panel at once: ping-pong 128x128 spills then (nvcc 13.0).
      if (i >= columns) break;
      float* const v =
          &acc[panel / Panels<C>::kAcross][(panel % Panels<C>::kAcross * Panels<C>::kColumns + i) / 2];
      const int pairs = i + 8 < Panels<C>::Width(panel) ? 4 : 2;
      unsigned c[4];
      if (pairs == 4) {
        device::ptx::LdmatrixX4Trans(from + i * 128, c[0], c[1], c[2], c[3]);
      } else {
        device::ptx::LdmatrixX2Trans(from + i * 128, c[0], c[1]);
      }
#pragma unroll
      for (int j = 0; j < pairs; ++j) {
        const device::Float2 of_c = device::Unpack2(params_.output_type, c[j]);
        v[2 * j] = fmaf(scalars.beta, of_c.low, scalars.alpha * v[2 * j]);
        v[2 * j + 1] = fmaf(scalars.beta, of_c.high, scalars.alpha * v[2 * j + 1]);
      }
    }
  }

  const Params& params_;
  const Panels<C> panels_;
  device::ptx::Barrier* const full_;  // of the consumer's first warp
  const unsigned next_;
};

}  // namespace gemm::hopper
