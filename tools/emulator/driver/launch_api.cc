// cuLaunchKernel and its kin.
#include "tools/emulator/driver/capture.h"
#include "tools/emulator/driver/entry.h"
#include "tools/emulator/driver/launch.h"
#include "tools/emulator/driver/queue.h"

namespace emu::driver {
namespace {

// Events that launch attributes ask for. They may fire as late as the end of the kernel, so that is when they do.
CUresult RecordEvents(Stream& stream, const CUlaunchAttribute* attributes, unsigned count) {
  for (unsigned i = 0; i < count; ++i) {
    CUevent handle = nullptr;
    if (attributes[i].id == CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT)
      handle = attributes[i].value.programmaticEvent.event;
    if (attributes[i].id == CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT) {
      handle = attributes[i].value.launchCompletionEvent.event;
    }
    if (handle == nullptr) continue;
    Event* const event = GetState().events.Find(handle);
    if (event == nullptr) return CUDA_ERROR_INVALID_HANDLE;
    if (stream.capture != nullptr) {
      event->capture = stream.capture;
      event->capture_tail = stream.capture_tail;
      continue;
    }
    event->recording = std::make_shared<Recording>();
    event->capture.reset();
    const CUresult result = Submit(stream, RecordAction{event->recording, event});
    if (result != CUDA_SUCCESS) return result;
  }
  return CUDA_SUCCESS;
}

CUresult Launch(const LaunchArguments& arguments, CUstream handle) {
  return InContext([&](Context& current) -> CUresult {
    Stream* stream = nullptr;
    if (const CUresult result = FindStream(current, handle, &stream); result != CUDA_SUCCESS) return result;
    std::shared_ptr<const KernelCall> call;
    if (const CUresult result = MakeCall(*stream->context, arguments, &call); result != CUDA_SUCCESS)
      return result;
    if (const CUresult result = Submit(*stream, std::move(call)); result != CUDA_SUCCESS) return result;
    return RecordEvents(*stream, arguments.attributes, arguments.attribute_count);
  });
}

}  // namespace
}  // namespace emu::driver

using namespace emu;
using namespace emu::driver;

CUresult cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                        unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared, CUstream stream,
                        void** parameters, void** extra) {
  LaunchArguments arguments;
  arguments.function = function;
  arguments.blocks = {grid_x, grid_y, grid_z};
  arguments.threads = {block_x, block_y, block_z};
  arguments.dynamic_shared = shared;
  arguments.parameters = parameters;
  arguments.extra = extra;
  return Launch(arguments, stream);
}

CUresult cuLaunchKernelEx(const CUlaunchConfig* config, CUfunction function, void** parameters, void** extra) {
  if (config == nullptr) return CUDA_ERROR_INVALID_VALUE;
  LaunchArguments arguments;
  arguments.function = function;
  arguments.blocks = {config->gridDimX, config->gridDimY, config->gridDimZ};
  arguments.threads = {config->blockDimX, config->blockDimY, config->blockDimZ};
  arguments.dynamic_shared = config->sharedMemBytes;
  arguments.attributes = config->attrs;
  arguments.attribute_count = config->numAttrs;
  arguments.parameters = parameters;
  arguments.extra = extra;
  return Launch(arguments, config->hStream);
}

CUresult cuLaunchCooperativeKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                                   unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
                                   CUstream stream, void** parameters) {
  LaunchArguments arguments;
  arguments.function = function;
  arguments.blocks = {grid_x, grid_y, grid_z};
  arguments.threads = {block_x, block_y, block_z};
  arguments.dynamic_shared = shared;
  arguments.cooperative = true;
  arguments.parameters = parameters;
  return Launch(arguments, stream);
}
