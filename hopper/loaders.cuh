// Who loads what in a cluster: the CTAs that share an operand load its boxes in turn, one stage's whole box each, for all of them.
//
// A stage then waits for one producer an operand, not for all, and its readers hand it back to that one. Where every CTA loaded a
// slice of each stage, the CTAs of a cluster kept step in every stage: 64x64 in 2x2, 2x4 and 1x4 took 1.27, 1.30 and 1.08 times as long
// at 512x1536x8192 (H200, 2026-11-26).
#pragma once

#include "hopper/config.cuh"

namespace gemm::hopper {

// Of one CTA, in row `row` and column `column` of those of its cluster that have the same part of K. Turns go by the stage's number, so that
// a stage's barrier has the same arrivals in every turn of the ring; a CTA never has to load both operands of a stage where a
// cluster shares both.
template <class C>
class Loaders {
 public:
  __device__ __forceinline__ explicit Loaders(unsigned cluster_rank)
      : first_(C::kSplitK ? cluster_rank / C::kClusterSize * C::kClusterSize : 0),
        row_(C::kClusterM == 1 ? 0 : cluster_rank % C::kClusterM),
        column_(C::kClusterN == 1 ? 0 : cluster_rank / C::kClusterM % C::kClusterN) {}

  // Whether this CTA loads the stage's A for its row, and the stage's B for its column.
  __device__ __forceinline__ bool LoadsA(unsigned stage) const { return ColumnThatLoadsA(stage) == column_; }
  __device__ __forceinline__ bool LoadsB(unsigned stage) const { return RowThatLoadsB(stage) == row_; }

  // Bits of the ranks with the same rows of A, and with the same columns of B.
  __device__ __forceinline__ unsigned RanksOfRow() const { return kRow << (first_ + row_); }
  __device__ __forceinline__ unsigned RanksOfColumn() const { return kColumn << (first_ + column_ * C::kClusterM); }

  // Warps that hand the stage back to this CTA: those of its own that read it, and of each CTA that it loads for.
  __device__ __forceinline__ unsigned Readers(unsigned stage) const {
    const unsigned others = (LoadsA(stage) ? C::kClusterN - 1 : 0) + (LoadsB(stage) ? C::kClusterM - 1 : 0);
    return 4 * C::kReaders * (1 + others);
  }

  // Peers are the CTAs that load for this one, itself among them: first those of its column, then the others of its row.
  static constexpr unsigned kPeers = C::kClusterM + C::kClusterN - 1;
  __device__ __forceinline__ unsigned RankOfPeer(unsigned peer) const {
    return first_ + (IsInColumn(peer) ? peer + column_ * C::kClusterM : row_ + ColumnOfPeer(peer) * C::kClusterM);
  }
  // Bits of the stages that are handed back to the peer. None of a number that no peer has.
  __device__ __forceinline__ unsigned StagesOfPeer(unsigned peer) const {
    if (peer >= kPeers) return 0;
    unsigned stages = 0;
#pragma unroll
    for (unsigned stage = 0; stage < C::kStages; ++stage) {
      const bool handed_back = IsInColumn(peer) ? peer == row_ || peer == RowThatLoadsB(stage)
                                                : ColumnOfPeer(peer) == ColumnThatLoadsA(stage);
      stages |= static_cast<unsigned>(handed_back) << stage;
    }
    return stages;
  }

 private:
  // Bits of the ranks of a cluster's first column, and of its first row.
  static constexpr unsigned kColumn = (1u << C::kClusterM) - 1;
  static constexpr unsigned kRow = ((1u << C::kClusterSize) - 1) / kColumn;

  __device__ __forceinline__ unsigned ColumnThatLoadsA(unsigned stage) const { return (stage + row_) % C::kClusterN; }
  __device__ __forceinline__ unsigned RowThatLoadsB(unsigned stage) const {
    return (stage + column_ + 1) % C::kClusterM;
  }
  __device__ __forceinline__ static bool IsInColumn(unsigned peer) { return peer < C::kClusterM; }
  __device__ __forceinline__ unsigned ColumnOfPeer(unsigned peer) const {
    const unsigned other = peer - C::kClusterM;
    return other + (other >= column_ ? 1 : 0);
  }

  const unsigned first_;  // rank of those that have the same part of K
  const unsigned row_;
  const unsigned column_;
};

}  // namespace gemm::hopper
