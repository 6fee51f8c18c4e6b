// The two symbols that the fake exports as a driver, and the errors' names.
#include <cstring>

#include "tests/fake_driver/libcuda/functions.h"
#include "tests/fake_driver/libcuda/state.h"

namespace gemm::fake {
namespace {

struct Row {
  const char* name;
  int from;
  int until;
  void* function;
};

const Row kRows[] = {
#define GEMM_FAKE_ROW(name, from, until) {"cu" #name, from, until, reinterpret_cast<void*>(&name)},
    GEMM_FAKE_FUNCTIONS(GEMM_FAKE_ROW)
#undef GEMM_FAKE_ROW
};

struct ErrorRow {
  CUresult result;
  const char* name;
  const char* text;
};

#define GEMM_FAKE_ERROR(name, text) \
  { name, #name, text }
const ErrorRow kErrors[] = {
    GEMM_FAKE_ERROR(CUDA_SUCCESS, "no error"),
    GEMM_FAKE_ERROR(CUDA_ERROR_INVALID_VALUE, "invalid argument"),
    GEMM_FAKE_ERROR(CUDA_ERROR_OUT_OF_MEMORY, "out of memory"),
    GEMM_FAKE_ERROR(CUDA_ERROR_NOT_INITIALIZED, "initialization error"),
    GEMM_FAKE_ERROR(CUDA_ERROR_NO_DEVICE, "no CUDA-capable device is detected"),
    GEMM_FAKE_ERROR(CUDA_ERROR_INVALID_DEVICE, "invalid device ordinal"),
    GEMM_FAKE_ERROR(CUDA_ERROR_INVALID_IMAGE, "device kernel image is invalid"),
    GEMM_FAKE_ERROR(CUDA_ERROR_INVALID_CONTEXT, "invalid device context"),
    GEMM_FAKE_ERROR(CUDA_ERROR_NO_BINARY_FOR_GPU, "no kernel image is available for execution on the device"),
    GEMM_FAKE_ERROR(CUDA_ERROR_UNSUPPORTED_PTX_VERSION,
                    "the provided PTX was compiled with an unsupported toolchain."),
    GEMM_FAKE_ERROR(CUDA_ERROR_INVALID_HANDLE, "invalid resource handle"),
    GEMM_FAKE_ERROR(CUDA_ERROR_NOT_FOUND, "named symbol not found"),
    GEMM_FAKE_ERROR(CUDA_ERROR_NOT_READY, "device not ready"),
    GEMM_FAKE_ERROR(CUDA_ERROR_ILLEGAL_ADDRESS, "an illegal memory access was encountered"),
    GEMM_FAKE_ERROR(CUDA_ERROR_LAUNCH_FAILED, "unspecified launch failure"),
    GEMM_FAKE_ERROR(CUDA_ERROR_NOT_SUPPORTED, "operation not supported"),
    GEMM_FAKE_ERROR(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, "operation not permitted when stream is capturing"),
    GEMM_FAKE_ERROR(CUDA_ERROR_ILLEGAL_STATE, "the operation cannot be performed in the present state"),
    GEMM_FAKE_ERROR(CUDA_ERROR_UNKNOWN, "unknown error"),
};
#undef GEMM_FAKE_ERROR

const ErrorRow* FindError(CUresult result) {
  for (const ErrorRow& row : kErrors) {
    if (row.result == result) return &row;
  }
  return nullptr;
}

}  // namespace

CUresult GetErrorName(CUresult error, const char** text) {
  const ErrorRow* row = FindError(error);
  *text = row == nullptr ? nullptr : row->name;
  return row == nullptr ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

CUresult GetErrorString(CUresult error, const char** text) {
  const ErrorRow* row = FindError(error);
  *text = row == nullptr ? nullptr : row->text;
  return row == nullptr ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

CUresult DriverGetVersion(int* version) {
  const Call call("cuDriverGetVersion", false);
  if (call.result() == CUDA_SUCCESS) *version = ClaimedVersion();
  return call.result();
}

}  // namespace gemm::fake

// cuda.h declares both with C linkage; it names the first one as a macro.
extern "C" {
__attribute__((visibility("default"))) CUresult cuDriverGetVersion(int* version) {
  return gemm::fake::DriverGetVersion(version);
}

__attribute__((visibility("default"))) CUresult cuGetProcAddress_v2(const char* symbol, void** function,
                                                                    int version, cuuint64_t,
                                                                    CUdriverProcAddressQueryResult* found) {
  using namespace gemm::fake;
  const Call call("cuGetProcAddress", false);
  if (call.result() != CUDA_SUCCESS) return call.result();
  *function = nullptr;
  CUdriverProcAddressQueryResult outcome = CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
  if (version > ClaimedVersion()) return CUDA_ERROR_INVALID_VALUE;
  for (const Row& row : kRows) {
    if (std::strcmp(row.name, symbol) != 0 || row.from > ClaimedVersion() || Lists("MISSING", symbol)) continue;
    const bool matches = row.from <= version && version < row.until;
    outcome = matches ? CU_GET_PROC_ADDRESS_SUCCESS : CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT;
    if (matches) *function = row.function;
  }
  if (found != nullptr) *found = outcome;
  return CUDA_SUCCESS;
}
}
