// What selection may know of a device. Selection is a function of these numbers, never of a live device.
#pragma once

#include <cstdint>
#include <string>

namespace gemm::dispatch {

struct Device {
  std::string name;  // the driver's; predictions' constants and tuning files go by it, nothing else does
  int compute_capability_major = 0;
  int compute_capability_minor = 0;
  int sm_count = 0;  // that kernels may use
  std::int64_t l2_bytes = 0;
  std::int64_t max_shared_bytes_per_block = 0;  // with opt-in
  double sm_clock_mhz = 0;                      // maximum
  double memory_bandwidth_gbs = 0;              // 10^9 bytes a second: from memory clock and bus width
  int all_sms = 0;                              // that it has where LimitSms took some away, else 0

  // Rows with a persistent grid go before others then (select.h).
  bool is_limited() const { return all_sms > 0; }

  int compute_capability() const { return 10 * compute_capability_major + compute_capability_minor; }
};

// Leaves `most` multiprocessors, as PlanOptions::max_sms says; 0 or as many as there are change nothing.
void LimitSms(int most, Device* device);

// Profiles of known devices by short name ("h200", "h100", "a100", "rtx4090", "rtx5070ti", ...) for tests and for
// `gemm explain --device`. Null for a name that is not listed. KnownDeviceNames() lists them, separated by ", ".
const Device* FindKnownDevice(const std::string& short_name);
std::string KnownDeviceNames();

}  // namespace gemm::dispatch
