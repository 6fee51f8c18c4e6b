// Which rows of a tile come in boxes: the device's side of boxes.h.
#pragma once

#include "hopper/config.cuh"

namespace gemm::hopper {

// Rows of the tile from row `first` of an operand with `extent` rows that boxes bring. 0 for tiles beyond the edge, which
// odd numbers of tiles leave to clusters.
template <bool Transposed>
__device__ __forceinline__ int LoadedRows(int first, int extent, int tile_rows) {
  return max(0, min(RowsInBoxes(Transposed, extent - first), tile_rows));
}

}  // namespace gemm::hopper
