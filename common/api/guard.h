// The boundary that no exception crosses.
#pragma once

#include <new>
#include <utility>

#include "common/base/status.h"

namespace gemm::api {

// function(), with std::bad_alloc turned into kOutOfMemory and anything else (a defect) into kInternal.
template <typename Function>
Status Guarded(Function&& function) noexcept {
  try {
    return std::forward<Function>(function)();
  } catch (const std::bad_alloc&) {
    return base::HostMemoryExhausted();
  } catch (...) {
    return Status(StatusCode::kInternal, "exception");  // short enough to need no allocation
  }
}

}  // namespace gemm::api
