// The hot path: launches and tensor maps.
#include "common/driver/driver.h"
#include "common/driver/process.h"

namespace gemm::driver {

Status Launch(Kernel kernel, const LaunchShape& shape, CUstream stream, void** params) noexcept {
  const Process& process = GetProcess();
  if (!process.status.ok()) return CopyOf(process.status);
  CUlaunchAttribute attributes[2];
  unsigned count = 0;
  if (shape.cluster[0] != 1 || shape.cluster[1] != 1 || shape.cluster[2] != 1) {
    CUlaunchAttribute& attribute = attributes[count++];
    attribute.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
    attribute.value.clusterDim.x = shape.cluster[0];
    attribute.value.clusterDim.y = shape.cluster[1];
    attribute.value.clusterDim.z = shape.cluster[2];
  }
  if (shape.programmatic) {
    CUlaunchAttribute& attribute = attributes[count++];
    attribute.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION;
    attribute.value.programmaticStreamSerializationAllowed = 1;
  }
  CUlaunchConfig config;
  config.gridDimX = shape.grid[0];
  config.gridDimY = shape.grid[1];
  config.gridDimZ = shape.grid[2];
  config.blockDimX = shape.block[0];
  config.blockDimY = shape.block[1];
  config.blockDimZ = shape.block[2];
  config.sharedMemBytes = shape.shared_bytes;
  config.hStream = stream;
  config.attrs = count == 0 ? nullptr : attributes;
  config.numAttrs = count;
  // The driver accepts a CUkernel here and takes its function in the current context.
  return Check(
      process.api.LaunchKernelEx(&config, reinterpret_cast<CUfunction>(kernel.handle), params, nullptr),
      "cuLaunchKernelEx");
}

Status EncodeTensorMap(const TensorMapShape& shape, const void* address, CUtensorMap* map) noexcept {
  const Process& process = GetProcess();
  if (!process.status.ok()) return CopyOf(process.status);
  static constexpr cuuint32_t kEveryElement[5] = {1, 1, 1, 1, 1};
  static_assert(sizeof(cuuint64_t) == sizeof(std::uint64_t) && sizeof(cuuint32_t) == sizeof(std::uint32_t));
  const CUresult result = process.api.TensorMapEncodeTiled(
      map, shape.type, shape.rank, const_cast<void*>(address),
      reinterpret_cast<const cuuint64_t*>(shape.extent),
      reinterpret_cast<const cuuint64_t*>(shape.stride_bytes), shape.box, kEveryElement,
      CU_TENSOR_MAP_INTERLEAVE_NONE, shape.swizzle, shape.promotion, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  return Check(result, "cuTensorMapEncodeTiled");
}

}  // namespace gemm::driver
