#include "common/dispatch/device.h"

namespace gemm::dispatch {
namespace {

struct KnownDevice {
  const char* short_name;
  Device device;
};

// Clock and bandwidth are those of cuDeviceGetAttribute where a device was at hand, else of NVIDIA's
// datasheets:
//   h200: read from a device by the driver, 2026-11 (memory clock 3134 MHz, 6144 bits: 3134 * 2 * 6144 / 8 =
//   4813.8 GB/s); h100: NVIDIA H100 SXM datasheet (3.35 TB/s) and H100 architecture whitepaper (132 SMs, 50 MB
//   L2), with the h200's clock; a100: NVIDIA A100 80GB SXM datasheet (1410 MHz boost, 2039 GB/s) and A100 architecture whitepaper
//   (40 MB L2); rtx3090: GA102 whitepaper (82 SMs, 1695 MHz, 936 GB/s, 6 MB); rtx4090: Ada whitepaper (128 SMs,
//   2520 MHz, 1008 GB/s, 72 MB); rtx5070ti: RTX Blackwell whitepaper (70 SMs, 2452 MHz, 896 GB/s, 48 MB);
//   rtx5060laptop: NVIDIA's laptop comparison page (3328 cores, so 26 SMs; 1455..2497 MHz by power limit, 128
//   bits of 24 Gbit/s GDDR7; 32 MB of GB206), with the upper clock.
// Shared memory per block with opt-in: CUDA C++ Programming Guide, table of technical specifications per
// capability.
const KnownDevice kKnownDevices[] = {
    {"h200", {"NVIDIA H200", 9, 0, 132, 62914560, 232448, 1980, 4813.8}},
    {"h100", {"NVIDIA H100 80GB HBM3", 9, 0, 132, 52428800, 232448, 1980, 3350}},
    {"a100", {"NVIDIA A100-SXM4-80GB", 8, 0, 108, 41943040, 166912, 1410, 2039}},
    {"rtx3090", {"NVIDIA GeForce RTX 3090", 8, 6, 82, 6291456, 101376, 1695, 936}},
    {"rtx4090", {"NVIDIA GeForce RTX 4090", 8, 9, 128, 75497472, 101376, 2520, 1008}},
    {"rtx5070ti", {"NVIDIA GeForce RTX 5070 Ti", 12, 0, 70, 50331648, 101376, 2452, 896}},
    {"rtx5060laptop", {"NVIDIA GeForce RTX 5060 Laptop GPU", 12, 0, 26, 33554432, 101376, 2497, 384}},
};

}  // namespace

void LimitSms(int most, Device* device) {
  if (most <= 0 || most >= device->sm_count) return;
  device->all_sms = device->sm_count;
  device->sm_count = most;
}

const Device* FindKnownDevice(const std::string& short_name) {
  for (const KnownDevice& known : kKnownDevices) {
    if (short_name == known.short_name) return &known.device;
  }
  return nullptr;
}

std::string KnownDeviceNames() {
  std::string names;
  for (const KnownDevice& known : kKnownDevices) {
    if (!names.empty()) names += ", ";
    names += known.short_name;
  }
  return names;
}

}  // namespace gemm::dispatch
