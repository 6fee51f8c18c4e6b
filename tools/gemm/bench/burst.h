// How one entrant is timed: bursts of launches from a graph.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "gemm/gemm.h"
#include "tools/gemm/bench/data.h"
#include "tools/gpu/gpu.h"
#include "tools/nvml/nvml.h"

namespace gemm::tool::bench {

// The longest burst that may be asked for, in milliseconds, so that each is as long as the report says: a burst has at most 500 graphs
// (burst.cc). A graph has as many launches as take 4 ms, at most about a thousand, by the time of three that the host launches one by one.
// Of the shortest kernels, of 1 us and more, that time may be ten times the one in a graph, which then takes 0.4 ms.
inline constexpr double kMostBurstMs = 200;

// Launches one product in args.stream.
using Launch = std::function<Status(const Arguments& args)>;

// One product of a burst, and the operands that it walks through.
struct Step {
  Launch launch;
  const Rotation* rotation = nullptr;
  Arguments args;  // all but the operands' addresses
};
// Products that are launched one after the other: one alone, or those of a layer. All in the same stream.
using Turn = std::vector<Step>;

struct Reading {
  double us = 0;              // per turn
  std::optional<double> mhz;  // SM clock as the timed burst begins
};

struct EnergyReading {
  double us = 0;  // per turn, over the whole pass
  double watts = 0;
  double joules = 0;  // per turn
};

class Burst {
 public:
  // Launches one turn on poisoned D's and compares them (*worst: Rotation::Check, the largest), then captures a graph of some
  // milliseconds, turn by turn on the next set of each rotation, fires it and compares the D's of its last turn. Rotations
  // must outlive the burst.
  Status Prepare(const Turn& turn, double* worst);

  // An untimed burst of `milliseconds` and a timed one of the same length right behind it.
  Status Time(double milliseconds, const nvml::Gpu& gpu, Reading* reading) const;

  // Runs for `milliseconds` and watches the energy counter; nullopt when it is not there or moved less than
  // twice.
  Status Energy(double milliseconds, const nvml::Gpu& gpu, std::optional<EnergyReading>* reading) const;

  int launches() const { return launches_; }  // in the graph, of all products
  std::size_t kernels() const { return graph_.kernel_count(); }
  const std::optional<gpu::GraphEdges>& edges() const { return graph_.edges(); }

 private:
  // On poisoned D's, which are then compared.
  Status RunOnce(const Turn& turn, double* worst) const;
  Status ChooseLength(const Turn& turn);
  Status Capture(const Turn& turn);
  // Launches the graph `count` times.
  Status Fire(int count) const;
  // The same between two events; the time of one turn.
  Status FireTimed(int count, double* us) const;
  int CountFor(double milliseconds) const;

  CUstream stream_ = nullptr;
  gpu::Graph graph_;
  gpu::Event begin_;
  gpu::Event end_;
  std::int64_t sets_ = 0;  // that the turns walk through
  int turns_ = 0;          // in the graph
  int launches_ = 0;
  double estimate_us_ = 0;  // of one turn
};

}  // namespace gemm::tool::bench
