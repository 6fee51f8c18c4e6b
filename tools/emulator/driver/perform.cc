// Doing one unit of work.
#include <cstring>

#include "tools/emulator/driver/entry.h"
#include "tools/emulator/driver/graph.h"
#include "tools/emulator/driver/memory.h"
#include "tools/emulator/driver/queue.h"

namespace emu::driver {
namespace {

template <class T>
T* Pointer(std::uint64_t address) {
  return reinterpret_cast<T*>(address);
}

void Do(const CopyAction& copy) {
  for (std::size_t slice = 0; slice < copy.depth; ++slice) {
    for (std::size_t row = 0; row < copy.height; ++row) {
      std::memmove(Pointer<void>(copy.to + slice * copy.to_slice + row * copy.to_pitch),
                   Pointer<const void>(copy.from + slice * copy.from_slice + row * copy.from_pitch),
                   copy.width);
    }
  }
}

template <class T>
void FillRow(std::uint64_t to, std::size_t count, std::uint32_t value) {
  const T element = static_cast<T>(value);
  for (std::size_t i = 0; i < count; ++i)
    std::memcpy(Pointer<std::byte>(to) + i * sizeof(T), &element, sizeof(T));
}

void Do(const FillAction& fill) {
  for (std::size_t row = 0; row < fill.height; ++row) {
    const std::uint64_t to = fill.to + row * fill.pitch;
    if (fill.element == 1) std::memset(Pointer<void>(to), static_cast<int>(fill.value & 0xff), fill.width);
    if (fill.element == 2) FillRow<std::uint16_t>(to, fill.width, fill.value);
    if (fill.element == 4) FillRow<std::uint32_t>(to, fill.width, fill.value);
  }
}

void Do(const HostAction& host) {
  InHostFunction() = true;
  if (host.function != nullptr) host.function(host.data);
  if (host.callback != nullptr) host.callback(host.stream, CUDA_SUCCESS, host.data);
  InHostFunction() = false;
}

void Do(const RecordAction& record) {
  std::shared_ptr<Recording> recording = record.recording;
  if (recording == nullptr) {
    recording = std::make_shared<Recording>();
    if (GetState().events.Find(record.event) != nullptr) record.event->recording = recording;
  }
  recording->time = std::chrono::steady_clock::now();
  recording->done = true;
}

void Do(const WaitAction& wait) {
  if (wait.recording != nullptr || GetState().events.Find(wait.event) == nullptr) return;
  if (wait.event->recording != nullptr) Wait(*wait.event->recording);
}

}  // namespace

void RunKernels(Context& context, std::span<const LaunchRequest> chain) {
  const std::uint64_t first = context.launches;
  context.launches += chain.size();
  context.device->machine->Run(chain, first);
}

void Perform(Context& context, const Action& action) {
  if (const auto* call = std::get_if<std::shared_ptr<const KernelCall>>(&action)) {
    RunKernels(context, {&(*call)->request, 1});
  } else if (const auto* copy = std::get_if<CopyAction>(&action)) {
    Do(*copy);
  } else if (const auto* fill = std::get_if<FillAction>(&action)) {
    Do(*fill);
  } else if (const auto* host = std::get_if<HostAction>(&action)) {
    Do(*host);
  } else if (const auto* record = std::get_if<RecordAction>(&action)) {
    Do(*record);
  } else if (const auto* wait = std::get_if<WaitAction>(&action)) {
    Do(*wait);
  } else if (const auto* release = std::get_if<FreeAction>(&action)) {
    Release(release->address);
  } else if (const auto* graph = std::get_if<GraphAction>(&action)) {
    Run(context, *graph->plan);
  }
}

}  // namespace emu::driver
