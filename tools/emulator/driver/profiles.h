// The devices that the emulator plays.
#pragma once

#include <cstdint>
#include <string>

#include "tools/emulator/driver/cuda_api.h"
#include "tools/emulator/exec/profile.h"

namespace emu::driver {

struct Profile {
  const char* key;   // GPU_EMULATOR_PROFILE
  const char* name;  // what cuDeviceGetName says
  DeviceLimits limits;
  std::uint64_t memory_bytes;
  int clock_khz;
  int memory_clock_khz;
  int bus_bits;
  int l2_bytes;
  int persisting_l2_bytes;
  int fp32_per_fp64;  // throughput of float to double
  int copy_engines;
  bool ecc;
  int pci_device_id;  // device << 16 | vendor
};

// Null for an unknown name.
const Profile* FindProfile(const std::string& key);
// "a100, rtx4090, ...": for messages.
std::string ProfileKeys();

// False for an attribute that the driver does not know. `ordinal` places the device on the PCI bus.
bool DeviceAttribute(const Profile& profile, int ordinal, CUdevice_attribute attribute, int* value);

}  // namespace emu::driver
