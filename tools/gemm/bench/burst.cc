#include "tools/gemm/bench/burst.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <optional>

namespace gemm::tool::bench {
namespace {

// A graph is long enough that the gap of a microsecond or two between graphs does not count, and short enough
// to be captured quickly.
constexpr double kGraphMs = 4;
constexpr double kMostLaunches = 1000;
// Graphs of a burst: an untimed and a timed one wait in the stream at once. kMostBurstMs goes by it.
constexpr int kMostGraphs = 500;
// Launched between two readings of the energy counter. With a single graph of 3.8 ms the device stood idle in between: it ran one
// every 5.3 ms, and a product of 42.5 us took 59.7 in such a pass (H200, driver 580.159, 2026-11-23).
constexpr int kGraphsAReading = 3;

double SecondsSince(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

// The counter advances in steps: the energy between two of its steps, over the time between them.
class StepMeter {
 public:
  void Sample(std::optional<double> joules) {
    if (!joules || *joules == last_joules_) return;
    const bool known = last_joules_ >= 0;
    last_joules_ = *joules;
    if (!known) return;
    last_time_ = SecondsSince(begin_);
    if (steps_++ == 0) {
      first_joules_ = last_joules_;
      first_time_ = last_time_;
    }
  }
  // Nothing before the second step.
  std::optional<double> Watts() const {
    if (steps_ < 2) return std::nullopt;
    return (last_joules_ - first_joules_) / (last_time_ - first_time_);
  }

 private:
  const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  double last_joules_ = -1, last_time_ = 0;
  double first_joules_ = 0, first_time_ = 0;
  int steps_ = 0;
};

// Launches a turn, each product on its set of that index.
Status LaunchTurn(const Turn& turn, std::int64_t set, CUstream stream) {
  for (const Step& step : turn) {
    Arguments args = step.args;
    args.stream = stream;
    step.rotation->Point(set, &args);
    if (const Status status = step.launch(args); !status.ok()) return status;
  }
  return Status();
}

Status PoisonD(const Turn& turn, std::int64_t set, CUstream stream) {
  for (const Step& step : turn) {
    if (const Status status = step.rotation->PoisonD(set, stream); !status.ok()) return status;
  }
  return Status();
}

// *worst becomes the largest error of all, or stays what it is.
Status CheckD(const Turn& turn, std::int64_t set, double* worst) {
  for (const Step& step : turn) {
    double error = 0;
    if (const Status status = step.rotation->Check(set, step.args, &error); !status.ok()) return status;
    *worst = std::max(*worst, error);
  }
  return Status();
}

// As many sets of each rotation as the shortest has. That one alone comes back to a set after twice the L2's size of other bytes, so
// a whole turn does all the more; and turns that end together leave no product's first set warm for the next graph.
std::int64_t SetsOf(const Turn& turn) {
  std::int64_t sets = turn.front().rotation->sets();
  for (const Step& step : turn) sets = std::min(sets, step.rotation->sets());
  return sets;
}

}  // namespace

Status Burst::Capture(const Turn& turn) {
  gpu::Stream stream;
  Status status = gpu::Stream::Create(&stream);
  if (status.ok()) status = stream.BeginCapture();
  if (!status.ok()) return status;
  for (int i = 0; i < turns_ && status.ok(); ++i) status = LaunchTurn(turn, i % sets_, stream.handle());
  // A capture must be ended whatever happened in it.
  const Status ended = stream.EndCapture(&graph_);
  return status.ok() ? ended : status;
}

Status Burst::RunOnce(const Turn& turn, double* worst) const {
  Status status = PoisonD(turn, 0, stream_);
  if (status.ok()) status = LaunchTurn(turn, 0, stream_);
  if (status.ok()) status = gpu::Synchronize();
  return status.ok() ? CheckD(turn, 0, worst) : status;
}

// A few turns give a first idea of the time, too long for short kernels.
Status Burst::ChooseLength(const Turn& turn) {
  constexpr int kProbe = 3;
  Status status = begin_.Record(stream_);
  for (int i = 0; i < kProbe && status.ok(); ++i) status = LaunchTurn(turn, 0, stream_);
  if (status.ok()) status = end_.Record(stream_);
  if (status.ok()) status = end_.Synchronize();
  float elapsed = 0;
  if (status.ok()) status = gpu::ElapsedMilliseconds(begin_, end_, &elapsed);
  if (!status.ok()) return status;
  const double once_ms = std::max(static_cast<double>(elapsed) / kProbe, 1e-3);
  const double most_turns = std::max(kMostLaunches / static_cast<double>(turn.size()), 1.0);
  const double wanted = std::clamp(std::ceil(kGraphMs / once_ms), 1.0, most_turns);
  // Whole turns of the rotation, so that the next graph goes on where this one ends.
  const std::int64_t rotations =
      std::max<std::int64_t>(1, static_cast<std::int64_t>(std::ceil(wanted / static_cast<double>(sets_))));
  turns_ = static_cast<int>(rotations * sets_);
  launches_ = turns_ * static_cast<int>(turn.size());
  return Status();
}

Status Burst::Prepare(const Turn& turn, double* worst) {
  stream_ = turn.front().args.stream;
  sets_ = SetsOf(turn);
  *worst = 0;
  Status status = gpu::Event::Create(&begin_);
  if (status.ok()) status = gpu::Event::Create(&end_);
  if (status.ok()) status = RunOnce(turn, worst);
  if (status.ok()) status = ChooseLength(turn);
  if (status.ok()) status = PoisonD(turn, sets_ - 1, stream_);
  if (status.ok()) status = Capture(turn);
  if (status.ok()) status = Fire(1);
  if (status.ok()) status = gpu::Synchronize();
  if (status.ok()) status = CheckD(turn, sets_ - 1, worst);
  return status.ok() ? FireTimed(1, &estimate_us_) : status;
}

int Burst::CountFor(double milliseconds) const {
  return static_cast<int>(std::clamp(std::ceil(milliseconds * 1e3 / (estimate_us_ * turns_)), 1.0,
                                     static_cast<double>(kMostGraphs)));
}

Status Burst::Fire(int count) const {
  Status status;
  for (int i = 0; i < count && status.ok(); ++i) status = graph_.Launch(stream_);
  return status;
}

Status Burst::FireTimed(int count, double* us) const {
  Status status = begin_.Record(stream_);
  if (status.ok()) status = Fire(count);
  if (status.ok()) status = end_.Record(stream_);
  if (status.ok()) status = end_.Synchronize();
  float elapsed = 0;
  if (status.ok()) status = gpu::ElapsedMilliseconds(begin_, end_, &elapsed);
  *us = 1e3 * static_cast<double>(elapsed) / count / turns_;
  return status;
}

Status Burst::Time(double milliseconds, const nvml::Gpu& gpu, Reading* reading) const {
  const int count = CountFor(milliseconds);
  Status status = Fire(count);
  if (status.ok()) status = begin_.Record(stream_);
  if (status.ok()) status = Fire(count);
  if (status.ok()) status = end_.Record(stream_);
  // The clock is read once the timed burst has begun, while it runs.
  if (status.ok()) status = begin_.Synchronize();
  if (!status.ok()) return status;
  reading->mhz = gpu.SmClockMhz();
  status = end_.Synchronize();
  float elapsed = 0;
  if (status.ok()) status = gpu::ElapsedMilliseconds(begin_, end_, &elapsed);
  reading->us = 1e3 * static_cast<double>(elapsed) / count / turns_;
  return status;
}

// Keeps the device busy with some graphs at a time, as many again ahead of it, and reads the counter in between: enqueued at once,
// a pass of a thousand graphs would block the host until most of it was over.
Status Burst::Energy(double milliseconds, const nvml::Gpu& gpu, std::optional<EnergyReading>* reading) const {
  reading->reset();
  if (milliseconds <= 0 || !gpu.EnergyJoules()) return Status();
  gpu::Event done[2];
  Status status = gpu::Event::Create(&done[0]);
  if (status.ok()) status = gpu::Event::Create(&done[1]);
  if (status.ok()) status = Fire(kGraphsAReading);
  if (status.ok()) status = done[0].Record(stream_);
  // As long unmetered before: the counter lags by a step or two of about 100 ms.
  const auto start = std::chrono::steady_clock::now();
  std::optional<StepMeter> meter;
  int metered = 0;
  for (int i = 1; status.ok() && SecondsSince(start) < 2e-3 * milliseconds; ++i) {
    if (!meter && SecondsSince(start) >= 1e-3 * milliseconds) {
      meter.emplace();
      status = begin_.Record(stream_);
    }
    if (status.ok()) status = Fire(kGraphsAReading);
    if (status.ok()) status = done[i % 2].Record(stream_);
    if (status.ok()) status = done[(i + 1) % 2].Synchronize();
    if (!meter) continue;
    metered += kGraphsAReading;
    meter->Sample(gpu.EnergyJoules());
  }
  if (status.ok()) status = end_.Record(stream_);
  if (status.ok()) status = end_.Synchronize();
  const std::optional<double> watts = meter ? meter->Watts() : std::nullopt;
  if (!status.ok() || !watts) return status;
  float elapsed = 0;
  status = gpu::ElapsedMilliseconds(begin_, end_, &elapsed);
  if (!status.ok()) return status;
  EnergyReading result;
  result.us = 1e3 * static_cast<double>(elapsed) / metered / turns_;
  result.watts = *watts;
  result.joules = result.watts * result.us * 1e-6;
  *reading = result;
  return Status();
}

}  // namespace gemm::tool::bench
