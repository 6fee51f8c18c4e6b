// What every command that times products does: list the products, open the device, the rival and the meters.
#pragma once

#include <string>
#include <vector>

#include "gemm/gemm.h"
#include "tools/gemm/bench/case.h"
#include "tools/gemm/bench/options.h"
#include "tools/gemm/bench/report.h"

namespace gemm::tool::bench {

// Refuses numbers that make no sense, each by the name of its flag.
Status CheckTiming(const Options& options);

// All products: by type, then in the files' order, then the random ones.
Status ListProblems(const Options& options, std::vector<Problem>* problems);

// Reads a file of `gemm tune`; a refusal names the file.
Status ReadTuning(const std::string& path, Tuning* tuning);

// Opens the device, the rival and the meters of bench->options, and notes what they are.
Status Open(Bench* bench, Circumstances* circumstances);

void Print(const Circumstances& circumstances);

}  // namespace gemm::tool::bench
