#include "tools/emulator/driver/capture.h"

#include <algorithm>

namespace emu::driver {
namespace {

CUstreamCaptureMode& ThreadMode() {
  thread_local CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_GLOBAL;
  return mode;
}

bool IsKernel(const Action& action) {
  return std::holds_alternative<std::shared_ptr<const KernelCall>>(action);
}

// A launch that may overlap with the launch before it is tied to it by a programmatic edge.
void MakeProgrammatic(const Action& action, std::vector<Dependency>* tail) {
  if (!IsKernel(action) || !std::get<std::shared_ptr<const KernelCall>>(action)->request.programmatic) return;
  for (Dependency& dependency : *tail) {
    if (!IsKernel(dependency.node->action)) continue;
    dependency.edge = {};
    dependency.edge.from_port = CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC;
    dependency.edge.type = CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC;
  }
}

// Whether a capture forbids calls that may synchronise, to this thread (CUDA Driver API, cuThreadExchangeStreamCaptureMode).
bool Forbids(const Capture& capture) {
  if (capture.invalid) return false;
  const bool own = capture.thread == std::this_thread::get_id();
  switch (ThreadMode()) {
    case CU_STREAM_CAPTURE_MODE_GLOBAL:
      return capture.mode == CU_STREAM_CAPTURE_MODE_GLOBAL ||
             (own && capture.mode == CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
    case CU_STREAM_CAPTURE_MODE_THREAD_LOCAL:
      return own && capture.mode != CU_STREAM_CAPTURE_MODE_RELAXED;
    default:
      return false;
  }
}

}  // namespace

CUresult InvalidateCapture(Capture& capture, CUresult error) {
  capture.invalid = true;
  return error;
}

CUresult CaptureAction(Stream& stream, Action action) {
  Capture& capture = *stream.capture;
  if (capture.invalid) return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
  if (auto* record = std::get_if<RecordAction>(&action)) record->recording = nullptr;
  std::vector<Dependency> dependencies = std::move(stream.capture_tail);
  MakeProgrammatic(action, &dependencies);
  stream.capture_tail = {{capture.into->Add(std::move(action), std::move(dependencies)), {}}};
  return CUDA_SUCCESS;
}

CUresult CheckImplicitUse(Stream& stream) {
  if (!stream.legacy) return CUDA_SUCCESS;
  CUresult result = CUDA_SUCCESS;
  for (const std::shared_ptr<Capture>& capture : GetState().captures) {
    const bool depends =
        std::any_of(capture->streams.begin(), capture->streams.end(),
                    [&](const Stream* other) { return other->context == stream.context && other->blocking(); });
    if (depends) result = InvalidateCapture(*capture, CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
  }
  return result;
}

CUresult CheckNotCapturing(Stream& stream) {
  if (stream.capture != nullptr)
    return InvalidateCapture(*stream.capture, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  return CheckImplicitUse(stream);
}

CUresult CheckNotCapturing(Context& context) {
  CUresult result = CUDA_SUCCESS;
  for (const std::shared_ptr<Capture>& capture : GetState().captures) {
    const bool concerned = std::any_of(capture->streams.begin(), capture->streams.end(),
                                       [&](const Stream* stream) { return stream->context == &context; });
    if (concerned) result = InvalidateCapture(*capture, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  }
  return result;
}

CUresult CheckSafe() {
  CUresult result = CUDA_SUCCESS;
  for (const std::shared_ptr<Capture>& capture : GetState().captures) {
    if (Forbids(*capture)) result = InvalidateCapture(*capture, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  }
  return result;
}

CUresult JoinCapture(Stream& stream, const Event& event) {
  const std::shared_ptr<Capture> capture = event.capture;
  if (GetState().captures.count(capture) == 0) return CUDA_ERROR_STREAM_CAPTURE_ISOLATION;
  if (capture->invalid) return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
  if (stream.legacy) return InvalidateCapture(*capture, CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
  if (stream.capture != nullptr && stream.capture != capture) {
    stream.capture->invalid = true;
    return InvalidateCapture(*capture, CUDA_ERROR_STREAM_CAPTURE_MERGE);
  }
  stream.capture = capture;
  capture->streams.insert(&stream);
  for (const Dependency& dependency : event.capture_tail) {
    const bool known = std::any_of(stream.capture_tail.begin(), stream.capture_tail.end(),
                                   [&](const Dependency& other) { return other.node == dependency.node; });
    if (!known) stream.capture_tail.push_back(dependency);
  }
  return CUDA_SUCCESS;
}

void LeaveCapture(Stream& stream) {
  if (stream.capture == nullptr) return;
  const std::shared_ptr<Capture> capture = stream.capture;
  capture->invalid = true;
  capture->streams.erase(&stream);
  if (capture->origin == &stream) {
    for (Stream* other : capture->streams) other->capture.reset(), other->capture_tail.clear();
    GetState().captures.erase(capture);
  }
  stream.capture.reset();
  stream.capture_tail.clear();
}

CUstreamCaptureMode ExchangeThreadMode(CUstreamCaptureMode mode) { return std::exchange(ThreadMode(), mode); }

}  // namespace emu::driver
