#include "tools/gemm/bench/running.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <optional>

namespace gemm::tool::bench {
namespace {

void ForgetRounds(const Running& running) {
  for (Entrant* entrant : running) {
    entrant->result.round_us.clear();
    entrant->result.mhz.clear();
  }
}

}  // namespace

Status PrepareEntrant(const Turn& turn, Entrant* entrant) {
  EntrantResult& result = entrant->result;
  const Burst& burst = entrant->burst;
  const Status status = entrant->burst.Prepare(turn, &result.worst_error);
  result.captured = {burst.launches(), burst.kernels(), burst.edges()};
  if (!status.ok()) {
    if (const Status device = gpu::Synchronize(); !device.ok()) return device;
    result.failure = status.message();
  } else if (!(result.worst_error <= 1)) {
    result.failure = fmt::format("misses the error bound by a factor of {:.3g}", result.worst_error);
  }
  return Status();
}

Status Settle(const Bench& bench, const Running& running) {
  const double burst_ms = bench.options.screen_ms;
  double left_ms = running.empty() ? 0 : bench.options.settle_ms;
  for (std::size_t i = 0; left_ms > 0; ++i, left_ms -= 2 * burst_ms) {
    Reading unused;
    const Status status = running[i % running.size()]->burst.Time(burst_ms, bench.nvml, &unused);
    if (!status.ok()) return status;
  }
  return Status();
}

Status Screen(const Bench& bench, std::mt19937_64* random, Running* running, const PartDone& progress) {
  constexpr int kRounds = 2;
  for (int round = 0; round < kRounds; ++round) {
    std::shuffle(running->begin(), running->end(), *random);
    for (Entrant* entrant : *running) {
      if (entrant->result.side == Side::kRung || entrant->result.side == Side::kShape) continue;
      Reading reading;
      const Status status = entrant->burst.Time(bench.options.screen_ms, bench.nvml, &reading);
      if (!status.ok()) return status;
      std::optional<double>& best = entrant->result.screen_us;
      best = std::min(best.value_or(reading.us), reading.us);
    }
    progress((round + 1.0) / kRounds);
  }
  return Status();
}

Status TimeRounds(const Bench& bench, std::mt19937_64* random, Running* running, const PartDone& progress) {
  const int rounds = bench.options.rounds;
  for (int round = 0; round < rounds; ++round) {
    std::shuffle(running->begin(), running->end(), *random);
    for (Entrant* entrant : *running) {
      Reading reading;
      const Status status = entrant->burst.Time(bench.options.burst_ms, bench.nvml, &reading);
      if (!status.ok()) {
        ForgetRounds(*running);
        return status;
      }
      entrant->result.round_us.push_back(reading.us);
      if (reading.mhz) entrant->result.mhz.push_back(*reading.mhz);
    }
    progress((round + 1.0) / rounds);
  }
  return Status();
}

}  // namespace gemm::tool::bench
