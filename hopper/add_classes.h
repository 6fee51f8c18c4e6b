// What the host gives the kernel that adds up the parts of K where B's rows are dealt to classes (add_classes.cu). Shared by host and device
// code: plain types only.
#pragma once

#include "common/device/scalars.cuh"
#include "hopper/add_parts.h"
#include "hopper/bands.h"
#include "hopper/clusters.h"
#include "hopper/divisor.h"

namespace gemm::hopper {

inline constexpr int kMostClasses = 8;

// Which elements along K the product multiplies of each class: `taken` of them from first + c * step on. The second kernel multiplies the
// others, `left` of them, at both ends of K.
struct ClassesOfK {
  int first;  // of class 0
  int step;   // from one class to the next; may be negative
  int taken;
  int left;
};

// The grid: along x the tile's columns in eights, along y its rows in 32s, along z the tiles of one class. Each class has kAddPartsThreads
// threads of every CTA.
struct AddClassesParams {
  PartialTiles tiles;  // of all classes
  ClusterShape cluster;
  // As in Params.
  unsigned bands_across_n;
  Divisor per_matrix;
  Bands bands;
  unsigned classes_log2;
  int transposed;  // 1: B's rows are the product's rows, and A's its columns
  ClassesOfK k;
  int input_type;  // device::ElementType of A and B
  // A and B as they are in memory: rows along K, which start anywhere.
  const void* a_address;
  const void* b_address;
  long long a_ld;  // elements
  long long b_ld;
  int rows_of_b_class;
  SumsOutput output;  // rows and columns of D as it lies
  device::Scalars scalars;
};

}  // namespace gemm::hopper
