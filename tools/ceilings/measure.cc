#include "tools/ceilings/measure.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <thread>

#include "tools/ceilings/loads.h"
#include "tools/gpu/gpu.h"

namespace gemm::ceilings {
namespace {

// Of one launch: long against the gap between two, short enough to cut a burst into several.
constexpr double kLaunchMs = 5;
// Launches are lengthened by this factor until one takes long enough to tell its speed.
constexpr unsigned kGrowth = 4;
constexpr double kProbeMs = 1;
constexpr unsigned kMostTurns = 1u << 24;
// Readings of clock and power in the metered half of the long run.
constexpr int kSamples = 8;

void SleepMs(double milliseconds) {
  std::this_thread::sleep_for(std::chrono::duration<double, std::milli>(milliseconds));
}

double Mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

double Median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

// One load on one stream.
class Meter {
 public:
  Meter(const Options& options, const Load& load, const nvml::Gpu& nvml)
      : options_(options), load_(load), nvml_(nvml) {}

  Status Prepare();
  Status Bursts(std::optional<Rate>* rate);
  Status Sustained(std::optional<Rate>* rate);
  int blocks_per_sm() const { return blocks_; }

 private:
  Status Fire(int launches) const;
  // The time of `launches` between two events.
  Status Time(int launches, double* ms) const;
  // How many turns of a launch on the grid `blocks` take kLaunchMs, and the rate.
  Status Probe(int blocks, unsigned* turns, double* rate);
  int Launches(double ms) const { return std::max(1, static_cast<int>(std::ceil(ms / kLaunchMs))); }
  double RateOf(int launches, double ms) const { return load_.work_per_turn * turns_ * launches / (ms * 1e-3); }

  const Options& options_;
  const Load& load_;
  const nvml::Gpu& nvml_;
  gpu::Stream stream_;
  gpu::Event begin_, end_;
  int blocks_ = 0;
  unsigned turns_ = 1;
};

Status Meter::Fire(int launches) const {
  Status status;
  for (int i = 0; i < launches && status.ok(); ++i) status = load_.launch(turns_, blocks_, stream_.handle());
  return status;
}

Status Meter::Time(int launches, double* ms) const {
  Status status = begin_.Record(stream_.handle());
  if (status.ok()) status = Fire(launches);
  if (status.ok()) status = end_.Record(stream_.handle());
  if (status.ok()) status = end_.Synchronize();
  float elapsed = 0;
  if (status.ok()) status = gpu::ElapsedMilliseconds(begin_, end_, &elapsed);
  *ms = std::max(static_cast<double>(elapsed), 1e-3);
  return status;
}

Status Meter::Probe(int blocks, unsigned* turns, double* rate) {
  blocks_ = blocks;
  turns_ = 1;
  double ms = 0;
  // The first launch loads the kernel and fills the caches.
  Status status = Fire(1);
  if (status.ok()) status = Time(1, &ms);
  while (status.ok() && ms < kProbeMs && turns_ < kMostTurns) {
    turns_ *= kGrowth;
    status = Time(1, &ms);
  }
  *rate = RateOf(1, ms);
  *turns = static_cast<unsigned>(std::clamp(std::round(turns_ * kLaunchMs / ms), 1.0, double{kMostTurns}));
  return status;
}

Status Meter::Prepare() {
  Status status = gpu::Stream::Create(&stream_);
  if (status.ok()) status = gpu::Event::Create(&begin_);
  if (status.ok()) status = gpu::Event::Create(&end_);
  int best_blocks = 0;
  unsigned best_turns = 0;
  double best_rate = 0;
  for (const int blocks : load_.blocks_per_sm) {
    unsigned turns = 0;
    double rate = 0;
    if (status.ok()) status = Probe(blocks, &turns, &rate);
    if (rate > best_rate) best_rate = rate, best_blocks = blocks, best_turns = turns;
  }
  blocks_ = best_blocks;
  turns_ = best_turns;
  return status;
}

Status Meter::Bursts(std::optional<Rate>* rate) {
  const int launches = Launches(options_.burst_ms);
  std::vector<double> rates, clocks;
  for (int i = 0; i < options_.bursts; ++i) {
    SleepMs(options_.rest_ms);
    // The untimed launch wakes the clocks.
    Status status = Fire(1);
    if (status.ok()) status = begin_.Record(stream_.handle());
    if (status.ok()) status = Fire(launches);
    if (status.ok()) status = end_.Record(stream_.handle());
    if (status.ok()) status = begin_.Synchronize();
    if (!status.ok()) return status;
    const std::optional<double> mhz = nvml_.SmClockMhz();
    if (mhz) clocks.push_back(*mhz);
    status = end_.Synchronize();
    float ms = 0;
    if (status.ok()) status = gpu::ElapsedMilliseconds(begin_, end_, &ms);
    if (!status.ok()) return status;
    rates.push_back(RateOf(launches, std::max(static_cast<double>(ms), 1e-3)));
  }
  rate->emplace();
  (*rate)->rate = Median(rates);
  // Power is averaged over longer than a burst, so it is not read.
  if (!clocks.empty()) (*rate)->mhz = Median(clocks);
  return Status();
}

Status Meter::Sustained(std::optional<Rate>* rate) {
  if (options_.sustained_ms <= 0) return Status();
  const double half_ms = options_.sustained_ms / 2;
  const int launches = Launches(half_ms);
  Status status = Fire(launches);
  if (status.ok()) status = begin_.Record(stream_.handle());
  if (status.ok()) status = Fire(launches);
  if (status.ok()) status = end_.Record(stream_.handle());
  if (status.ok()) status = begin_.Synchronize();
  if (!status.ok()) return status;
  std::vector<double> clocks, watts;
  for (int i = 0; i < kSamples; ++i) {
    SleepMs(half_ms / (kSamples + 2));
    if (const auto mhz = nvml_.SmClockMhz()) clocks.push_back(*mhz);
    if (const auto power = nvml_.PowerWatts()) watts.push_back(*power);
  }
  status = end_.Synchronize();
  float ms = 0;
  if (status.ok()) status = gpu::ElapsedMilliseconds(begin_, end_, &ms);
  if (!status.ok()) return status;
  rate->emplace();
  (*rate)->rate = RateOf(launches, std::max(static_cast<double>(ms), 1e-3));
  if (!clocks.empty()) (*rate)->mhz = Mean(clocks);
  if (!watts.empty()) (*rate)->watts = Mean(watts);
  return Status();
}

Status MeasureOne(const Options& options, const Load& load, const nvml::Gpu& nvml, Ceiling* ceiling) {
  ceiling->name = load.name;
  ceiling->unit = load.unit;
  ceiling->what = load.what;
  if (!load.possible.ok()) {
    ceiling->missing = load.possible.message();
    return Status();
  }
  Meter meter(options, load, nvml);
  Status status = meter.Prepare();
  ceiling->blocks_per_sm = meter.blocks_per_sm();
  if (status.ok()) status = meter.Bursts(&ceiling->burst);
  if (status.ok()) status = meter.Sustained(&ceiling->sustained);
  return status;
}

}  // namespace

Status Measure(const Options& options, const dispatch::Device& device, int ordinal, const nvml::Gpu& nvml,
               const std::function<void(double, const std::string&)>& progress,
               std::vector<Ceiling>* ceilings) {
  Memory memory;
  std::vector<Load> loads;
  progress(0, "filling memory");
  Status status = CreateMemory(device, ordinal, options.memory_mib * (1 << 20), &memory);
  if (status.ok()) status = MakeLoads(device, ordinal, memory, &loads);
  for (std::size_t i = 0; i < loads.size() && status.ok(); ++i) {
    progress(static_cast<double>(i) / static_cast<double>(loads.size()), loads[i].name);
    ceilings->emplace_back();
    status = MeasureOne(options, loads[i], nvml, &ceilings->back());
  }
  return status;
}

Status Check(const Options& options) {
  const auto refuse = [](const std::string& text) { return Status(StatusCode::kInvalidArgument, text); };
  if (!(options.burst_ms >= 0.1 && options.burst_ms <= 10000))
    return refuse(fmt::format("--burst-ms is {}; 0.1 to 10000 are allowed", options.burst_ms));
  if (options.bursts < 1 || options.bursts > 1000)
    return refuse(fmt::format("--bursts is {}; 1 to 1000 are allowed", options.bursts));
  if (!(options.rest_ms >= 0 && options.rest_ms <= 60000))
    return refuse(fmt::format("--rest-ms is {}; 0 to 60000 are allowed", options.rest_ms));
  if (!(options.sustained_ms >= 0 && options.sustained_ms <= 4000))
    return refuse(fmt::format("--sustained-ms is {}; 0 to 4000 are allowed", options.sustained_ms));
  if (!(options.memory_mib >= 0 && options.memory_mib <= 65536))
    return refuse(fmt::format("--memory-mib is {}; 0 to 65536 are allowed", options.memory_mib));
  return Status();
}

std::string ProtocolText(const Options& options) {
  std::string text = fmt::format(
      "Bursts of {} ms, each after {} ms of rest and one untimed launch of about {} ms: the median of {}.",
      options.burst_ms, options.rest_ms, kLaunchMs, options.bursts);
  if (options.sustained_ms > 0) {
    text += fmt::format(
        " Sustained: the second half of {} ms without a pause; clock and power are means of {} readings in it.",
        options.sustained_ms, kSamples);
  }
  return text + " Operands are random normal BF16 or FP32 values.";
}

}  // namespace gemm::ceilings
