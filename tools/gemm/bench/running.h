// Entrants while they are timed beside each other, step by step of the protocol.
#pragma once

#include <functional>
#include <random>
#include <vector>

#include "tools/gemm/bench/case.h"
#include "tools/gemm/bench/entrant.h"

namespace gemm::tool::bench {

// Those that take part, in the order in which they were timed last.
using Running = std::vector<Entrant*>;
// Is told the finished part of a step.
using PartDone = std::function<void(double part)>;

// Runs, verifies and captures what the entrant launches in a turn. Where it fails or is wrong its result says so; the status is
// the device's, in whose context nothing works after a sticky error.
Status PrepareEntrant(const Turn& turn, Entrant* entrant);

// Bursts of all of them in turn that nobody records, for bench.options.settle_ms. A device that has stood idle runs above the clock that its
// power limit allows for some 0.3 s and below it for as long again: turns of 192 us took 173, 204, 243, 246 and 209 us in five rounds of
// 0.2 s (H200, 2026-11-28).
Status Settle(const Bench& bench, const Running& running);

// Two rounds of short bursts: each entrant's screen_us is the shorter time. Rungs and shapes are not screened.
Status Screen(const Bench& bench, std::mt19937_64* random, Running* running, const PartDone& progress);

// The rounds that count, each in another order. Where one fails no entrant has any: medians of some of the rounds would pass for results.
Status TimeRounds(const Bench& bench, std::mt19937_64* random, Running* running, const PartDone& progress);

}  // namespace gemm::tool::bench
