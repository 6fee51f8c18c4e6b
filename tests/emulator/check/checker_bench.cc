// What the checker costs; by hand: bazel run //tests/emulator/check:checker_bench.
#include <cstdio>
#include <ctime>
#include <functional>

#include "tests/emulator/check/test_cluster.h"

namespace emu::testing {
namespace {

void Measure(const char* what, int rounds, int units, const std::function<void(int)>& round) {
  for (int i = 0; i < rounds / 10; ++i) round(i);
  const std::clock_t start = std::clock();  // of the process: others may be running
  for (int i = 0; i < rounds; ++i) round(i);
  const double nanoseconds = 1e9 * static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  std::printf("%-72s %9.1f ns\n", what, nanoseconds / rounds / units);
}

struct Bench {
  TestCluster cluster{1, 8, 196608};
  Checker& checker = cluster.checker();
  std::vector<const Warp*> all;
  std::uint32_t wide[kWarpSize], narrow[kWarpSize], halves[kWarpSize], same[kWarpSize] = {};

  Bench() {
    for (std::uint32_t i = 0; i < 8; ++i) all.push_back(&cluster.warp(0, i));
    for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) {
      wide[lane] = (lane % 8 * 128 + lane / 8 * 16) ^ (lane % 8 * 16);
      narrow[lane] = 8192 + lane * 4;
      halves[lane] = 16384 + lane * 2;
    }
    cluster.Write(*all[0], 0, 0, 196608);
    checker.FenceProxyAsync(*all[0], 1);
    cluster.Barrier(all);
  }
};

void Accesses() {
  Bench bench;
  Checker& checker = bench.checker;
  const Op &load = bench.cluster.OpAt(1, "ld.shared"), &store = bench.cluster.OpAt(2, "st.shared");
  const Warp& warp = *bench.all[0];
  Measure("write, 32 lanes x 16 bytes", 100000, 1,
          [&](int) { checker.Write(warp, store, kAllLanes, bench.wide, 16); });
  Measure("read, 32 lanes x 16 bytes", 100000, 1,
          [&](int) { checker.Read(warp, load, kAllLanes, bench.wide, 16); });
  Measure("write, 32 lanes x 4 bytes", 100000, 1,
          [&](int) { checker.Write(warp, store, kAllLanes, bench.narrow, 4); });
  Measure("read, 32 lanes x 4 bytes", 100000, 1,
          [&](int) { checker.Read(warp, load, kAllLanes, bench.narrow, 4); });
  Measure("write, 32 lanes x 2 bytes", 100000, 1,
          [&](int) { checker.Write(warp, store, kAllLanes, bench.halves, 2); });
  Measure("read, 32 lanes x 2 bytes", 100000, 1,
          [&](int) { checker.Read(warp, load, kAllLanes, bench.halves, 2); });
  checker.SyncLanes(warp, kAllLanes);
  Measure("write 16 bytes, sync, read 16 bytes in 4, sync", 100000, 1, [&](int) {
    checker.Write(warp, store, kAllLanes, bench.wide, 16);
    checker.SyncLanes(warp, kAllLanes);
    for (std::uint32_t word = 0; word < 4; ++word) {
      std::uint32_t addresses[kWarpSize];
      for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) addresses[lane] = bench.wide[31 - lane] + word * 4;
      checker.Read(warp, load, kAllLanes, addresses, 4);
    }
    checker.SyncLanes(warp, kAllLanes);
  });
  Measure("atomics, 32 lanes, 32 addresses", 100000, 1,
          [&](int) { checker.Strong(warp, store, kAllLanes, bench.narrow, 4, true); });
}

void Barriers() {
  Bench bench;
  Checker& checker = bench.checker;
  const Op& load = bench.cluster.OpAt(1, "ld.shared");
  const Warp& warp = *bench.all[0];
  Measure("bar.warp.sync", 100000, 1, [&](int) { checker.SyncLanes(warp, kAllLanes); });
  Measure("bar.sync of 8 warps, per warp", 20000, 8, [&](int) { bench.cluster.Barrier(bench.all); });
  Measure("bar.sync, 8 warps read the same 512 bytes, per warp", 20000, 8, [&](int) {
    bench.cluster.Barrier(bench.all);
    for (const Warp* one : bench.all) checker.Read(*one, load, kAllLanes, bench.wide, 16);
  });
  Measure("bar.sync, 8 warps read the same word, per warp", 20000, 8, [&](int) {
    bench.cluster.Barrier(bench.all);
    for (const Warp* one : bench.all) checker.Read(*one, load, kAllLanes, bench.same, 4);
  });
  Measure("release by a lane to another warp", 100000, 1,
          [&](int) { bench.cluster.Order(*bench.all[0], 0, *bench.all[1], 0); });
}

// A ring of 4 stages: a producer's loads of 32 KB, two warpgroups that multiply and release.
void Pipeline() {
  Bench bench;
  Checker& checker = bench.checker;
  const Op &tma = bench.cluster.OpAt(1, "cp.async.bulk"), &wgmma = bench.cluster.OpAt(2, "wgmma");
  constexpr std::uint32_t kStage = 32768;
  SyncPoint full[4], empty[4];
  const Warp& producer = *bench.all[0];
  for (int i = 0; i < 4; ++i) checker.Release(producer, 1, &empty[i]);
  Measure("a stage of 32 KB: TMA, 4 warps of wgmma, waits; all", 4000, 1, [&](int i) {
    const int stage = i % 4;
    checker.Acquire(producer, 1, empty[stage]);
    empty[stage].Clear();
    const AsyncId load = checker.Begin(producer, tma, 1);
    checker.AsyncWrite(load, stage * kStage, kStage);
    full[stage].Clear();
    checker.Release(producer, 1, &full[stage]);
    checker.End(load, &full[stage]);
    for (std::uint32_t w = 4; w < 8; ++w) {
      const Warp& consumer = *bench.all[w];
      checker.Acquire(consumer, kAllLanes, full[stage]);
      const AsyncId multiply = checker.Begin(consumer, wgmma, kAllLanes);
      checker.AsyncRead(multiply, stage * kStage + (w - 4) * kStage / 4, kStage / 4);
      SyncPoint point;
      checker.End(multiply, &point);
      checker.Acquire(consumer, kAllLanes, point);
      checker.Release(consumer, 1, &empty[stage]);
    }
  });
  Measure("a bulk write of 32 KB, per word", 4000, kStage / 4, [&](int) {
    const AsyncId load = checker.Begin(producer, tma, 1);
    checker.AsyncWrite(load, 4 * kStage, kStage);
    SyncPoint point;
    checker.End(load, &point);
    checker.Acquire(producer, 1, point);
  });
  const AsyncId bare = checker.Begin(producer, tma, 1);
  Measure("an asynchronous read of 32 bytes", 100000, 1,
          [&](int i) { checker.AsyncRead(bare, 4 * kStage + i % 1024 * 32, 32); });
}

}  // namespace
}  // namespace emu::testing

int main() {
  emu::testing::Accesses();
  emu::testing::Barriers();
  emu::testing::Pipeline();
  return 0;
}
