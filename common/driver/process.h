// What the driver layer keeps for the life of the process. Private to common/driver.
//
// It lives in static storage and is never destroyed: threads may still launch while main() returns, and the
// driver may be gone by the time destructors run.
#pragma once

#include <atomic>
#include <mutex>

#include "common/driver/api.h"
#include "gemm/status.h"

namespace gemm::driver {

// More devices than any machine has; those beyond are as if they were not there.
inline constexpr int kMaxDevices = 64;

struct Device {
  CUdevice handle = 0;
  std::atomic<CUcontext> primary{nullptr};  // retained at first need, never released
};

struct Process {
  Status status;  // the outcome of loading; if it failed nothing else here may be used
  Api api;
  PFN_cuGetProcAddress_v12000 get_proc_address = nullptr;
  int version = 0;  // of the driver, as cuda.h writes it
  int device_count = 0;
  Device devices[kMaxDevices];
  std::mutex primary_mutex;  // held while a primary context is retained
};

// Loads at the first call; afterwards one load with acquire ordering and no lock.
Process& GetProcess() noexcept;

// A failed status with a printf sentence. Should memory for the sentence be missing, the code stays.
__attribute__((format(printf, 2, 3))) Status Failure(StatusCode code, const char* format, ...) noexcept;

// A copy that cannot throw.
Status CopyOf(const Status& status) noexcept;

// driver::Check with a table that may be incomplete; a null name function leaves the error's number.
Status CheckWith(const Api& api, CUresult result, const char* call) noexcept;

// kNoDevice unless `device` is an ordinal of the loaded driver.
Status CheckOrdinal(const Process& process, int device) noexcept;

}  // namespace gemm::driver
