// The choice as a text for people.
#pragma once

#include <string>

#include "common/dispatch/select.h"

namespace gemm::dispatch {

// One line, with all multiprocessors: "NVIDIA H200, compute capability 9.0, 132 SMs at 1980 MHz, 4814 GB/s, 60.0 MiB L2".
std::string ToString(const Device& device);

// An aligned table of the selection's candidates, fastest first, the rejected ones after them with their
// reasons; the chosen one is marked with '*' (none when `chosen` is false: Select failed). Ends with a newline.
std::string ToTable(const Selection& selection, bool chosen);

// A line that the chosen row does not keep to PlanOptions::max_sms; "" where it does or nothing is limited.
std::string LimitNote(const Selection& selection, const Device& device);

// The problem, the device and the table, or the error that Select gives with its candidates: all of `gemm
// explain`.
std::string Explain(const Rows& rows, const problem::Normalized& problem, const Device& device,
                    const SelectOptions& options);

}  // namespace gemm::dispatch
