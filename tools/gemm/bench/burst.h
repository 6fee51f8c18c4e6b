// How one entrant is timed: bursts of launches from a graph.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "gemm/gemm.h"
#include "tools/gemm/bench/data.h"
#include "tools/gpu/gpu.h"
#include "tools/nvml/nvml.h"

namespace gemm::tool::bench {

// Launches one product in args.stream.
using Launch = std::function<Status(const Arguments& args)>;

struct Reading {
  double us = 0;              // per product
  std::optional<double> mhz;  // SM clock in the middle of the burst
};

struct EnergyReading {
  double us = 0;  // per product, over the whole pass
  double watts = 0;
  double joules = 0;  // per product
};

class Burst {
 public:
  // Launches `launch` once on a poisoned D and compares D (*worst: Rotation::Check), then captures a graph of
  // some milliseconds that walks through the rotation, fires it and compares the D of its last launch. `args` has
  // everything but the operands' addresses. All objects must outlive the burst.
  Status Prepare(const Launch& launch, const Rotation& rotation, const Arguments& args, double* worst);

  // An untimed burst of `milliseconds` and a timed one of the same length right behind it.
  Status Time(double milliseconds, const nvml::Gpu& gpu, Reading* reading) const;

  // Runs for `milliseconds` and watches the energy counter; nullopt when it is not there or moved less than
  // twice.
  Status Energy(double milliseconds, const nvml::Gpu& gpu, std::optional<EnergyReading>* reading) const;

  int launches() const { return launches_; }  // in the graph
  std::size_t kernels() const { return graph_.kernel_count(); }
  const std::optional<gpu::GraphEdges>& edges() const { return graph_.edges(); }

 private:
  // On a poisoned D, which is then compared.
  Status RunOnce(const Launch& launch, const Rotation& rotation, const Arguments& args, double* worst) const;
  Status ChooseLength(const Launch& launch, const Rotation& rotation, const Arguments& args);
  Status Capture(const Launch& launch, const Rotation& rotation, const Arguments& args);
  // Launches the graph `count` times.
  Status Fire(int count) const;
  // The same between two events; the time of one product.
  Status FireTimed(int count, double* us) const;
  int CountFor(double milliseconds) const;

  CUstream stream_ = nullptr;
  gpu::Graph graph_;
  gpu::Event begin_;
  gpu::Event end_;
  int launches_ = 0;
  double estimate_us_ = 0;  // of one product
};

}  // namespace gemm::tool::bench
