// The second kernel where B's rows are dealt to classes (classes.h): adds up the parts of K, multiplies what the product has left of K,
// and stores D = alpha sum + beta C. It may be launched while the product runs, and waits for its end.
//
// A class has every second, fourth or eighth column of D. So a CTA has the same rows and columns of the tiles of all classes, and exchanges
// their sums through shared memory: what it stores lies side by side.
#include "common/device/ptx/grid_dependency.cuh"
#include "common/device/ptx/mma.cuh"
#include "hopper/add_classes.h"
#include "hopper/add_parts.cuh"
#include "hopper/tile_scheduler.cuh"

namespace gemm::hopper {

// An operand's rows as one class has them, `count` of them.
struct ClassRows {
  const unsigned short* first;
  long long ld;
  int count;

  // Of what lies beyond the last row nothing is stored, whatever it is multiplied with.
  __device__ __forceinline__ const unsigned short* At(int row) const {
    return first + min(row, count - 1) * ld;
  }
};

// Of B, or all of A's.
__device__ __forceinline__ ClassRows RowsOf(const AddClassesParams& params, bool of_b, int of_class) {
  const void* const address = of_b ? params.b_address : params.a_address;
  return {static_cast<const unsigned short*>(address) + (of_b ? of_class * params.b_ld : 0),
          of_b ? params.b_ld << params.classes_log2 : params.a_ld,
          of_b ? params.rows_of_b_class : params.output.m};
}

// What the product leaves of K, as mma.sync's fragments: a thread's accumulators are the same as wgmma's (mma.cuh), and lie at `place` from
// the CTA's row and column on.
class LeftOfK {
 public:
  __device__ __forceinline__ LeftOfK(const AddClassesParams& params, int of_class, int row, int column,
                                     const PlaceOfSums& place)
      : type_(params.input_type), k_(params.k), begin_(params.k.first + of_class * params.k.step) {
    const bool transposed = params.transposed != 0;
    const ClassRows rows = RowsOf(params, transposed, of_class),
                    columns = RowsOf(params, !transposed, of_class);
    upper_ = rows.At(row + place.row);
    lower_ = rows.At(row + place.row + 8);
    column_ = columns.At(column + static_cast<int>(threadIdx.x % 32 / 4));
  }

  // By the whole warp.
  __device__ __forceinline__ void AddTo(float (&sums)[4]) const {
#pragma unroll 1
    for (int eight = 0; eight < k_.left; eight += 8) {
      const int i = eight + static_cast<int>(threadIdx.x % 4 * 2);
      const unsigned upper = Word(upper_, i), lower = Word(lower_, i), column = Word(column_, i);
      if (type_ == device::kElementFP16) {
        device::ptx::MmaM16N8K16F16(sums, {upper, lower, 0, 0}, {column, 0});
      } else {
        device::ptx::MmaM16N8K16BF16(sums, {upper, lower, 0, 0}, {column, 0});
      }
    }
  }

 private:
  // Elements i and i + 1 of those that are left of a row; zeros where there are none.
  __device__ __forceinline__ unsigned Word(const unsigned short* row, int i) const {
    const unsigned low = i < k_.left ? row[KOf(i)] : 0;
    const unsigned high = i + 1 < k_.left ? row[KOf(i + 1)] : 0;
    return low | high << 16;
  }
  __device__ __forceinline__ int KOf(int i) const { return i < begin_ ? i : i + k_.taken; }

  const int type_;
  const ClassesOfK& k_;
  const int begin_;  // of what the product takes
  const unsigned short* upper_;
  const unsigned short* lower_;
  const unsigned short* column_;
};

// A CTA's sums as they lie in D: 32 rows of eight columns of each class side by side, or eight rows of 32 where the product is transposed.
class SumsInD {
 public:
  static_assert(kAddPartsRows == 1 << 5 && kAddPartsColumns == 1 << 3, "width_log2_ has their logarithms");
  static constexpr int kMostFloats = kAddPartsRows * (kAddPartsColumns * kMostClasses + 1);

  __device__ __forceinline__ SumsInD(const AddClassesParams& params, float* floats)
      : floats_(floats),
        classes_log2_(params.classes_log2),
        transposed_(params.transposed != 0),
        width_log2_(params.classes_log2 + (params.transposed != 0 ? 5 : 3)) {}

  __device__ __forceinline__ void Put(const PlaceOfSums& place, int of_class, const float (&sums)[4]) const {
    At(place.row, place.column, of_class) = sums[0];
    At(place.row, place.column + 1, of_class) = sums[1];
    At(place.row + 8, place.column, of_class) = sums[2];
    At(place.row + 8, place.column + 1, of_class) = sums[3];
  }

  // Of pair `index`, counted along D's rows.
  __device__ __forceinline__ int RowOf(unsigned index) const {
    return static_cast<int>(index >> (width_log2_ - 1));
  }
  __device__ __forceinline__ int ColumnOf(unsigned index) const {
    return static_cast<int>(2 * index & ((1u << width_log2_) - 1));
  }
  __device__ __forceinline__ const float* PairAt(unsigned index) const {
    return floats_ + RowOf(index) * Pitch() + ColumnOf(index);
  }

 private:
  // Odd, so that rows lie in different banks.
  __device__ __forceinline__ int Pitch() const { return (1 << width_log2_) + 1; }

  __device__ __forceinline__ float& At(int row, int column, int of_class) const {
    const int in_d = transposed_ ? column : row;
    const int across = ((transposed_ ? row : column) << classes_log2_) + of_class;
    return floats_[in_d * Pitch() + across];
  }

  float* const floats_;
  const unsigned classes_log2_;
  const bool transposed_;
  const unsigned width_log2_;
};

}  // namespace gemm::hopper

// Loads of parts under way at once.
static constexpr unsigned kAtOnce = 4;

extern "C" __global__ void __launch_bounds__(gemm::hopper::kMostClasses* gemm::hopper::kAddPartsThreads, 3)
    hopper_add_classes(const __grid_constant__ gemm::hopper::AddClassesParams params) {
  using namespace gemm::hopper;
  __shared__ float floats[SumsInD::kMostFloats];
  gemm::device::ptx::GridDependencyLaunchDependents();
  const int of_class = static_cast<int>(threadIdx.x / kAddPartsThreads);
  const int thread = static_cast<int>(threadIdx.x % kAddPartsThreads);
  TileAt tile;
  LocateTile(params, params.cluster, 0, blockIdx.z, params.tiles.tile_m, params.tiles.tile_n, &tile);
  const int row = tile.row + static_cast<int>(blockIdx.y * kAddPartsRows);
  const int column = tile.column + static_cast<int>(blockIdx.x * kAddPartsColumns);
  const int row_of_d = params.transposed != 0 ? column : row;
  const int column_of_d = (params.transposed != 0 ? row : column) << params.classes_log2;
  const PlaceOfSums place(thread);
  const unsigned cta = of_class * params.per_matrix.divisor + blockIdx.z;
  const PartsAt parts = FindParts(params.tiles, cta, blockIdx.y, blockIdx.x, thread);
  gemm::device::ptx::GridDependencyWait();
  if (row_of_d >= params.output.m || column_of_d >= params.output.n) return;
  const gemm::device::AlphaBeta scalars = gemm::device::ReadScalars(params.scalars);
  const SumsInD in_d(params, floats);
  const unsigned pair = threadIdx.x, other = threadIdx.x + blockDim.x;
  const Pair one(params.output, scalars, 0, row_of_d + in_d.RowOf(pair), column_of_d + in_d.ColumnOf(pair));
  const Pair two(params.output, scalars, 0, row_of_d + in_d.RowOf(other), column_of_d + in_d.ColumnOf(other));
  const float4 sum = AddParts<kAtOnce>(parts, params.tiles.parts);
  float sums[4] = {sum.x, sum.y, sum.z, sum.w};
  LeftOfK(params, of_class, row, column, place).AddTo(sums);
  in_d.Put(place, of_class, sums);
  __syncthreads();
  one.Store(in_d.PairAt(pair)[0], in_d.PairAt(pair)[1]);
  two.Store(in_d.PairAt(other)[0], in_d.PairAt(other)[1]);
}
