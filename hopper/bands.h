// The order of tiles in bands. Shared by host and device code: plain types only.
//
// Tiles are numbered band by band. A band is `width` tiles wide across one side of D and is walked along the other, so that the CTAs
// which run together share rows of A and columns of B. The last band may be narrower.
#pragma once

#include "hopper/divisor.h"

namespace gemm::hopper {

struct Bands {
  unsigned across;     // tiles of the matrix across the bands
  Divisor whole;       // tiles of a whole band
  Divisor width;       // at least 1
  Divisor last_width;  // of the last band

#ifdef __CUDACC__
  // Where tile `index` of a matrix lies: `across` and `along` the bands.
  __device__ __forceinline__ void Locate(unsigned index, unsigned* at_across, unsigned* at_along) const {
    const unsigned band = whole.Quotient(index);
    const unsigned in_band = index - band * whole.divisor;
    const unsigned first = band * width.divisor;
    const bool is_whole = first + width.divisor <= across;
    // Both, and then the one: sooner than the one by an address.
    const unsigned whole_step = width.Quotient(in_band);
    const unsigned last_step = last_width.Quotient(in_band);
    const unsigned step = is_whole ? whole_step : last_step;
    const unsigned tiles = is_whole ? width.divisor : last_width.divisor;
    *at_across = first + in_band - step * tiles;
    *at_along = step;
  }
#endif
};

}  // namespace gemm::hopper
