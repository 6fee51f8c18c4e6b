// Names of errors, and sentences in the words that the driver has for them where they are well known.
#include "tools/emulator/driver/cuda_api.h"

namespace {

struct Row {
  CUresult result;
  const char* name;
  const char* text;
};

#define EMU_ERROR(name, text) \
  { name, #name, text }

const Row kRows[] = {
    EMU_ERROR(CUDA_SUCCESS, "no error"),
    EMU_ERROR(CUDA_ERROR_INVALID_VALUE, "invalid argument"),
    EMU_ERROR(CUDA_ERROR_OUT_OF_MEMORY, "out of memory"),
    EMU_ERROR(CUDA_ERROR_NOT_INITIALIZED, "initialization error"),
    EMU_ERROR(CUDA_ERROR_DEINITIALIZED, "driver shutting down"),
    EMU_ERROR(CUDA_ERROR_PROFILER_DISABLED, "profiler disabled while using external profiling tool"),
    EMU_ERROR(CUDA_ERROR_PROFILER_NOT_INITIALIZED, "profiler not initialized: call cudaProfilerInitialize()"),
    EMU_ERROR(CUDA_ERROR_PROFILER_ALREADY_STARTED, "profiler already started"),
    EMU_ERROR(CUDA_ERROR_PROFILER_ALREADY_STOPPED, "profiler already stopped"),
    EMU_ERROR(CUDA_ERROR_STUB_LIBRARY, "CUDA driver is a stub library"),
    EMU_ERROR(CUDA_ERROR_CALL_REQUIRES_NEWER_DRIVER, "the call requires a newer driver"),
    EMU_ERROR(CUDA_ERROR_DEVICE_UNAVAILABLE, "CUDA-capable device(s) is/are busy or unavailable"),
    EMU_ERROR(CUDA_ERROR_NO_DEVICE, "no CUDA-capable device is detected"),
    EMU_ERROR(CUDA_ERROR_INVALID_DEVICE, "invalid device ordinal"),
    EMU_ERROR(CUDA_ERROR_DEVICE_NOT_LICENSED, "device doesn't have valid Grid license"),
    EMU_ERROR(CUDA_ERROR_INVALID_IMAGE, "device kernel image is invalid"),
    EMU_ERROR(CUDA_ERROR_INVALID_CONTEXT, "invalid device context"),
    EMU_ERROR(CUDA_ERROR_CONTEXT_ALREADY_CURRENT, "context already current"),
    EMU_ERROR(CUDA_ERROR_MAP_FAILED, "mapping of buffer object failed"),
    EMU_ERROR(CUDA_ERROR_UNMAP_FAILED, "unmapping of buffer object failed"),
    EMU_ERROR(CUDA_ERROR_ARRAY_IS_MAPPED, "array is mapped"),
    EMU_ERROR(CUDA_ERROR_ALREADY_MAPPED, "resource already mapped"),
    EMU_ERROR(CUDA_ERROR_NO_BINARY_FOR_GPU, "no kernel image is available for execution on the device"),
    EMU_ERROR(CUDA_ERROR_ALREADY_ACQUIRED, "resource already acquired"),
    EMU_ERROR(CUDA_ERROR_NOT_MAPPED, "resource not mapped"),
    EMU_ERROR(CUDA_ERROR_NOT_MAPPED_AS_ARRAY, "resource not mapped as array"),
    EMU_ERROR(CUDA_ERROR_NOT_MAPPED_AS_POINTER, "resource not mapped as pointer"),
    EMU_ERROR(CUDA_ERROR_ECC_UNCORRECTABLE, "uncorrectable ECC error encountered"),
    EMU_ERROR(CUDA_ERROR_UNSUPPORTED_LIMIT, "limit is not supported on this architecture"),
    EMU_ERROR(CUDA_ERROR_CONTEXT_ALREADY_IN_USE,
              "exclusive-thread device already in use by a different thread"),
    EMU_ERROR(CUDA_ERROR_PEER_ACCESS_UNSUPPORTED, "peer access is not supported between these two devices"),
    EMU_ERROR(CUDA_ERROR_INVALID_PTX, "a PTX JIT compilation failed"),
    EMU_ERROR(CUDA_ERROR_INVALID_GRAPHICS_CONTEXT, "invalid OpenGL or DirectX context"),
    EMU_ERROR(CUDA_ERROR_NVLINK_UNCORRECTABLE, "uncorrectable NVLink error detected during the execution"),
    EMU_ERROR(CUDA_ERROR_JIT_COMPILER_NOT_FOUND, "PTX JIT compiler library not found"),
    EMU_ERROR(CUDA_ERROR_UNSUPPORTED_PTX_VERSION,
              "the provided PTX was compiled with an unsupported toolchain."),
    EMU_ERROR(CUDA_ERROR_JIT_COMPILATION_DISABLED, "PTX JIT compilation was disabled"),
    EMU_ERROR(CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY, "the provided execution affinity is not supported"),
    EMU_ERROR(CUDA_ERROR_UNSUPPORTED_DEVSIDE_SYNC,
              "the provided PTX contains unsupported call to cudaDeviceSynchronize"),
    EMU_ERROR(CUDA_ERROR_CONTAINED, "Invalid access of peer GPU memory over nvlink or a hardware error"),
    EMU_ERROR(CUDA_ERROR_INVALID_SOURCE, "device kernel image is invalid"),
    EMU_ERROR(CUDA_ERROR_FILE_NOT_FOUND, "file not found"),
    EMU_ERROR(CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND, "shared object symbol not found"),
    EMU_ERROR(CUDA_ERROR_SHARED_OBJECT_INIT_FAILED, "shared object initialization failed"),
    EMU_ERROR(CUDA_ERROR_OPERATING_SYSTEM, "OS call failed or operation not supported on this OS"),
    EMU_ERROR(CUDA_ERROR_INVALID_HANDLE, "invalid resource handle"),
    EMU_ERROR(CUDA_ERROR_ILLEGAL_STATE, "the operation cannot be performed in the present state"),
    EMU_ERROR(CUDA_ERROR_LOSSY_QUERY, "attempted introspection would be semantically lossy"),
    EMU_ERROR(CUDA_ERROR_NOT_FOUND, "named symbol not found"),
    EMU_ERROR(CUDA_ERROR_NOT_READY, "device not ready"),
    EMU_ERROR(CUDA_ERROR_ILLEGAL_ADDRESS, "an illegal memory access was encountered"),
    EMU_ERROR(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, "too many resources requested for launch"),
    EMU_ERROR(CUDA_ERROR_LAUNCH_TIMEOUT, "the launch timed out and was terminated"),
    EMU_ERROR(CUDA_ERROR_LAUNCH_INCOMPATIBLE_TEXTURING, "launch uses incompatible texturing mode"),
    EMU_ERROR(CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED, "peer access is already enabled"),
    EMU_ERROR(CUDA_ERROR_PEER_ACCESS_NOT_ENABLED, "peer access has not been enabled"),
    EMU_ERROR(CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE, "cannot set while device is active in this process"),
    EMU_ERROR(CUDA_ERROR_CONTEXT_IS_DESTROYED, "context is destroyed"),
    EMU_ERROR(CUDA_ERROR_ASSERT, "device-side assert triggered"),
    EMU_ERROR(CUDA_ERROR_TOO_MANY_PEERS, "peer mapping resources exhausted"),
    EMU_ERROR(CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED,
              "part or all of the requested memory range is already mapped"),
    EMU_ERROR(CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED,
              "pointer does not correspond to a registered memory region"),
    EMU_ERROR(CUDA_ERROR_HARDWARE_STACK_ERROR, "hardware stack error"),
    EMU_ERROR(CUDA_ERROR_ILLEGAL_INSTRUCTION, "an illegal instruction was encountered"),
    EMU_ERROR(CUDA_ERROR_MISALIGNED_ADDRESS, "misaligned address"),
    EMU_ERROR(CUDA_ERROR_INVALID_ADDRESS_SPACE, "operation not supported on global/shared address space"),
    EMU_ERROR(CUDA_ERROR_INVALID_PC, "invalid program counter"),
    EMU_ERROR(CUDA_ERROR_LAUNCH_FAILED, "unspecified launch failure"),
    EMU_ERROR(CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE, "too many blocks in cooperative launch"),
    EMU_ERROR(CUDA_ERROR_TENSOR_MEMORY_LEAK, "tensor memory not completely freed"),
    EMU_ERROR(CUDA_ERROR_NOT_PERMITTED, "operation not permitted"),
    EMU_ERROR(CUDA_ERROR_NOT_SUPPORTED, "operation not supported"),
    EMU_ERROR(CUDA_ERROR_SYSTEM_NOT_READY, "system not yet initialized"),
    EMU_ERROR(CUDA_ERROR_SYSTEM_DRIVER_MISMATCH,
              "system has unsupported display driver / cuda driver combination"),
    EMU_ERROR(CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE,
              "forward compatibility was attempted on non supported HW"),
    EMU_ERROR(CUDA_ERROR_MPS_CONNECTION_FAILED,
              "MPS client failed to connect to the MPS control daemon or the MPS server"),
    EMU_ERROR(CUDA_ERROR_MPS_RPC_FAILURE,
              "the remote procedural call between the MPS server and the MPS client failed"),
    EMU_ERROR(CUDA_ERROR_MPS_SERVER_NOT_READY, "MPS server is not ready to accept new MPS client requests"),
    EMU_ERROR(CUDA_ERROR_MPS_MAX_CLIENTS_REACHED,
              "the hardware resources required to create MPS client have been exhausted"),
    EMU_ERROR(CUDA_ERROR_MPS_MAX_CONNECTIONS_REACHED,
              "the hardware resources required to support device connections have been exhausted"),
    EMU_ERROR(CUDA_ERROR_MPS_CLIENT_TERMINATED, "the MPS client has been terminated by the server"),
    EMU_ERROR(CUDA_ERROR_CDP_NOT_SUPPORTED,
              "is using CUDA Dynamic Parallelism, but the current configuration does not support it"),
    EMU_ERROR(CUDA_ERROR_CDP_VERSION_MISMATCH,
              "unsupported interaction between different versions of CUDA Dynamic Parallelism"),
    EMU_ERROR(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, "operation not permitted when stream is capturing"),
    EMU_ERROR(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, "operation failed due to a previous error during capture"),
    EMU_ERROR(CUDA_ERROR_STREAM_CAPTURE_MERGE,
              "operation would result in a merge of separate capture sequences"),
    EMU_ERROR(CUDA_ERROR_STREAM_CAPTURE_UNMATCHED, "capture was not ended in the same stream as it began"),
    EMU_ERROR(CUDA_ERROR_STREAM_CAPTURE_UNJOINED, "capturing stream has unjoined work"),
    EMU_ERROR(CUDA_ERROR_STREAM_CAPTURE_ISOLATION, "dependency created on uncaptured work in another stream"),
    EMU_ERROR(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT,
              "operation would make the legacy stream depend on a capturing blocking stream"),
    EMU_ERROR(CUDA_ERROR_CAPTURED_EVENT,
              "operation not permitted on an event last recorded in a capturing stream"),
    EMU_ERROR(CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD,
              "attempt to terminate a thread-local capture sequence from another thread"),
    EMU_ERROR(CUDA_ERROR_TIMEOUT, "wait operation timed out"),
    EMU_ERROR(
        CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE,
        "the graph update was not performed because it included changes which violated constraints specific to "
        "instantiated graph update"),
    EMU_ERROR(CUDA_ERROR_EXTERNAL_DEVICE, "an async error has occurred in external entity outside of CUDA"),
    EMU_ERROR(CUDA_ERROR_INVALID_CLUSTER_SIZE,
              "a kernel launch error has occurred due to cluster misconfiguration"),
    EMU_ERROR(CUDA_ERROR_FUNCTION_NOT_LOADED, "the function is not loaded"),
    EMU_ERROR(CUDA_ERROR_INVALID_RESOURCE_TYPE, "one or more resources are of an invalid type"),
    EMU_ERROR(CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION,
              "one or more resources are insufficient or non-applicable"),
    EMU_ERROR(CUDA_ERROR_KEY_ROTATION, "an error happened during the key rotation sequence"),
    EMU_ERROR(CUDA_ERROR_UNKNOWN, "unknown error"),
};

#undef EMU_ERROR

const Row* Find(CUresult result) {
  for (const Row& row : kRows) {
    if (row.result == result) return &row;
  }
  return nullptr;
}

}  // namespace

CUresult cuGetErrorName(CUresult error, const char** name) {
  if (name == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const Row* row = Find(error);
  *name = row == nullptr ? nullptr : row->name;
  return row == nullptr ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

CUresult cuGetErrorString(CUresult error, const char** text) {
  if (text == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const Row* row = Find(error);
  *text = row == nullptr ? nullptr : row->text;
  return row == nullptr ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}
