#include "common/base/status.h"

namespace gemm {

const char* Name(StatusCode code) noexcept {
  switch (code) {
    case StatusCode::kOk:
      return "OK";
    case StatusCode::kInvalidArgument:
      return "INVALID_ARGUMENT";
    case StatusCode::kUnsupported:
      return "UNSUPPORTED";
    case StatusCode::kWorkspaceTooSmall:
      return "WORKSPACE_TOO_SMALL";
    case StatusCode::kWrongDevice:
      return "WRONG_DEVICE";
    case StatusCode::kNoDriver:
      return "NO_DRIVER";
    case StatusCode::kDriverTooOld:
      return "DRIVER_TOO_OLD";
    case StatusCode::kNoDevice:
      return "NO_DEVICE";
    case StatusCode::kArchitectureTooOld:
      return "ARCHITECTURE_TOO_OLD";
    case StatusCode::kOutOfMemory:
      return "OUT_OF_MEMORY";
    case StatusCode::kDriverError:
      return "DRIVER_ERROR";
    case StatusCode::kInternal:
      return "INTERNAL";
  }
  return "UNKNOWN";
}

}  // namespace gemm
