#include <utility>

#include "common/base/status.h"
#include "common/driver/api.h"
#include "tools/gpu/gpu.h"

namespace gemm::gpu {
namespace {

// Both tables, and the driver's handle of device `ordinal`.
Status LoadFor(int ordinal, const Api** api, const driver::Api** driver_api, CUdevice* device) noexcept {
  if (Status status = Load(api); !status.ok()) return status;
  if (Status status = driver::Load(driver_api); !status.ok()) return status;
  int count = 0;
  if (Status status = driver::DeviceCount(&count); !status.ok()) return status;
  if (ordinal < 0 || ordinal >= count) {
    return base::Error(StatusCode::kNoDevice, "device is ", ordinal, "; the driver sees ", count,
                       ", numbered from 0");
  }
  return driver::Check((*driver_api)->DeviceGet(device, ordinal), "cuDeviceGet");
}

}  // namespace

Context& Context::operator=(Context&& other) noexcept {
  if (this == &other) return *this;
  Reset();
  handle_ = std::exchange(other.handle_, nullptr);
  device_ = std::exchange(other.device_, -1);
  primary_ = other.primary_;
  return *this;
}

Status Context::Primary(int device, Context* out) noexcept {
  const Api* api = nullptr;
  const driver::Api* driver_api = nullptr;
  CUdevice handle = 0;
  if (Status status = LoadFor(device, &api, &driver_api, &handle); !status.ok()) return status;
  Context context;
  CUresult result = driver_api->DevicePrimaryCtxRetain(&context.handle_, handle);
  if (result != CUDA_SUCCESS) return driver::Check(result, "cuDevicePrimaryCtxRetain");
  result = driver_api->CtxPushCurrent(context.handle_);
  if (result != CUDA_SUCCESS) {
    context.handle_ = nullptr;
    (void)api->DevicePrimaryCtxRelease(handle);
    return driver::Check(result, "cuCtxPushCurrent");
  }
  context.device_ = device;
  context.primary_ = true;
  *out = std::move(context);
  return Status();
}

Status Context::Separate(int device, Context* out) noexcept {
  const Api* api = nullptr;
  const driver::Api* driver_api = nullptr;
  CUdevice handle = 0;
  if (Status status = LoadFor(device, &api, &driver_api, &handle); !status.ok()) return status;
  Context context;
  const CUresult result = api->CtxCreate(&context.handle_, 0, handle);  // pushes it, too
  if (result != CUDA_SUCCESS) return driver::Check(result, "cuCtxCreate");
  context.device_ = device;
  *out = std::move(context);
  return Status();
}

void Context::Reset() noexcept {
  if (handle_ == nullptr) return;
  const Api* api = nullptr;
  const driver::Api* driver_api = nullptr;
  CUdevice device = 0;
  if (!LoadFor(device_, &api, &driver_api, &device).ok()) return;
  CUcontext popped = nullptr;
  (void)driver_api->CtxPopCurrent(&popped);
  if (primary_) {
    (void)api->DevicePrimaryCtxRelease(device);
  } else {
    (void)api->CtxDestroy(handle_);
  }
  handle_ = nullptr;
  device_ = -1;
}

Status Synchronize() noexcept {
  const Api* api = nullptr;
  if (Status status = Load(&api); !status.ok()) return status;
  return driver::Check(api->CtxSynchronize(), "cuCtxSynchronize");
}

Status MemoryInfo(std::size_t* free, std::size_t* total) noexcept {
  const Api* api = nullptr;
  if (Status status = Load(&api); !status.ok()) return status;
  return driver::Check(api->MemGetInfo(free, total), "cuMemGetInfo");
}

Status L2Bytes(int device, std::size_t* bytes) noexcept {
  int value = 0;
  Status status = driver::DeviceAttribute(device, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, &value);
  if (status.ok()) *bytes = static_cast<std::size_t>(value);
  return status;
}

Status GetKernelInfo(driver::Kernel kernel, int device, KernelInfo* info) noexcept {
  const Api* api = nullptr;
  const driver::Api* driver_api = nullptr;
  CUdevice handle = 0;
  if (Status status = LoadFor(device, &api, &driver_api, &handle); !status.ok()) return status;
  const std::pair<CUfunction_attribute, int*> wanted[] = {
      {CU_FUNC_ATTRIBUTE_NUM_REGS, &info->registers},
      {CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, &info->local_bytes},
      {CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, &info->max_threads},
      {CU_FUNC_ATTRIBUTE_BINARY_VERSION, &info->binary_version},
  };
  for (const auto& [attribute, value] : wanted) {
    const CUresult result = api->KernelGetAttribute(value, attribute, kernel.handle, handle);
    if (result != CUDA_SUCCESS) return driver::Check(result, "cuKernelGetAttribute");
  }
  return Status();
}

namespace {

Status FunctionOf(driver::Kernel kernel, CUfunction* function) noexcept {
  const driver::Api* api = nullptr;
  if (Status status = driver::Load(&api); !status.ok()) return status;
  return driver::Check(api->KernelGetFunction(function, kernel.handle), "cuKernelGetFunction");
}

}  // namespace

Status BlocksPerSm(driver::Kernel kernel, int threads, int shared_bytes, int* blocks) noexcept {
  const Api* api = nullptr;
  if (Status status = Load(&api); !status.ok()) return status;
  CUfunction function = nullptr;
  if (Status status = FunctionOf(kernel, &function); !status.ok()) return status;
  return driver::Check(api->OccupancyMaxActiveBlocksPerMultiprocessor(blocks, function, threads,
                                                                      static_cast<std::size_t>(shared_bytes)),
                       "cuOccupancyMaxActiveBlocksPerMultiprocessor");
}

Status MaxActiveClusters(driver::Kernel kernel, const driver::LaunchShape& shape, int* clusters) noexcept {
  const Api* api = nullptr;
  if (Status status = Load(&api); !status.ok()) return status;
  CUfunction function = nullptr;
  if (Status status = FunctionOf(kernel, &function); !status.ok()) return status;
  CUlaunchAttribute attribute = {};
  attribute.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
  attribute.value.clusterDim.x = shape.cluster[0];
  attribute.value.clusterDim.y = shape.cluster[1];
  attribute.value.clusterDim.z = shape.cluster[2];
  CUlaunchConfig config = {};
  config.gridDimX = shape.grid[0];
  config.gridDimY = shape.grid[1];
  config.gridDimZ = shape.grid[2];
  config.blockDimX = shape.block[0];
  config.blockDimY = shape.block[1];
  config.blockDimZ = shape.block[2];
  config.sharedMemBytes = shape.shared_bytes;
  config.attrs = &attribute;
  config.numAttrs = 1;
  return driver::Check(api->OccupancyMaxActiveClusters(clusters, function, &config),
                       "cuOccupancyMaxActiveClusters");
}

}  // namespace gemm::gpu
