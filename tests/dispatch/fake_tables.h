// Three small backends that launch one empty kernel, so that selection and plans can be tested without the real
// ones. Linked in place of the real backends, they define every function that registry.cc calls; a backend that is
// not played here has an empty table.
//
//   hopper_fake_128x256, hopper_fake_64x64: 9.0 only, FP16 and BF16, 16-byte alignment, K > 0, C laid out like D
//
//   hopper_fake_split: likewise, K >= 8192, 1 MiB of workspace, half the time of 128x256; no choice where C is read
//
//   ampere_fake_128x128, ampere_fake_64x64: FP16 and BF16, any alignment
//
//   simt_fake_any: everything
#pragma once

#include <cstddef>

#include "common/dispatch/kernel.h"
#include "gemm/gemm.h"

namespace gemm::fake {

inline constexpr std::size_t kSplitWorkspace = 1 << 20;

// FLOP per SM and clock of wgmma with FP16 or BF16 operands on 9.0, by which the Hopper rows here predict: 4096 by design; sustained
// 835 TFLOP/s on one H200 at its power limit, 2026-11-20, which at the 1.98 GHz of Device::sm_clock_mhz is 3195.
inline constexpr double kWgmmaFlopPerSmClock = 3195;

// What a launcher was asked to do.
struct LaunchRecord {
  const char* kernel = nullptr;
  Arguments args;
};

// Of the calling thread's last run. Taking the record allocates nothing.
const LaunchRecord& LastLaunch();

// By all threads: one for a plan, two where a C that is read needs another kernel.
std::size_t LaunchersMade();
// Rows whose time was asked for, by all threads.
std::size_t Predictions();

}  // namespace gemm::fake
