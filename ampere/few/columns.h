// Few rows times a matrix that lies by columns (columns_kernel.cuh): what one line of kernels.inc means. Shared by host and device code.
#pragma once

#include "ampere/few/config.h"
#include "ampere/few/params.h"

namespace gemm::ampere::few {

// A warp of each: rows of K eight apart start alike beside multiples of 16 bytes, whatever the leading dimension.
inline constexpr int kClasses = 8;
// K of a step: sixteen of each class, the k of mma.sync m16n8k16.
inline constexpr int kStepK = 16 * kClasses;
inline constexpr int kColumnsThreads = kWarpThreads * kClasses;
// Of the longer operand, that a CTA copies. With 256 and one CTA a multiprocessor products took 1.09 to 1.64 of the time (H200, 2026-11-30).
inline constexpr int kColumns = 128;

// The structs lie in namespace gemm::ampere::few::rows.
#define GEMM_AMPERE_FEW_COLUMNS_CONFIG(type, element, stages, ctas)         \
  struct GEMM_AMPERE_FEW_COLUMNS_NAME(type, stages) {                       \
    static constexpr device::ElementType kType = device::kElement##element; \
    static constexpr int kFew = kFewOfMma;                                  \
    static constexpr int kWide = kColumns;                                  \
    static constexpr int kTileK = kStepK;                                   \
    static constexpr int kStages = stages;                                  \
    static constexpr int kThreads = kColumnsThreads;                        \
    static constexpr int kCtasPerSm = ctas;                                 \
    static constexpr bool kByMma = true;                                    \
  };

// The short operand's part of a chunk of K: rows of 16 bytes more than their elements have, so that they may start anywhere in the first 16.
// Rows that are neighbours are four banks apart.
inline constexpr int kChunkSteps = 4;
inline constexpr int kChunkK = kChunkSteps * kStepK;
inline constexpr int kFewRowBytes = kChunkK * 2 + kPieceBytes;
inline constexpr int kFewChunkBytes = kFewOfMma * kFewRowBytes;

// Where rows of K start anywhere, the last columns of a CTA's are the next one's too.
constexpr int ColumnsOfCta(int wide, bool starts_alike) { return starts_alike ? wide : wide - kPiece; }

// What a warp hands to the CTA, of the columns that it has copied. Rows that are neighbours start four banks apart.
template <class C>
struct ColumnSums {
  float of[C::kFew][C::kWide + 4];
};

// Of a warp's ring a stage.
template <class C>
struct ColumnStage {
  alignas(128) unsigned char pieces[C::kWide * 16 * 2];
};

// The shared memory of a CTA; its sizeof is KernelRow::shared_bytes. A warp's sums take the place of its ring, which nobody else uses.
template <class C>
struct ColumnsShared {
  union OfWarp {
    ColumnStage<C> ring[C::kStages];
    ColumnSums<C> sums;
  } warps[kClasses];
  alignas(16) unsigned char few[2][kFewChunkBytes];
  int arrived;
};

// The parameter of the kernels. The grid: along x tiles of columns, along y the batch, along z the parts of K.
struct ColumnsParams {
  Params product;            // wide.ld: elements from one k to the next; few.ld and wide_early mean nothing
  long long few_row_stride;  // of the short operand: elements from a row to the next, and from a k to the next
  long long few_k_stride;
  int columns;      // that a CTA computes (ColumnsOfCta)
  int steps;        // of K, kStepK each
  int parts;        // that K is cut into, each for a CTA; below 256. With 1 the other fields mean nothing
  float* partials;  // in workspace, of each part, matrix and tile: few_rows rows of kWide sums
  unsigned long long* counters;  // in workspace, of each matrix and tile: common/device/arrivals.cuh
  unsigned long long nonce;      // of this Run
};

}  // namespace gemm::ampere::few
