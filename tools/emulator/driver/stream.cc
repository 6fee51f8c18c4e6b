// cuStream* but for capturing.
#include <algorithm>

#include "tools/emulator/driver/capture.h"
#include "tools/emulator/driver/entry.h"
#include "tools/emulator/driver/queue.h"

namespace emu::driver {
namespace {

constexpr int kGreatestPriority = -5;

CUresult Create(CUstream* out, unsigned flags, int priority) {
  return InContext([&](Context& context) {
    if (out == nullptr || flags > CU_STREAM_NON_BLOCKING) return CUDA_ERROR_INVALID_VALUE;
    auto stream = std::make_unique<Stream>();
    stream->context = &context;
    stream->id = GetState().next_id++;
    stream->flags = flags;
    stream->priority = std::clamp(priority, kGreatestPriority, 0);
    *out = reinterpret_cast<CUstream>(context.streams.Add(std::move(stream)));
    return CUDA_SUCCESS;
  });
}

template <class Body>
CUresult WithStream(CUstream handle, Body&& body) {
  return InContext([&](Context& context) -> CUresult {
    Stream* stream = nullptr;
    const CUresult result = FindStream(context, handle, &stream);
    return result == CUDA_SUCCESS ? body(*stream) : result;
  });
}

// All work submitted so far, that of other streams included which the legacy stream stands for.
CUresult Finish(Stream& stream) {
  if (const CUresult result = CheckNotCapturing(stream); result != CUDA_SUCCESS) return result;
  if (stream.legacy) {
    if (const CUresult result = Submit(stream, EmptyAction()); result != CUDA_SUCCESS) return result;
  }
  return Settle(stream);
}

}  // namespace
}  // namespace emu::driver

using namespace emu::driver;

CUresult cuStreamCreate(CUstream* stream, unsigned flags) { return Create(stream, flags, 0); }
CUresult cuStreamCreateWithPriority(CUstream* stream, unsigned flags, int priority) {
  return Create(stream, flags, priority);
}

CUresult cuStreamDestroy_v2(CUstream handle) {
  return Locked([&] {
    for (const auto& device : GetState().devices) {
      for (Context* context : ContextsOf(*device)) {
        Stream* const stream = context->streams.Find(handle);
        if (stream == nullptr) continue;
        if (stream->capture == nullptr) Settle(*stream);
        Drop(*stream);
        context->streams.Erase(stream);
        return CUDA_SUCCESS;
      }
    }
    return CUDA_ERROR_INVALID_HANDLE;
  });
}

CUresult cuStreamSynchronize(CUstream handle) {
  return WithStream(handle, [](Stream& stream) { return Finish(stream); });
}

// Nothing is ever left running, so the answer is never "not ready": the work is done now.
CUresult cuStreamQuery(CUstream handle) {
  return WithStream(handle, [](Stream& stream) { return Finish(stream); });
}

CUresult cuStreamGetPriority(CUstream handle, int* priority) {
  return WithStream(handle, [&](Stream& stream) {
    if (priority == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *priority = stream.priority;
    return CUDA_SUCCESS;
  });
}

CUresult cuStreamGetFlags(CUstream handle, unsigned* flags) {
  return WithStream(handle, [&](Stream& stream) {
    if (flags == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *flags = stream.flags;
    return CUDA_SUCCESS;
  });
}

CUresult cuStreamGetId(CUstream handle, unsigned long long* id) {
  return WithStream(handle, [&](Stream& stream) {
    if (id == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *id = stream.id;
    return CUDA_SUCCESS;
  });
}

CUresult cuStreamGetCtx(CUstream handle, CUcontext* context) {
  return WithStream(handle, [&](Stream& stream) {
    if (context == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *context = reinterpret_cast<CUcontext>(stream.context);
    return CUDA_SUCCESS;
  });
}

CUresult cuStreamGetDevice(CUstream handle, CUdevice* device) {
  return WithStream(handle, [&](Stream& stream) {
    if (device == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *device = stream.context->device->ordinal;
    return CUDA_SUCCESS;
  });
}

CUresult cuStreamWaitEvent(CUstream handle, CUevent event_handle, unsigned flags) {
  return WithStream(handle, [&](Stream& stream) -> CUresult {
    Event* const event = GetState().events.Find(event_handle);
    if (event == nullptr) return CUDA_ERROR_INVALID_HANDLE;
    if ((flags & ~static_cast<unsigned>(CU_EVENT_WAIT_EXTERNAL)) != 0) return CUDA_ERROR_INVALID_VALUE;
    const bool external = (flags & CU_EVENT_WAIT_EXTERNAL) != 0;
    if (stream.capture != nullptr && external) return CaptureAction(stream, WaitAction{nullptr, event});
    if (external) return CUDA_ERROR_INVALID_VALUE;
    if (event->capture != nullptr) return JoinCapture(stream, *event);
    if (stream.capture != nullptr) {
      if (event->recording == nullptr) return CUDA_SUCCESS;
      return InvalidateCapture(*stream.capture, CUDA_ERROR_STREAM_CAPTURE_ISOLATION);
    }
    // An event that was never recorded holds nobody up.
    if (event->recording == nullptr) return CUDA_SUCCESS;
    return Submit(stream, WaitAction{event->recording, event});
  });
}

CUresult cuLaunchHostFunc(CUstream handle, CUhostFn function, void* data) {
  return WithStream(handle, [&](Stream& stream) -> CUresult {
    if (function == nullptr) return CUDA_ERROR_INVALID_VALUE;
    return Submit(stream, HostAction{function, data, nullptr, nullptr});
  });
}

CUresult cuStreamAddCallback(CUstream handle, CUstreamCallback callback, void* data, unsigned flags) {
  return WithStream(handle, [&](Stream& stream) -> CUresult {
    if (callback == nullptr || flags != 0) return CUDA_ERROR_INVALID_VALUE;
    if (stream.capture != nullptr) return CheckNotCapturing(stream);
    return Submit(stream, HostAction{nullptr, data, callback, handle});
  });
}

CUresult cuStreamAttachMemAsync(CUstream handle, CUdeviceptr address, std::size_t, unsigned) {
  return WithStream(handle, [&](Stream&) {
    return GetState().memory->Contains(address, 1) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
  });
}

CUresult cuStreamGetAttribute(CUstream handle, CUstreamAttrID attribute, CUstreamAttrValue* value) {
  return WithStream(handle, [&](Stream& stream) {
    if (value == nullptr) return CUDA_ERROR_INVALID_VALUE;
    const auto found = stream.attributes.find(attribute);
    *value = found == stream.attributes.end() ? CUstreamAttrValue{} : found->second;
    return CUDA_SUCCESS;
  });
}

CUresult cuStreamSetAttribute(CUstream handle, CUstreamAttrID attribute, const CUstreamAttrValue* value) {
  return WithStream(handle, [&](Stream& stream) {
    if (value == nullptr) return CUDA_ERROR_INVALID_VALUE;
    stream.attributes[attribute] = *value;
    return CUDA_SUCCESS;
  });
}

CUresult cuStreamCopyAttributes(CUstream to, CUstream from) {
  return WithStream(to, [&](Stream& stream) {
    Stream* source = nullptr;
    const CUresult result = FindStream(*stream.context, from, &source);
    if (result == CUDA_SUCCESS) stream.attributes = source->attributes;
    return result;
  });
}
