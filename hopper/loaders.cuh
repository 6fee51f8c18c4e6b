// Who loads what in a cluster: the CTAs that share an operand load its boxes in turn, one stage's whole box each, for all of them.
//
// A stage then waits for one producer an operand, not for all, and its readers hand it back to that one. Where every CTA loaded a
// slice of each stage, the CTAs of a cluster kept step in every stage: 64x64 in 2x2, 2x4 and 1x4 took 1.27, 1.30 and 1.08 times as long
// at 512x1536x8192 (H200, 2026-11-26).
#pragma once

#include "hopper/cluster_shape.cuh"

namespace gemm::hopper {

// Bits 0, step, 2 step, ... of a power of two.
__device__ __forceinline__ unsigned Every(unsigned step) {
  unsigned bits = 1;
#pragma unroll
  for (unsigned shift = 16; shift > 0; shift /= 2) {
    if (shift >= step) bits |= bits << shift;
  }
  return bits;
}

// Of one CTA, in row `row` and column `column` of those of its cluster that have the same part of K. Turns go by the stage's number, so
// that a stage's barrier has the same arrivals in every turn of the ring; a CTA never has to load both operands of a stage where a
// cluster shares both.
template <class C>
class Loaders {
 public:
  __device__ __forceinline__ Loaders(const Params& params, unsigned cluster_rank)
      : cluster_(ShapeOf<C>(params)),
        first_(C::kSplitK ? cluster_rank >> cluster_.size_log2 << cluster_.size_log2 : 0),
        row_(cluster_rank & (cluster_.m - 1)),
        column_(cluster_rank >> cluster_.m_log2 & (cluster_.n - 1)) {}

  // Whether this CTA loads the stage's A for its row, and the stage's B for its column.
  __device__ __forceinline__ bool LoadsA(unsigned stage) const { return ColumnThatLoadsA(stage) == column_; }
  __device__ __forceinline__ bool LoadsB(unsigned stage) const { return RowThatLoadsB(stage) == row_; }

  // Bits of the ranks with the same rows of A, and with the same columns of B; 0 where there is no other.
  __device__ __forceinline__ unsigned SharersOfA() const {
    const unsigned first_row = Every(cluster_.m) & ((1u << (1u << cluster_.size_log2)) - 1);
    return cluster_.n == 1 ? 0 : first_row << (first_ + row_);
  }
  __device__ __forceinline__ unsigned SharersOfB() const {
    const unsigned first_column = (1u << cluster_.m) - 1;
    return cluster_.m == 1 ? 0 : first_column << (first_ + column_ * cluster_.m);
  }

  // Warps that hand a stage back to this CTA: its own that read it, and as many of each CTA that it loads for.
  static constexpr unsigned kOwnReaders = 4 * C::kReaders;
  __device__ __forceinline__ static unsigned Readers(unsigned others, unsigned stage) {
    return kOwnReaders * (1 + (others >> 4 * (stage % 8) & 15));
  }
  // In four bits of each of eight stages, after which the turns repeat: the CTAs that it loads for.
  __device__ __forceinline__ unsigned Others() const {
    return (Every(4 * cluster_.n) << 4 * FirstStageOfA(row_, column_)) * (cluster_.n - 1) +
           (Every(4 * cluster_.m) << 4 * FirstStageOfB(row_, column_)) * (cluster_.m - 1);
  }

  // Peers are the CTAs that load for this one, itself among them: first those of its column, then the others of its row.
  __device__ __forceinline__ unsigned RankOfPeer(unsigned peer) const {
    const unsigned rank =
        IsInColumn(peer) ? peer + column_ * cluster_.m : row_ + ColumnOfPeer(peer) * cluster_.m;
    return first_ + rank;
  }
  // Bits of the stages that are handed back to the peer, as if there were 32. None of a number that no peer has.
  __device__ __forceinline__ unsigned StagesOfPeer(unsigned peer) const {
    if (peer >= cluster_.m + cluster_.n - 1) return 0;
    if (peer == row_) return ~0u;
    return IsInColumn(peer) ? Every(cluster_.m) << FirstStageOfB(peer, column_)
                            : Every(cluster_.n) << FirstStageOfA(row_, ColumnOfPeer(peer));
  }

 private:
  // The first of the stages whose A the CTA in that column loads for its row, and of those whose B it loads for its column; the next is
  // n, and m, later. ColumnThatLoadsA and RowThatLoadsB turn this around.
  __device__ __forceinline__ unsigned FirstStageOfA(unsigned row, unsigned column) const {
    return column - row & (cluster_.n - 1);
  }
  __device__ __forceinline__ unsigned FirstStageOfB(unsigned row, unsigned column) const {
    return row - column - 1 & (cluster_.m - 1);
  }
  __device__ __forceinline__ unsigned ColumnThatLoadsA(unsigned stage) const {
    return stage + row_ & (cluster_.n - 1);
  }
  __device__ __forceinline__ unsigned RowThatLoadsB(unsigned stage) const {
    return stage + column_ + 1 & (cluster_.m - 1);
  }
  __device__ __forceinline__ bool IsInColumn(unsigned peer) const { return peer < cluster_.m; }
  __device__ __forceinline__ unsigned ColumnOfPeer(unsigned peer) const {
    const unsigned other = peer - cluster_.m;
    return other + (other >= column_ ? 1 : 0);
  }

  const ClusterShape cluster_;
  const unsigned first_;  // rank of those that have the same part of K
  const unsigned row_;
  const unsigned column_;
};

}  // namespace gemm::hopper
