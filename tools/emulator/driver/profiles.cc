// Sources of the numbers:
// - Compute capability, threads, blocks, registers and shared memory: CUDA C++ Programming Guide, "Technical Specifications
//   per Compute Capability" (12.0 and 8.9: 24 blocks and 1536 threads per SM).
// - h200: clocks, bus, L2 and shared memory as its driver told them, 2026-11. h100: NVIDIA H100 SXM datasheet (3.35 TB/s) and
//   architecture whitepaper, with the H200's clock. a100: A100 80GB SXM datasheet and architecture whitepaper. rtx4090: Ada
//   whitepaper. rtx5070ti: RTX Blackwell whitepaper.
// - Memory in bytes: what published outputs of deviceQuery and nvidia-smi show for these cards (the datasheets' size less what
//   the firmware keeps).
// - L2 that can be set aside for persisting accesses, ratio of float to double, copy engines: published outputs of deviceQuery.
// - PCI device numbers: the PCI ID Repository.
#include "tools/emulator/driver/profiles.h"

namespace emu::driver {
namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;

DeviceLimits Limits(int major, int minor, std::uint32_t sms, std::uint32_t threads_per_sm,
                    std::uint32_t blocks_per_sm, std::uint32_t shared_per_sm, std::uint32_t max_cluster) {
  DeviceLimits limits;
  limits.compute_major = major;
  limits.compute_minor = minor;
  limits.sms = sms;
  limits.max_threads_per_sm = threads_per_sm;
  limits.max_blocks_per_sm = blocks_per_sm;
  limits.shared_per_sm = shared_per_sm;
  // The system keeps 1 KiB of each block's shared memory since compute capability 8.0.
  limits.shared_per_block_optin = shared_per_sm - limits.shared_reserved_per_block;
  limits.max_cluster = max_cluster;
  return limits;
}

const Profile kProfiles[] = {
    {"a100", "NVIDIA A100-SXM4-80GB (emulated)", Limits(8, 0, 108, 2048, 32, 167936, 1), 81251 * kMiB, 1410000,
     1593000, 5120, 41943040, 26214400, 2, 3, true, 0x20b2},
    {"rtx4090", "NVIDIA GeForce RTX 4090 (emulated)", Limits(8, 9, 128, 1536, 24, 102400, 1), 24215 * kMiB,
     2520000, 10501000, 384, 75497472, 51904512, 64, 2, false, 0x2684},
    {"rtx5070ti", "NVIDIA GeForce RTX 5070 Ti (emulated)", Limits(12, 0, 70, 1536, 24, 102400, 8), 15842 * kMiB,
     2452000, 14001000, 256, 50331648, 31457280, 64, 1, false, 0x2c05},
    {"h100", "NVIDIA H100 80GB HBM3 (emulated)", Limits(9, 0, 132, 2048, 32, 233472, 8), 81090 * kMiB, 1980000,
     2619000, 5120, 52428800, 32768000, 2, 3, true, 0x2330},
    {"h200", "NVIDIA H200 (emulated)", Limits(9, 0, 132, 2048, 32, 233472, 8), 143167 * kMiB, 1980000, 3134000,
     6144, 62914560, 39321600, 2, 3, true, 0x2335},
};

}  // namespace

const Profile* FindProfile(const std::string& key) {
  for (const Profile& profile : kProfiles) {
    if (key == profile.key) return &profile;
  }
  return nullptr;
}

std::string ProfileKeys() {
  std::string keys;
  for (const Profile& profile : kProfiles) keys += (keys.empty() ? "" : ", ") + std::string(profile.key);
  return keys;
}

}  // namespace emu::driver
