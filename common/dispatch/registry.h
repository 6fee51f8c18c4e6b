// All kernels of the library, in the order in which ties are broken.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "common/dispatch/kernel.h"

namespace gemm::dispatch {

using Rows = std::vector<const KernelRow*>;

// The rows of every backend, in the order of registry.cc; the last one accepts every problem. The backends define
// the functions that give them (kernel.h). Built on first use, then immutable.
const Rows& Registry();

// The rows of `tables` one after the other.
Rows Collect(std::initializer_list<KernelTable> tables);

// Null when no row has this name.
const KernelRow* FindRow(const Rows& rows, std::string_view name);

// The three names of `rows` that take the fewest edits to become `name`, nearest first, separated by ", ".
std::string NearestNames(const Rows& rows, std::string_view name);

}  // namespace gemm::dispatch
