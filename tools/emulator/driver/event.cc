// cuEvent*. Times are the host's, when the stream got there.
#include "tools/emulator/driver/capture.h"
#include "tools/emulator/driver/entry.h"
#include "tools/emulator/driver/queue.h"

namespace emu::driver {
namespace {

template <class Body>
CUresult WithEvent(CUevent handle, Body&& body) {
  return Locked([&]() -> CUresult {
    Event* const event = GetState().events.Find(handle);
    return event == nullptr ? CUDA_ERROR_INVALID_HANDLE : body(*event);
  });
}

CUresult Record(CUevent handle, CUstream stream_handle, unsigned flags) {
  return InContext([&](Context& context) -> CUresult {
    Event* const event = GetState().events.Find(handle);
    Stream* stream = nullptr;
    if (event == nullptr) return CUDA_ERROR_INVALID_HANDLE;
    if ((flags & ~static_cast<unsigned>(CU_EVENT_RECORD_EXTERNAL)) != 0) return CUDA_ERROR_INVALID_VALUE;
    if (const CUresult result = FindStream(context, stream_handle, &stream); result != CUDA_SUCCESS)
      return result;
    if (event->context->device != stream->context->device) return CUDA_ERROR_INVALID_HANDLE;
    const bool external = (flags & CU_EVENT_RECORD_EXTERNAL) != 0;
    if (stream->capture != nullptr) {
      if (external) return CaptureAction(*stream, RecordAction{nullptr, event});
      if (stream->capture->invalid) return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
      event->capture = stream->capture;
      event->capture_tail = stream->capture_tail;
      return CUDA_SUCCESS;
    }
    if (external) return CUDA_ERROR_INVALID_VALUE;
    auto recording = std::make_shared<Recording>();
    const CUresult result = Submit(*stream, RecordAction{recording, event});
    if (result != CUDA_SUCCESS) return result;
    event->recording = std::move(recording);
    event->capture.reset();
    event->capture_tail.clear();
    return CUDA_SUCCESS;
  });
}

// What happened up to the record, done.
CUresult Finish(Event& event) {
  if (event.context->error != CUDA_SUCCESS) return event.context->error;
  if (event.capture != nullptr) return InvalidateCapture(*event.capture, CUDA_ERROR_CAPTURED_EVENT);
  if (event.recording != nullptr) Wait(*event.recording);
  return event.context->error;
}

}  // namespace
}  // namespace emu::driver

using namespace emu::driver;

CUresult cuEventCreate(CUevent* out, unsigned flags) {
  return InContext([&](Context& context) {
    constexpr unsigned kFlags = CU_EVENT_BLOCKING_SYNC | CU_EVENT_DISABLE_TIMING | CU_EVENT_INTERPROCESS;
    if (out == nullptr || (flags & ~kFlags) != 0) return CUDA_ERROR_INVALID_VALUE;
    if ((flags & CU_EVENT_INTERPROCESS) != 0) {
      return (flags & CU_EVENT_DISABLE_TIMING) == 0 ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_NOT_SUPPORTED;
    }
    auto event = std::make_unique<Event>();
    event->context = &context;
    event->flags = flags;
    *out = reinterpret_cast<CUevent>(GetState().events.Add(std::move(event)));
    return CUDA_SUCCESS;
  });
}

CUresult cuEventDestroy_v2(CUevent handle) {
  return WithEvent(handle, [](Event& event) {
    GetState().events.Erase(&event);
    return CUDA_SUCCESS;
  });
}

CUresult cuEventRecord(CUevent event, CUstream stream) { return Record(event, stream, 0); }
CUresult cuEventRecordWithFlags(CUevent event, CUstream stream, unsigned flags) {
  return Record(event, stream, flags);
}

CUresult cuEventSynchronize(CUevent handle) {
  return WithEvent(handle, [](Event& event) { return Finish(event); });
}

// As cuStreamQuery: the work is done now.
CUresult cuEventQuery(CUevent handle) {
  return WithEvent(handle, [](Event& event) { return Finish(event); });
}

CUresult cuEventElapsedTime_v2(float* milliseconds, CUevent begin_handle, CUevent end_handle) {
  return WithEvent(begin_handle, [&](Event& begin) -> CUresult {
    Event* const end = GetState().events.Find(end_handle);
    if (milliseconds == nullptr) return CUDA_ERROR_INVALID_VALUE;
    if (end == nullptr || begin.context->device != end->context->device) return CUDA_ERROR_INVALID_HANDLE;
    if (((begin.flags | end->flags) & CU_EVENT_DISABLE_TIMING) != 0) return CUDA_ERROR_INVALID_HANDLE;
    if (begin.context->error != CUDA_SUCCESS) return begin.context->error;
    if (begin.recording == nullptr || end->recording == nullptr) return CUDA_ERROR_INVALID_HANDLE;
    if (!begin.recording->done || !end->recording->done) return CUDA_ERROR_NOT_READY;
    const std::chrono::duration<float, std::milli> elapsed = end->recording->time - begin.recording->time;
    *milliseconds = elapsed.count();
    return CUDA_SUCCESS;
  });
}

CUresult cuEventElapsedTime(float* milliseconds, CUevent begin, CUevent end) {
  return cuEventElapsedTime_v2(milliseconds, begin, end);
}
