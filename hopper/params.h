// What the host gives the kernel. Shared by host and device code: plain types only.
#pragma once

#include "common/device/scalars.cuh"
#include "hopper/bands.h"
#include "hopper/clusters.h"
#include "hopper/divisor.h"

namespace gemm::hopper {

// A CUtensorMap without cuda.h (which aligns it to 64 bytes in CUDA 12, to 128 in 13); tensor_maps.cc asserts that
// they fit.
struct alignas(128) TensorMap {
  unsigned char bytes[128];
};

// Stream-K's part of the parameters; stream_k.cuh and stream_k.h explain them. Of it parallel split K has `partials` and `apart`; kernels of
// other schedules never look at it.
struct StreamKParams {
  void* partials;             // in workspace: one partial tile of each CTA
  unsigned long long* flags;  // in workspace, behind the partials: one of each consumer warp of each CTA
  unsigned long long nonce;   // of this Run, never 0
  unsigned tiles;  // the first of all cluster tiles, which the clusters share; the others are computed whole
  // 1: each part stores its share of a tile's rows (scattered_sums.cuh); all clusters have one part of one tile.
  unsigned scatters;
  // Clusters from one part of a tile to the next: 1, or as many as tiles where all are cut alike.
  Divisor apart;
};

// Params::early. A is the caller's B where the kernel computes D's transpose.
inline constexpr int kEarlyA = 1;
inline constexpr int kEarlyB = 2;

// Params::transposed: 0 where D is computed as it lies.
inline constexpr int kTransposed = 1;  // D's columns are the kernel's rows
// Besides, D's rows are whole units of 16 bytes, which start at multiples of 16.
inline constexpr int kTransposedUnits = 2;

// How tiles are cut that are all cut alike: split K's (split_k.cuh), parallel split K's (parallel_split_k.cuh), and stream-K's where it can
// be (stream_k.cuh).
struct SplitKParams {
  unsigned parts;  // of K; 0: stream-K's ranges begin anywhere
  // The steps of a part, at least 1; of stream-K the last part has all that is left, which may be more.
  unsigned each;
  unsigned rest;  // the first parts have one more
};

// An operand where it lies: rows of K elements, or of M or N where those are contiguous.
struct RowsInMemory {
  const void* address;
  long long ld;  // elements
  long long batch_stride;
};

// The one parameter of every kernel, passed as __grid_constant__: the copy engine reads the maps where they
// are. A "cluster tile" is what the CTAs of a cluster compute together.
struct Params {
  TensorMap a;  // boxes and coordinates, and which of the four are never looked at: producer.cuh
  TensorMap b;
  TensorMap a_tail;
  TensorMap b_tail;
  // Of each tile's last step, where last_slices is less than 4: as the four above, with boxes of less k.
  TensorMap a_ragged;
  TensorMap b_ragged;
  TensorMap a_tail_ragged;
  TensorMap b_tail_ragged;
  TensorMap c;  // epilogue.cuh; never looked at when beta is 0
  TensorMap d;
  TensorMap c_narrow;  // as c and d for narrow chunks; set where the row's tiles have such
  TensorMap d_narrow;
  TensorMap d_pairs;  // sector_store.cuh; set, and the narrow one too, where by_sectors is
  TensorMap d_pairs_narrow;
  TensorMap d_pairs_first;
  // What stands between a CTA's start and its first load, side by side: a line of constant memory that nobody has read takes its
  // time.
  ClusterShape cluster;
  unsigned tiles;           // cluster tiles of the whole batch
  unsigned last_slices;     // of 16 k, in each tile's last step: 4, or fewer (producer.cuh)
  unsigned bands_across_n;  // 1: bands lie across N and are walked along M; 0: the other way round
  Divisor per_matrix;       // cluster tiles
  Bands bands;              // of cluster tiles
  unsigned k_steps;         // ceil(K / kTileK), at least 1
  SplitKParams split_k;     // of schedules that cut K only
  int m;
  int n;
  int a_batch_step;  // 1; 0 broadcasts the one matrix of the map to the whole batch
  int b_batch_step;
  int early;  // the operand that may be read before earlier work in the stream has finished: kEarlyA, kEarlyB or 0
  device::Scalars scalars;
  int c_batch_step;
  int output_type;  // device::ElementType of C and D
  // The copy engine clips stores at multiples of 16 bytes, not at elements (seen on an H200, 2026-11-21: with
  // 517 BF16 columns it wrote zeros into columns 517 to 519). So d's map ends at the last whole 16 bytes of a
  // row, and the columns from whole_columns to n, if any, are stored by the threads. 0, and no map d, where the
  // rows of D do not start at multiples of 16 bytes: then the threads store all.
  int whole_columns;
  int transposed;  // what the kernel computes is D's transpose: panels.cuh says what the maps c and d are then
  int by_sectors;  // 1: D's rows start within a sector by turns, and its maps as pairs of rows are there (sector_store.cuh)
  int c_by_threads;  // 1: there is no map c, as C's rows do not start at multiples of 16 bytes or it does not come in panels
  const void* c_address;
  void* d_address;
  long long c_row_stride;  // elements; of the matrix as it lies, also where the kernel computes its transpose
  long long c_batch_stride;
  long long d_row_stride;
  long long d_batch_stride;
  StreamKParams stream_k;
  // Of kernels for rows that start anywhere, which have no maps a and b (thread_producer.cuh); others never look at these.
  RowsInMemory a_rows;
  RowsInMemory b_rows;
  int k;
};

}  // namespace gemm::hopper
