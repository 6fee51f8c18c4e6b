// What a launch costs besides its work: 2000 of a kernel of one warp, queued and then waited for, and each waited for.
#include <chrono>
#include <cstdio>

#include "tests/emulator/driver/gpu.h"

namespace {

constexpr int kLaunches = 2000;

double Microseconds(CUfunction add, CUdeviceptr words, bool each) {
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < kLaunches; ++i) {
    emu::testing::Launch(add, {}, words, words, 1u);
    if (each) cuCtxSynchronize();
  }
  cuCtxSynchronize();
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count() /
         kLaunches;
}

}  // namespace

int main() {
  emu::testing::Start();
  const CUfunction add = emu::testing::FunctionOf(emu::testing::Load(emu::testing::AddModule()), "add");
  const CUdeviceptr words = emu::testing::ToDevice(std::vector<std::uint32_t>(32));
  for (const bool each : {false, true}) {
    std::printf("%s: %.2f us a launch\n", each ? "each waited for" : "queued", Microseconds(add, words, each));
  }
}
