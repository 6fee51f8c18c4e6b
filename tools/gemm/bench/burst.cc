#include "tools/gemm/bench/burst.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>

namespace gemm::tool::bench {
namespace {

// A graph is long enough that the gap of a microsecond or two between graphs does not count, and short enough
// to be captured quickly.
constexpr double kGraphMs = 4;
constexpr double kMostLaunches = 1000;
// Graph launches that wait in the stream at once.
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

}  // namespace

Status Burst::Capture(const Launch& launch, const Rotation& rotation, const Arguments& args) {
  gpu::Stream stream;
  Status status = gpu::Stream::Create(&stream);
  if (status.ok()) status = stream.BeginCapture();
  if (!status.ok()) return status;
  Arguments captured = args;
  captured.stream = stream.handle();
  for (int i = 0; i < launches_ && status.ok(); ++i) {
    rotation.Point(i, &captured);
    status = launch(captured);
  }
  // A capture must be ended whatever happened in it.
  const Status ended = stream.EndCapture(&graph_);
  return status.ok() ? ended : status;
}

Status Burst::RunOnce(const Launch& launch, const Rotation& rotation, const Arguments& args,
                      double* worst) const {
  Arguments first = args;
  rotation.Point(0, &first);
  Status status = rotation.PoisonD(0, stream_);
  if (status.ok()) status = launch(first);
  if (status.ok()) status = gpu::Synchronize();
  return status.ok() ? rotation.Check(0, first, worst) : status;
}

// A few launches give a first idea of the time, too long for short kernels.
Status Burst::ChooseLength(const Launch& launch, const Rotation& rotation, const Arguments& args) {
  constexpr int kProbe = 3;
  Arguments first = args;
  rotation.Point(0, &first);
  Status status = begin_.Record(stream_);
  for (int i = 0; i < kProbe && status.ok(); ++i) status = launch(first);
  if (status.ok()) status = end_.Record(stream_);
  if (status.ok()) status = end_.Synchronize();
  float elapsed = 0;
  if (status.ok()) status = gpu::ElapsedMilliseconds(begin_, end_, &elapsed);
  if (!status.ok()) return status;
  const double once_ms = std::max(static_cast<double>(elapsed) / kProbe, 1e-3);
  const double wanted = std::clamp(std::ceil(kGraphMs / once_ms), 1.0, kMostLaunches);
  // Whole turns of the rotation, so that the next graph goes on where this one ends.
  const std::int64_t turns = std::max<std::int64_t>(
      1, static_cast<std::int64_t>(std::ceil(wanted / static_cast<double>(rotation.sets()))));
  launches_ = static_cast<int>(turns * rotation.sets());
  return Status();
}

Status Burst::Prepare(const Launch& launch, const Rotation& rotation, const Arguments& args, double* worst) {
  stream_ = args.stream;
  Status status = gpu::Event::Create(&begin_);
  if (status.ok()) status = gpu::Event::Create(&end_);
  if (status.ok()) status = RunOnce(launch, rotation, args, worst);
  if (status.ok()) status = ChooseLength(launch, rotation, args);
  const std::int64_t last = rotation.sets() - 1;
  if (status.ok()) status = rotation.PoisonD(last, stream_);
  if (status.ok()) status = Capture(launch, rotation, args);
  if (status.ok()) status = Fire(1);
  if (status.ok()) status = gpu::Synchronize();
  double chained = 0;
  if (status.ok()) status = rotation.Check(last, args, &chained);
  *worst = std::max(*worst, chained);
  return status.ok() ? FireTimed(1, &estimate_us_) : status;
}

int Burst::CountFor(double milliseconds) const {
  return static_cast<int>(std::clamp(std::ceil(milliseconds * 1e3 / (estimate_us_ * launches_)), 1.0,
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
  *us = 1e3 * static_cast<double>(elapsed) / count / launches_;
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
  reading->us = 1e3 * static_cast<double>(elapsed) / count / launches_;
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
  result.us = 1e3 * static_cast<double>(elapsed) / metered / launches_;
  result.watts = *watts;
  result.joules = result.watts * result.us * 1e-6;
  *reading = result;
  return Status();
}

}  // namespace gemm::tool::bench
