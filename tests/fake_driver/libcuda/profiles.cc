// Devices to play. The values are those of common/dispatch/device.cc, where their sources stand; the memory
// clock is what gives its bandwidth, as 2 transfers a clock. t4: NVIDIA T4 datasheet and Turing whitepaper.
// Threads and shared memory per SM: CUDA C++ Programming Guide, technical specifications per compute
// capability.
#include "tests/fake_driver/libcuda/state.h"

namespace gemm::fake {
namespace {

constexpr std::size_t kGiB = std::size_t{1} << 30;

const Profile kProfiles[] = {
    {"h200", "NVIDIA H200", 9, 0, 132, 1980000, 3134000, 6144, 62914560, 232448, 233472, 2048, 140 * kGiB},
    {"h100", "NVIDIA H100 80GB HBM3", 9, 0, 132, 1980000, 2619000, 5120, 52428800, 232448, 233472, 2048,
     79 * kGiB},
    {"a100", "NVIDIA A100-SXM4-80GB", 8, 0, 108, 1410000, 1593000, 5120, 41943040, 166912, 167936, 2048,
     79 * kGiB},
    {"rtx3090", "NVIDIA GeForce RTX 3090", 8, 6, 82, 1695000, 9751000, 384, 6291456, 101376, 102400, 1536,
     24 * kGiB},
    {"rtx4090", "NVIDIA GeForce RTX 4090", 8, 9, 128, 2520000, 10501000, 384, 75497472, 101376, 102400, 1536,
     24 * kGiB},
    {"rtx5070ti", "NVIDIA GeForce RTX 5070 Ti", 12, 0, 70, 2452000, 14001000, 256, 50331648, 101376, 102400,
     1536, 16 * kGiB},
    {"rtx5060laptop", "NVIDIA GeForce RTX 5060 Laptop GPU", 12, 0, 26, 2497000, 12001000, 128, 33554432, 101376,
     102400, 1536, 8 * kGiB},
    {"t4", "Tesla T4", 7, 5, 40, 1590000, 5001000, 256, 4194304, 65536, 65536, 1024, 15 * kGiB},
};

}  // namespace

const Profile* FindProfile(const std::string& short_name) {
  for (const Profile& profile : kProfiles) {
    if (short_name == profile.short_name) return &profile;
  }
  return nullptr;
}

}  // namespace gemm::fake
