// Kernels of a few instructions for the tests of execution.
#pragma once

#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "tests/emulator/support/run_ptx.h"

namespace emu::testing {

// Registers of every kind, and a body that finds its thread's number in the grid in %r1, in its CTA in %r2, and the
// address of its own word of the output in %rd1. "STORE x;" writes a 32-bit register there.
inline std::string Body(const std::string& body) {
  std::string text = R"(
  .reg .pred %p<10>; .reg .b16 %h<10>; .reg .b32 %r<40>; .reg .b64 %rd<20>; .reg .f32 %f<10>;
  mov.u32 %r2, %tid.x;
  mov.u32 %r30, %ctaid.x;
  mov.u32 %r31, %ntid.x;
  mad.lo.u32 %r1, %r30, %r31, %r2;
  ld.param.u64 %rd2, [out];
  mul.wide.u32 %rd3, %r1, 4;
  add.s64 %rd1, %rd2, %rd3;
)" + body;
  for (std::size_t at; (at = text.find("STORE ")) != std::string::npos;)
    text.replace(at, 6, "st.global.b32 [%rd1], ");
  return text;
}

inline std::string Kernel(const std::string& body) { return PtxModule(".param .u64 out", Body(body)); }

struct Shape {
  std::uint32_t threads = 32, blocks = 1, cluster = 1;
  std::uint64_t seed = 0;
};

// Runs it with an output of one word per thread, all of them 0xffffffff at first.
inline PtxResult RunKernel(const std::string& text, const Shape& shape = {}) {
  PtxLaunch launch;
  launch.blocks.x = shape.blocks;
  launch.threads.x = shape.threads;
  launch.cluster.x = shape.cluster;
  launch.seed = shape.seed;
  launch.arguments = {
      Buffer(std::vector<std::uint32_t>(std::size_t{shape.threads} * shape.blocks, 0xffffffff))};
  return RunPtx(text, "kernel", launch);
}

}  // namespace emu::testing
