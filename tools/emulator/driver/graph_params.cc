#include "tools/emulator/driver/graph_params.h"

#include "tools/emulator/driver/copy.h"
#include "tools/emulator/driver/entry.h"
#include "tools/emulator/driver/launch.h"

namespace emu::driver {

CUresult MakeAction(const CUDA_KERNEL_NODE_PARAMS& parameters, const CUlaunchAttribute* attributes,
                    unsigned count, Action* action) {
  Context* context = reinterpret_cast<Context*>(parameters.ctx);
  if (parameters.func != nullptr || context == nullptr) {
    const auto* function = reinterpret_cast<const Function*>(parameters.func);
    if (GetState().functions.count(const_cast<Function*>(function)) == 1) {
      context = function->module->context;
    } else if (const CUresult result = UsableContext(&context); result != CUDA_SUCCESS) {
      return result;
    }
  } else if (!Exists(context)) {
    return CUDA_ERROR_INVALID_CONTEXT;
  }
  LaunchArguments arguments;
  arguments.function =
      parameters.func != nullptr ? parameters.func : reinterpret_cast<CUfunction>(parameters.kern);
  arguments.blocks = {parameters.gridDimX, parameters.gridDimY, parameters.gridDimZ};
  arguments.threads = {parameters.blockDimX, parameters.blockDimY, parameters.blockDimZ};
  arguments.dynamic_shared = parameters.sharedMemBytes;
  arguments.attributes = attributes;
  arguments.attribute_count = count;
  arguments.parameters = parameters.kernelParams;
  arguments.extra = parameters.extra;
  std::shared_ptr<const KernelCall> call;
  const CUresult result = MakeCall(*context, arguments, &call);
  if (result == CUDA_SUCCESS) *action = std::move(call);
  return result;
}

CUresult MakeAction(const CUDA_MEMCPY3D& parameters, Action* action) {
  CopyAction copy;
  const CUresult result = MakeCopy(parameters, &copy);
  if (result == CUDA_SUCCESS) *action = std::move(copy);
  return result;
}

CUresult MakeAction(const CUDA_MEMSET_NODE_PARAMS& parameters, Action* action) {
  FillAction fill;
  const CUresult result = MakeFill(parameters, &fill);
  if (result == CUDA_SUCCESS) *action = fill;
  return result;
}

CUresult MakeAction(const CUDA_HOST_NODE_PARAMS& parameters, Action* action) {
  if (parameters.fn == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *action = HostAction{parameters.fn, parameters.userData, nullptr, nullptr};
  return CUDA_SUCCESS;
}

CUDA_KERNEL_NODE_PARAMS FromVersion1(const CUDA_KERNEL_NODE_PARAMS_v1& old) {
  return {old.func,      old.gridDimX,       old.gridDimY,     old.gridDimZ, old.blockDimX, old.blockDimY,
          old.blockDimZ, old.sharedMemBytes, old.kernelParams, old.extra,    nullptr,       nullptr};
}

}  // namespace emu::driver
