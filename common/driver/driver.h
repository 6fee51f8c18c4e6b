// The only door to libcuda. The library is opened at run time, so that libgemm links and loads on a machine without a
// GPU; every function is found through cuGetProcAddress. No cudart anywhere.
//
// Everything here is thread-safe. Nothing throws.
#pragma once

#include <cuda.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "common/driver/image.h"
#include "gemm/status.h"

namespace gemm::driver {

struct Api;  // common/driver/api.h: the table of driver functions

// The table of functions, loaded once per process. kNoDriver when libcuda.so.1 cannot be opened, kDriverTooOld when it
// lacks a function or reports a CUDA version older than 12.0, kNoDevice when it sees no device. A failure is remembered.
Status Load(const Api** api) noexcept;

// Turns a CUresult into a status whose sentence names the call: "cuLaunchKernelEx failed: CUDA_ERROR_... (text)".
// CUDA_ERROR_OUT_OF_MEMORY becomes kOutOfMemory, all others kDriverError. CUDA_SUCCESS is OK and costs nothing.
Status Check(CUresult result, const char* call) noexcept;

// Makes a context of `device` current for the calling thread's scope. If the thread has a current context of `device`
// it is left alone. If it has none, the device's primary context (retained once for the process) is pushed and popped
// again by the destructor. If it has one of another device: kWrongDevice, naming both.
class ContextScope {
 public:
  explicit ContextScope(int device) noexcept;
  ~ContextScope();
  ContextScope(const ContextScope&) = delete;
  ContextScope& operator=(const ContextScope&) = delete;
  const Status& status() const noexcept { return status_; }

 private:
  Status status_;
  bool pushed_ = false;
};

// The device of the current context; -1 when the thread has none.
Status CurrentDevice(int* device) noexcept;
Status DeviceCount(int* count) noexcept;
// One attribute of a device.
Status DeviceAttribute(int device, CUdevice_attribute attribute, int* value) noexcept;
Status DeviceName(int device, std::string* name) noexcept;

// A kernel that can be launched in any context of the devices it was found for. Trivially copyable, never freed: the
// library that holds it stays loaded for the life of the process.
struct Kernel {
  CUkernel handle = nullptr;
  // Compute capability that the code was compiled for, 10 * major + minor. A launcher needs it where the code, not the
  // device, decides.
  int compiled_for = 0;

  // Whether it may be launched with programmatic serialization: older code has no griddepcontrol.wait, so it must not start before its
  // predecessor has ended.
  bool WaitsForGrids() const { return compiled_for >= 90; }
};

// Finds `symbol` in the code of `image` that fits `device`, loading that code lazily and once per process
// (cuLibraryLoadData). Order of trial: the cubin of exactly this architecture (sm_90a on 9.0); the newest cubin of the
// same major version and a minor not above the device's; PTX that the driver can compile (compute_90a only on 9.0).
// A cubin that the driver refuses with "no binary", "invalid image" or "unsupported" falls through to the next, so a
// driver that takes only PTX is served. The kernel's dynamic shared memory limit is raised to shared_bytes, and it is
// loaded into the current context, so that a later launch may be captured in a graph. Needs a current context.
//
// kUnsupported when no code fits the device, kDriverTooOld when the driver refuses all that fit (the sentence lists
// why), kInternal for a source or symbol that the image lacks. Takes a lock, held while the driver loads or compiles.
Status FindKernel(const Image& image, const char* source, const char* symbol, int device, int shared_bytes,
                  Kernel* kernel) noexcept;

struct LaunchShape {
  unsigned grid[3] = {1, 1, 1};     // CTAs; a multiple of cluster in each direction
  unsigned block[3] = {1, 1, 1};    // threads
  unsigned cluster[3] = {1, 1, 1};  // CTAs; 1, 1, 1 launches without the attribute
  unsigned shared_bytes = 0;        // dynamic
  bool programmatic = false;        // programmatic stream serialization; for compute capability 9.0 and later
};

// Launches in the current context. `params` is an array of pointers to the kernel's parameters, as cuLaunchKernelEx
// takes it. Allocates nothing on success.
Status Launch(Kernel kernel, const LaunchShape& shape, CUstream stream, void** params) noexcept;

// A tiled tensor map but for its address. Dimension 0 is the contiguous one.
struct TensorMapShape {
  CUtensorMapDataType type = CU_TENSOR_MAP_DATA_TYPE_BFLOAT16;
  unsigned rank = 2;                   // 2 or more
  std::uint64_t extent[5] = {};        // elements, each in [1, 2^32]
  std::uint64_t stride_bytes[4] = {};  // of dimensions 1..rank-1: multiples of 16 below 2^40
  std::uint32_t box[5] = {};           // elements, each in [1, 256]
  CUtensorMapSwizzle swizzle = CU_TENSOR_MAP_SWIZZLE_128B;
  // 256 bytes cost a pure stream of weights 8% and products of M = 256 to 4096 2 to 12%: more passes between the L2's
  // halves (7.2 million sectors for 5.0 at 4096^3). None is as 128 (H200, 2026-11-21 and 22).
  CUtensorMapL2promotion promotion = CU_TENSOR_MAP_L2_PROMOTION_L2_128B;
};

// Fills *map for `address` (16-byte aligned); out-of-bounds elements read as zero. Allocates nothing on success.
Status EncodeTensorMap(const TensorMapShape& shape, const void* address, CUtensorMap* map) noexcept;

}  // namespace gemm::driver
