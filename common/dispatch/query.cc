#include "common/dispatch/query.h"

#include <map>
#include <mutex>
#include <utility>

#include "common/base/status.h"
#include "common/driver/driver.h"

namespace gemm::dispatch {
namespace {

// What is assumed where a driver answers 0 for a clock or a width (some virtual GPUs do): low, so that no
// memory-bound kernel is preferred for a speed the device may lack.
constexpr double kUnknownClockMhz = 1000;
constexpr double kUnknownBandwidthGbs = 200;

Status AskDriver(int ordinal, Device* device) {
  int l2 = 0, shared = 0, clock_khz = 0, memory_khz = 0, bus_bits = 0;
  Device out;
  const struct {
    CUdevice_attribute attribute;
    int* value;
  } wanted[] = {
      {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, &out.compute_capability_major},
      {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, &out.compute_capability_minor},
      {CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, &out.sm_count},
      {CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, &l2},
      {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, &shared},
      {CU_DEVICE_ATTRIBUTE_CLOCK_RATE, &clock_khz},
      {CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE, &memory_khz},
      {CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH, &bus_bits},
  };
  for (const auto& [attribute, value] : wanted) {
    if (Status status = driver::DeviceAttribute(ordinal, attribute, value); !status.ok()) return status;
  }
  if (Status status = driver::DeviceName(ordinal, &out.name); !status.ok()) return status;
  out.l2_bytes = l2;
  out.max_shared_bytes_per_block = shared;
  out.sm_clock_mhz = clock_khz > 0 ? clock_khz * 1e-3 : kUnknownClockMhz;
  // Two transfers a clock, as the driver counts memory clocks (also for GDDR6X and GDDR7, whose clock it
  // reports scaled).
  const double bandwidth = 2.0 * memory_khz * 1e3 * (bus_bits / 8.0) * 1e-9;
  out.memory_bandwidth_gbs = bandwidth > 0 ? bandwidth : kUnknownBandwidthGbs;
  *device = std::move(out);
  return Status();
}

}  // namespace

Status QueryDevice(int ordinal, Device* device) {
  int count = 0;
  if (Status status = driver::DeviceCount(&count); !status.ok()) return status;
  if (ordinal < 0 || ordinal >= count) {
    return base::Error(StatusCode::kNoDevice, "device ", ordinal, " was asked for; the driver sees ", count,
                       count == 1 ? " device, number 0" : " devices, from number 0");
  }
  // Never destroyed: other threads may make plans while main() returns.
  static std::mutex& mutex = *new std::mutex;
  static std::map<int, Device>& known = *new std::map<int, Device>;
  const std::lock_guard<std::mutex> lock(mutex);
  auto found = known.find(ordinal);
  if (found == known.end()) {
    Device fresh;
    if (Status status = AskDriver(ordinal, &fresh); !status.ok()) return status;
    found = known.emplace(ordinal, std::move(fresh)).first;
  }
  *device = found->second;
  return Status();
}

}  // namespace gemm::dispatch
