// Rows for a B [n, k] whose rows start at no multiple of 16 bytes, which have the copy engine read it from where it lies.
//
// Every second, fourth or eighth row of B starts alike beside multiples of 16 bytes: such a class of rows is a matrix that TMA can address,
// from the first multiple of 16 bytes within its rows on. What stands there are other elements along K for each class, so that A is copied
// into workspace once for each class, its rows beginning with the same elements. The product is then a batch of aligned products, one for
// each class, which a kernel of parallel split K computes. A second kernel (add_classes.cu) adds up the parts, multiplies the few elements at
// both ends of K that a class does not take, and stores the columns of D where they belong.
//
// The first element that class c takes is first + c * step, so that the classes' matrices lie equally far apart and one tensor map has all.
// All classes take K - left elements. What the map then covers is B, and nothing beside it.
#pragma once

#include <vector>

#include "common/dispatch/kernel.h"

namespace gemm::hopper {

// Rows of the kernels of parallel split K in `table` that run so, under the names of those with "_classes" behind them. `table` and the
// result must live as long as the process.
std::vector<dispatch::KernelRow> ClassRows(dispatch::KernelTable table);

}  // namespace gemm::hopper
