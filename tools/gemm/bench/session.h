// What every command that times products does: list the products, open the device, the rival and the meters.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "gemm/gemm.h"
#include "tools/gemm/bench/case.h"
#include "tools/gemm/bench/options.h"
#include "tools/gemm/bench/report.h"
#include "tools/gemm/exit_code.h"

namespace gemm::tool::bench {

// Refuses numbers that make no sense, each by the name of its flag.
Status CheckTiming(const Options& options);

// All products: by type, then in the files' order, then the random ones.
Status ListProblems(const Options& options, std::vector<Problem>* problems);

// Reads the file of `gemm tune` at `path`, if one is named; a refusal names the file.
Status ReadTuning(const std::string& path, Options* options);

// The key that a plan will look for: its C described like D, as when the first kernel of a plan is chosen.
std::string TuningKeyOf(const Problem& problem, const Options& options);

// Notes of how many products the tuning file of `options` names a kernel, and warns of one of another device or version, which has no
// effect.
Status NoteTuning(const Options& options, const std::vector<Problem>& problems, Circumstances* circumstances);

// Opens the device, the rival and the meters of bench->options, and notes what they are.
Status Open(Bench* bench, Circumstances* circumstances);

void Print(const Circumstances& circumstances);

// What counts against libgemm in a case: its failure, or one line for those of its kernels that failed or were wrong, and for kernels of
// the ladder and the sweep that were wrong: those may refuse a product.
void AddFailures(const CaseResult& result, FirstFailure* failures);

// Whether the device of the present context failed, in a case that ended with `failure`: nothing works there any more.
bool ContextIsDead(StatusCode failure);

// Opens what `options` say, times so many cases one by one until the device fails, prints a table of each and writes the
// reports that `options` name after it. The exit code: `verdict` on all of them, where nothing failed before.
int TimeCases(const Options& options, std::size_t count,
              const std::function<CaseResult(Bench* bench, std::size_t index)>& run,
              const std::function<std::string(const CaseResult& result)>& table,
              const std::function<int(const Report& report)>& verdict);

}  // namespace gemm::tool::bench
