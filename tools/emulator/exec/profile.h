// The limits of a device that execution depends on. driver/profiles.h has the rest of what a device says of itself.
#pragma once

#include <cstdint>
#include <string>

namespace emu {

struct DeviceLimits {
  int compute_major = 9, compute_minor = 0;
  std::uint32_t sms = 132;
  std::uint32_t max_threads_per_block = 1024;
  std::uint32_t max_threads_per_sm = 2048;
  std::uint32_t max_blocks_per_sm = 32;
  std::uint32_t registers_per_sm = 65536;
  std::uint32_t shared_per_sm = 233472;
  std::uint32_t shared_per_block_optin = 232448;
  std::uint32_t shared_per_block = 49152;
  std::uint32_t shared_reserved_per_block = 1024;
  std::uint32_t max_cluster = 8;  // portable limit; 0 or 1 where there are no clusters
};

}  // namespace emu
