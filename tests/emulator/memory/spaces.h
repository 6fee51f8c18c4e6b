// Kernels of one warp that put out a word per lane.
#pragma once

#include <gtest/gtest.h>

#include <numeric>
#include <string>
#include <vector>

#include "tests/emulator/support/run_ptx.h"

namespace emu::testing {

constexpr std::uint32_t kLanes = 32;

inline std::vector<std::uint32_t> Iota(std::uint32_t count, std::uint32_t first) {
  std::vector<std::uint32_t> values(count);
  std::iota(values.begin(), values.end(), first);
  return values;
}

inline const char kPrologue[] = R"(
    .reg .b32 %w<16>; .reg .b64 %d<16>; .reg .b64 %out; .reg .b32 %lane; .reg .pred %p;
    ld.param.u64 %out, [out];
    mov.u32 %lane, %tid.x;
    mul.wide.u32 %d1, %lane, 4;
    add.s64 %out, %out, %d1;
)";

inline std::vector<std::uint32_t> Execute(const std::string& module, PtxLaunch launch = {},
                                          std::uint32_t count = kLanes) {
  launch.arguments.insert(launch.arguments.begin(), Buffer(std::vector<std::uint32_t>(count, 0xEEEEEEEE)));
  const PtxResult result = RunPtx(module, "", launch);
  EXPECT_TRUE(result.ok()) << result.message();
  return result.ok() ? result.Buffer<std::uint32_t>(0) : std::vector<std::uint32_t>();
}

inline std::string Module(const std::string& body) { return PtxModule(".param .u64 out", kPrologue + body); }

}  // namespace emu::testing
