// Work waits in its stream until somebody could see that it has been done: a synchronisation, a query, a copy to memory that
// the host reads, other work that depends on it. What runs then, and in which order between streams, is the seed's.
#pragma once

#include <span>

#include "tools/emulator/driver/state.h"

namespace emu::driver {

// The stream that a handle means in the context: null, CU_STREAM_LEGACY, CU_STREAM_PER_THREAD or one that was created.
// CUDA_ERROR_INVALID_HANDLE for any other.
CUresult FindStream(Context& context, CUstream handle, Stream** stream);
// Null in functions of the API with the suffix _ptsz or _ptds means CU_STREAM_PER_THREAD.
bool& NullIsPerThread();

// Queues the action, or adds it to the graph that the stream is being captured into.
CUresult Submit(Stream& stream, Action action);

// Run what is queued: of the stream; of the stream up to a sequence number; of the context; of all contexts of the device.
// Each with all that it depends on. The result is the context's error.
CUresult Settle(Stream& stream);
CUresult Settle(Stream& stream, std::uint64_t sequence);
CUresult Settle(Context& context);
void Settle(const Device& device);
// Runs what the recording needs.
void Wait(const Recording& recording);

// Forgets what is queued and takes the stream out of its capture.
void Drop(Stream& stream);

// Runs the launches, which may overlap. Throws Stop.
void RunKernels(Context& context, std::span<const LaunchRequest> chain);
// Does the work. Throws Stop.
void Perform(Context& context, const Action& action);

}  // namespace emu::driver
