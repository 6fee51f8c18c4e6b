// All kernels of the library, in the order in which ties are broken.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "common/dispatch/kernel.h"

namespace gemm::dispatch {

using Rows = std::vector<const KernelRow*>;

// The rows of HopperKernels(), AmpereKernels() and SimtKernels(), in this order; the last one accepts every
// problem. The three functions are defined by the backends, whose libraries are alwayslink so that the order in
// which they are linked does not matter. Built on first use, then immutable.
const Rows& Registry();

// The rows of `tables` one after the other.
Rows Collect(std::initializer_list<KernelTable> tables);

// Null when no row has this name.
const KernelRow* FindRow(const Rows& rows, std::string_view name);

// The three names of `rows` that take the fewest edits to become `name`, nearest first, separated by ", ".
std::string NearestNames(const Rows& rows, std::string_view name);

}  // namespace gemm::dispatch
