// What a GPU can do at best, measured: the rates of its memories and of its arithmetic units.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "common/dispatch/device.h"
#include "gemm/status.h"
#include "tools/nvml/nvml.h"

namespace gemm::ceilings {

struct Options {
  double burst_ms = 20;
  int bursts = 5;
  double rest_ms = 300;        // before each burst
  double sustained_ms = 2000;  // 0 leaves it out
  double memory_mib = 0;       // that is streamed through; 0: 4096, or a quarter of what is free
};

struct Rate {
  double rate = 0;              // in the ceiling's unit
  std::optional<double> mhz;    // SM clock meanwhile
  std::optional<double> watts;  // of the board
};

struct Ceiling {
  std::string name;
  std::string unit;
  std::string what;     // in words
  std::string missing;  // why the device has no such rate; then there are none
  int blocks_per_sm = 0;
  std::optional<Rate> burst;      // median of the bursts, each after a rest
  std::optional<Rate> sustained;  // over the second half of a long run
};

// Measures all ceilings of device `ordinal`, in its current context. `progress` is told the finished part and what is next.
Status Measure(const Options& options, const dispatch::Device& device, int ordinal, const nvml::Gpu& nvml,
               const std::function<void(double, const std::string&)>& progress, std::vector<Ceiling>* ceilings);

// Refuses numbers that make no sense, each by the name of its flag.
Status Check(const Options& options);

// How it was measured, in words.
std::string ProtocolText(const Options& options);

}  // namespace gemm::ceilings
