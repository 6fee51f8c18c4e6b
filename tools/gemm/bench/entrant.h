// Who takes part in a case.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tools/gemm/bench/burst.h"
#include "tools/gemm/bench/case.h"

namespace gemm::tool::bench {

struct Entrant {
  EntrantResult result;
  Launch launch;
  Burst burst;
};

// What a plan is made with that names `kernel`, or that chooses where it is empty.
PlanOptions OptionsFor(const Options& options, const std::string& kernel);

// Our kernel, and the other rows under --kernels all. A failure is that of the chosen or forced kernel.
Status AddOurs(const Bench& bench, const Problem& problem, Entrants* entrants);

// Another build's choice, where the bench has one. A refusal is that entrant's failure.
void AddOtherBuild(const Bench& bench, const Problem& problem, Entrants* entrants);

// The heuristics' algorithms and the default; the sentence says why there are none.
Status AddRival(const Bench& bench, const Problem& problem, Entrants* entrants);

}  // namespace gemm::tool::bench
