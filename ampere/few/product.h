// What the families of kernels for few rows share: what none of them can run, and the part of their parameters that is the product's.
#pragma once

#include <optional>
#include <string>

#include "ampere/few/params.h"
#include "common/dispatch/device.h"
#include "common/dispatch/kernel.h"
#include "common/problem/problem.h"
#include "gemm/gemm.h"

namespace gemm::ampere::few {

// As KernelFamily::reject. Layouts and alignments are not looked at.
std::optional<std::string> RejectProduct(const dispatch::KernelRow& row, const problem::Normalized& p,
                                         const dispatch::Device& device);

// All but the addresses, the scalars and how CTAs share the product.
Params ProductOf(const problem::Normalized& p);
// Fills in the addresses and the scalars.
void SetArguments(const Arguments& args, bool wide_is_b, Params* params);

}  // namespace gemm::ampere::few
