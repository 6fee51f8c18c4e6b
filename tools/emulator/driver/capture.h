// Capturing streams into graphs.
#pragma once

#include <set>
#include <thread>

#include "tools/emulator/driver/graph.h"
#include "tools/emulator/driver/state.h"

namespace emu::driver {

struct Capture {
  std::unique_ptr<Graph> graph;
  Graph* into = nullptr;  // `graph`, or the caller's for cuStreamBeginCaptureToGraph
  Stream* origin = nullptr;
  std::set<Stream*> streams;  // the origin and those that joined
  CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_GLOBAL;
  std::thread::id thread;
  std::uint64_t id = 0;
  bool invalid = false;
};

// Adds a node behind what the stream has so far.
CUresult CaptureAction(Stream& stream, Action action);
// The action is about to go into a stream that is not being captured: CUDA_ERROR_STREAM_CAPTURE_IMPLICIT if it is the legacy
// stream and would depend on one that is.
CUresult CheckImplicitUse(Stream& stream);
// For calls that wait for the stream: they cannot while it is being captured.
CUresult CheckNotCapturing(Stream& stream);
CUresult CheckNotCapturing(Context& context);
// For calls that may synchronise, such as allocations: CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED while a capture forbids them, by
// its mode and the calling thread's.
CUresult CheckSafe();
// The stream waits for an event that was recorded in a capture: it takes part from now on.
CUresult JoinCapture(Stream& stream, const Event& event);
// Nothing can be made of the capture any more. Returns `error`.
CUresult InvalidateCapture(Capture& capture, CUresult error);
// The stream takes no more part in its capture.
void LeaveCapture(Stream& stream);
// The calling thread's mode; returns what it was.
CUstreamCaptureMode ExchangeThreadMode(CUstreamCaptureMode mode);

}  // namespace emu::driver
