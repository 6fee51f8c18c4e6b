// The driver functions that the fake has. The base name of a function is what cuGetProcAddress is asked for.
#pragma once

#include <cuda.h>
#include <cudaTypedefs.h>

// X(name without "cu", version that introduced this ABI, version that replaced it or kLatest)
#define GEMM_FAKE_FUNCTIONS(X)                                \
  X(Init, 2000, kLatest)                                      \
  X(DriverGetVersion, 2020, kLatest)                          \
  X(GetErrorName, 6000, kLatest)                              \
  X(GetErrorString, 6000, kLatest)                            \
  X(DeviceGetCount, 2000, kLatest)                            \
  X(DeviceGet, 2000, kLatest)                                 \
  X(DeviceGetName, 2000, kLatest)                             \
  X(DeviceGetAttribute, 2000, kLatest)                        \
  X(DevicePrimaryCtxRetain, 7000, kLatest)                    \
  X(DevicePrimaryCtxRelease, 11000, kLatest)                  \
  X(CtxCreate, 3020, 11040)                                   \
  X(CtxDestroy, 4000, kLatest)                                \
  X(CtxGetCurrent, 4000, kLatest)                             \
  X(CtxGetDevice, 2000, 13000)                                \
  X(CtxPushCurrent, 4000, kLatest)                            \
  X(CtxPopCurrent, 4000, kLatest)                             \
  X(CtxSynchronize, 2000, 13000)                              \
  X(MemGetInfo, 3020, kLatest)                                \
  X(MemAlloc, 3020, kLatest)                                  \
  X(MemFree, 3020, kLatest)                                   \
  X(MemcpyHtoDAsync, 3020, kLatest)                           \
  X(MemcpyDtoHAsync, 3020, kLatest)                           \
  X(MemcpyDtoDAsync, 3020, kLatest)                           \
  X(MemsetD8Async, 3020, kLatest)                             \
  X(MemsetD32Async, 3020, kLatest)                            \
  X(StreamCreate, 2000, kLatest)                              \
  X(StreamDestroy, 4000, kLatest)                             \
  X(StreamSynchronize, 2000, kLatest)                         \
  X(StreamWaitEvent, 3020, kLatest)                           \
  X(StreamBeginCapture, 10010, kLatest)                       \
  X(StreamEndCapture, 10000, kLatest)                         \
  X(EventCreate, 2000, kLatest)                               \
  X(EventDestroy, 4000, kLatest)                              \
  X(EventRecord, 2000, kLatest)                               \
  X(EventSynchronize, 2000, kLatest)                          \
  X(EventElapsedTime, 2000, 12080)                            \
  X(GraphGetNodes, 10000, kLatest)                            \
  X(GraphNodeGetType, 10000, kLatest)                         \
  X(GraphGetEdges, 12030, kLatest)                            \
  X(GraphInstantiateWithFlags, 11040, kLatest)                \
  X(GraphLaunch, 10000, kLatest)                              \
  X(GraphExecDestroy, 10000, kLatest)                         \
  X(GraphDestroy, 10000, kLatest)                             \
  X(LibraryLoadData, 12000, kLatest)                          \
  X(LibraryUnload, 12000, kLatest)                            \
  X(LibraryGetKernel, 12000, kLatest)                         \
  X(KernelGetFunction, 12000, kLatest)                        \
  X(KernelGetAttribute, 12000, kLatest)                       \
  X(KernelSetAttribute, 12000, kLatest)                       \
  X(LaunchKernelEx, 11060, kLatest)                           \
  X(TensorMapEncodeTiled, 12000, kLatest)                     \
  X(OccupancyMaxActiveBlocksPerMultiprocessor, 6050, kLatest) \
  X(OccupancyMaxActiveClusters, 11070, kLatest)

namespace gemm::fake {

inline constexpr int kLatest = 1 << 30;

// One declaration each, with the type of its typedef.
template <typename Pointer>
struct Pointee;
template <typename Result, typename... Parameters>
struct Pointee<Result (*)(Parameters...)> {
  using Type = Result(Parameters...);
};

#define GEMM_FAKE_DECLARE(name, from, until) Pointee<PFN_cu##name##_v##from>::Type name;
GEMM_FAKE_FUNCTIONS(GEMM_FAKE_DECLARE)
#undef GEMM_FAKE_DECLARE

}  // namespace gemm::fake
