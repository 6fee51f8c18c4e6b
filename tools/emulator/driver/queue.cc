#include "tools/emulator/driver/queue.h"

#include <algorithm>
#include <utility>

#include "tools/emulator/driver/capture.h"
#include "tools/emulator/driver/report.h"

namespace emu::driver {
namespace {

// A driver's queue holds about this much before a launch waits for room.
constexpr std::size_t kMostQueued = 1024;

const std::shared_ptr<const KernelCall>* Launch(const Work& work) {
  return std::get_if<std::shared_ptr<const KernelCall>>(&work.action);
}

std::vector<Stream*> StreamsOf(Context& context) {
  std::vector<Stream*> streams = {context.legacy.get()};
  for (const auto& [thread, stream] : context.per_thread) streams.push_back(stream.get());
  for (const auto& [handle, stream] : context.streams) streams.push_back(stream.get());
  std::sort(streams.begin(), streams.end(), [](const Stream* a, const Stream* b) { return a->id < b->id; });
  return streams;
}

void Fail(Context& context, const Finding& finding) {
  Kill(context, finding);
  for (Stream* stream : StreamsOf(context)) Drop(*stream);
}

void RunUntil(Stream& stream, std::uint64_t sequence);

// Legacy default stream: its work waits for earlier work of the context's blocking streams, and theirs for its.
void RunWhatComesBefore(Stream& stream, const Work& work) {
  const std::uint64_t before = work.sequence - 1;
  if (stream.legacy) {
    for (Stream* other : StreamsOf(*stream.context)) {
      if (other != &stream && other->blocking()) RunUntil(*other, before);
    }
  } else if (stream.blocking()) {
    RunUntil(*stream.context->legacy, before);
  }
  if (const auto* wait = std::get_if<WaitAction>(&work.action)) {
    if (wait->recording != nullptr) Wait(*wait->recording);
  }
}

// The launches at the stream's head that may overlap: the first and those behind it that ask for programmatic serialization,
// as long as no work of another stream has to come in between.
std::vector<LaunchRequest> TakeChain(Stream& stream) {
  std::vector<LaunchRequest> chain;
  const std::uint64_t first = stream.queue.front().sequence;
  while (!stream.queue.empty()) {
    const auto* call = Launch(stream.queue.front());
    if (call == nullptr) break;
    if (!chain.empty()) {
      if (!(*call)->request.programmatic) break;
      const std::uint64_t sequence = stream.queue.front().sequence;
      const auto between = [&](const Stream& other) {
        return std::any_of(other.queue.begin(), other.queue.end(),
                           [&](const Work& work) { return work.sequence > first && work.sequence < sequence; });
      };
      if (stream.blocking() && !stream.legacy && between(*stream.context->legacy)) break;
      if (stream.legacy) {
        const std::vector<Stream*> streams = StreamsOf(*stream.context);
        if (std::any_of(streams.begin(), streams.end(), [&](const Stream* other) {
              return other != &stream && other->blocking() && between(*other);
            })) {
          break;
        }
      }
    }
    chain.push_back((*call)->request);
    stream.queue.pop_front();
  }
  return chain;
}

void RunHead(Stream& stream) {
  Context& context = *stream.context;
  RunWhatComesBefore(stream, stream.queue.front());
  if (stream.queue.empty()) return;  // the context has died meanwhile
  try {
    if (Launch(stream.queue.front()) != nullptr) {
      RunKernels(context, TakeChain(stream));
    } else {
      const Work work = std::move(stream.queue.front());
      stream.queue.pop_front();
      Perform(context, work.action);
    }
  } catch (const Stop& stop) {
    Fail(context, stop.finding());
  }
}

void RunUntil(Stream& stream, std::uint64_t sequence) {
  while (!stream.queue.empty() && stream.queue.front().sequence <= sequence) RunHead(stream);
}

}  // namespace

void Drop(Stream& stream) {
  for (const Work& work : stream.queue) {
    if (const auto* record = std::get_if<RecordAction>(&work.action)) record->recording->done = true;
  }
  stream.queue.clear();
  LeaveCapture(stream);
}

bool& NullIsPerThread() {
  thread_local bool per_thread = false;
  return per_thread;
}

CUresult FindStream(Context& context, CUstream handle, Stream** stream) {
  if (handle == nullptr) handle = NullIsPerThread() ? CU_STREAM_PER_THREAD : CU_STREAM_LEGACY;
  if (handle == CU_STREAM_LEGACY) {
    *stream = context.legacy.get();
    return CUDA_SUCCESS;
  }
  if (handle == CU_STREAM_PER_THREAD) {
    std::unique_ptr<Stream>& own = context.per_thread[std::this_thread::get_id()];
    if (own == nullptr) {
      own = std::make_unique<Stream>();
      own->context = &context;
      own->id = GetState().next_id++;
    }
    *stream = own.get();
    return CUDA_SUCCESS;
  }
  *stream = context.streams.Find(handle);
  if (*stream != nullptr) return CUDA_SUCCESS;
  for (const auto& device : GetState().devices) {
    for (Context* other : ContextsOf(*device)) {
      *stream = other->streams.Find(handle);
      if (*stream != nullptr) return CUDA_SUCCESS;
    }
  }
  return CUDA_ERROR_INVALID_HANDLE;
}

CUresult Submit(Stream& stream, Action action) {
  Context& context = *stream.context;
  if (context.error != CUDA_SUCCESS) return context.error;
  if (stream.capture != nullptr) return CaptureAction(stream, std::move(action));
  if (const CUresult result = CheckImplicitUse(stream); result != CUDA_SUCCESS) return result;
  const std::uint64_t sequence = GetState().next_sequence++;
  if (auto* record = std::get_if<RecordAction>(&action)) {
    record->recording->stream = &stream;
    record->recording->sequence = sequence;
  }
  // The host function may wake a thread that waits for nothing else.
  const bool seen = std::holds_alternative<HostAction>(action);
  stream.queue.push_back({sequence, std::move(action)});
  if (seen || stream.queue.size() > kMostQueued) return Settle(stream);
  return CUDA_SUCCESS;
}

CUresult Settle(Stream& stream) { return Settle(stream, UINT64_MAX); }

CUresult Settle(Stream& stream, std::uint64_t sequence) {
  Context& context = *stream.context;
  RunUntil(stream, sequence);
  return context.error;
}

CUresult Settle(Context& context) {
  State& state = GetState();
  for (;;) {
    std::vector<Stream*> busy = StreamsOf(context);
    std::erase_if(busy, [](const Stream* stream) { return stream->queue.empty(); });
    if (busy.empty()) return context.error;
    Stream* next = *std::min_element(busy.begin(), busy.end(), [](const Stream* a, const Stream* b) {
      return a->queue.front().sequence < b->queue.front().sequence;
    });
    if (state.settings.seed != 0) next = busy[state.random.Below(static_cast<std::uint32_t>(busy.size()))];
    RunHead(*next);
  }
}

void Settle(const Device& device) {
  for (Context* context : ContextsOf(device)) Settle(*context);
}

void Wait(const Recording& recording) {
  if (!recording.done) RunUntil(*recording.stream, recording.sequence);
}

}  // namespace emu::driver
