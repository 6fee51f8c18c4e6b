// The tuning file: which kernel was measured to be the fastest for one problem. Text, a line each:
//
//   libgemm-tuning 1
//   version 0.1.0
//   device NVIDIA H200, compute capability 9.0, 132 SMs at 1980 MHz, 4814 GB/s, 60.0 MiB L2
//   KEY <tab> KERNEL <tab> MICROSECONDS
//
// A key holds what a choice depends on beside version and device, but for PlanOptions::max_workspace and a forced kernel.
// Lines that begin with # and empty lines are left out.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>

#include "common/dispatch/device.h"
#include "common/problem/problem.h"
#include "gemm/gemm.h"

namespace gemm::dispatch {

struct TuningTable {
  std::string version;
  std::string device;                                    // ToString(Device)
  std::unordered_map<std::string, std::string> kernels;  // by key
};

// Sizes, layouts, strides, alignments, types and scalar mode of `problem`, and the options that a choice may depend on;
// no tab in it. PlanOptions::max_workspace, kernel and tuning itself are not part of it. A plan whose beta the host tells
// looks for the key of the problem with C described like D.
std::string TuningKey(const problem::Normalized& problem, const PlanOptions& options);

// kInvalidArgument names the line; a time is a positive number. On failure *table is unspecified.
Status ParseTuning(std::string_view text, TuningTable* table);

// The header, and one line of such a file. `us` is for people.
std::string TuningHeader(const Device& device);
std::string TuningLine(const std::string& key, const std::string& kernel, double us);

// Whether it was made by this version on such a device.
bool IsFor(const TuningTable& table, const Device& device);
// The kernel for the key; "" where there is none, or where the table is of another version or device.
std::string FindTuned(const TuningTable& table, const Device& device, const std::string& key);

}  // namespace gemm::dispatch
