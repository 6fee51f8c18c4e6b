// cp.async.bulk.tensor and cp.reduce.async.bulk.tensor.
#include <gtest/gtest.h>

#include <functional>

#include "tests/emulator/async/gpu.h"

namespace emu::testing {
namespace {

constexpr int kColumns = 72, kRows = 40;  // of a matrix of 16-bit elements, 144 bytes a row

std::vector<std::uint16_t> Matrix() {
  std::vector<std::uint16_t> values(kColumns * kRows);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<std::uint16_t>(i * 3 + 1);
  return values;
}

// 64 x 16 elements with the swizzle of 128 bytes.
TensorMap MapAt(std::uint64_t address) {
  TensorMap map;
  map.type = TensorType::kU16;
  map.rank = 2;
  map.address = address;
  map.dims = {kColumns, kRows};
  map.strides = {kColumns * 2};
  map.box = {64, 16};
  map.element_strides = {1, 1, 1, 1, 1};
  map.swizzle = TensorSwizzle::k128B;
  return map;
}

const char kParams[] = "mov.b64 %d0, map; cvta.param.u64 %d0, %d0; ld.param.u64 %d15, [p0];\n";
const char kExpect[] = "@%p0 mbarrier.arrive.expect_tx.shared.b64 _, [%r2], 2048;\n";

std::string Load(int x, int y) {
  return fmt::format(
      "mov.u32 %r3, {}; mov.u32 %r4, {};\n@%p0 "
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
      "[%r1], [%d0, {{%r3, %r4}}], [%r2];\n",
      x, y);
}

// The element that the swizzled box holds at a byte of shared memory: PTX ISA, "Swizzling modes", 128 bytes: the number of
// the 16-byte chunk is that of the column's xor the row modulo 8.
std::uint16_t Wanted(const std::vector<std::uint16_t>& matrix, int x, int y, int place) {
  const int row = place / 64, chunk = place % 64 / 8 ^ row % 8;
  const int column = x + chunk * 8 + place % 8;
  const bool inside = column >= 0 && column < kColumns && y + row >= 0 && y + row < kRows;
  return inside ? matrix[static_cast<std::size_t>((y + row) * kColumns + column)] : std::uint16_t{0};
}

TEST(TensorCopy, LoadsWithSwizzleAndBounds) {
  for (const std::uint64_t seed : kSeeds) {
    for (const auto& [x, y] : {std::pair{0, 0}, {8, 16}, {64, 32}, {-8, -3}, {64, 39}, {504, 0}}) {
      Gpu gpu;
      const auto matrix = Matrix();
      const TensorMap map = MapAt(gpu.Put(matrix));
      const std::uint64_t out = gpu.Put(std::vector<std::uint16_t>(1024));
      const std::string body = kParams + MakeBarrier() + kExpect + Load(x, y) + WaitFor(0) + CopyOut(2048);
      EXPECT_CLEAN(gpu.Seed(seed).Run(body, {out}, &map));
      const auto got = gpu.Get<std::uint16_t>(out, 1024);
      for (int i = 0; i < 1024; ++i)
        ASSERT_EQ(got[static_cast<std::size_t>(i)], Wanted(matrix, x, y, i)) << x << " " << y << " " << i;
    }
  }
}

TEST(TensorCopy, MulticastCountsInEachCta) {
  for (const std::uint64_t seed : kSeeds) {
    Gpu gpu;
    const auto matrix = Matrix();
    const TensorMap map = MapAt(gpu.Put(matrix));
    const std::uint64_t out = gpu.Put(std::vector<std::uint16_t>(2048));
    // Each rank sends half of the rows to both.
    const std::string body = kParams + MakeBarrier() + kExpect + R"(
      barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;
      mov.u32 %r5, %cluster_ctarank;
      shl.b32 %r6, %r5, 3;
      shl.b32 %r7, %r5, 10; add.u32 %r7, %r7, %r1;
      mov.u32 %r3, 0;
      mov.u16 %h1, 3;
      @%p0 cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%r7], [%d0, {%r3, %r6}], [%r2], %h1;
      mul.wide.u32 %d1, %r5, 2048; add.u64 %d15, %d15, %d1;
    )" + WaitFor(0) + CopyOut(2048) +
                             "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;\n";
    TensorMap half = map;
    half.box = {64, 8};
    EXPECT_CLEAN(gpu.Clusters(2).Seed(seed).Run(body, {out}, &half));
    const auto got = gpu.Get<std::uint16_t>(out, 2048);
    for (int i = 0; i < 2048; ++i)
      ASSERT_EQ(got[static_cast<std::size_t>(i)], Wanted(matrix, 0, 0, i % 1024)) << i;
  }
}

std::string Store(const std::string& instruction, int x, int y) {
  return fmt::format("mov.u32 %r3, {}; mov.u32 %r4, {};\n@%p0 {} [%d0, {{%r3, %r4}}], [%r1];\n", x, y,
                     instruction) +
         "@%p0 cp.async.bulk.commit_group;\n@%p0 cp.async.bulk.wait_group 0;\n";
}

// What is loaded is stored elsewhere: the swizzle goes away, what is outside stays as it was.
TEST(TensorCopy, Stores) {
  for (const std::uint64_t seed : kSeeds) {
    Gpu gpu;
    const std::vector<std::uint16_t> before(kColumns * kRows, 7);
    const std::uint64_t to = gpu.Put(before);
    std::vector<std::uint16_t> tile(1024);
    for (std::size_t i = 0; i < 1024; ++i) tile[i] = static_cast<std::uint16_t>(1000 + i);
    const std::uint64_t from = gpu.Put(tile);
    const TensorMap map = MapAt(to);
    EXPECT_CLEAN(gpu.Seed(seed).Run(
        kParams + CopyIn(2048) + Store("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group", 16, 30),
        {from}, &map));
    const auto got = gpu.Get<std::uint16_t>(to, before.size());
    for (int y = 0; y < kRows; ++y) {
      for (int x = 0; x < kColumns; ++x) {
        const int row = y - 30, column = x - 16;
        const bool inside = row >= 0 && row < 16 && column >= 0 && column < 64;
        const int place = row * 64 + (column / 8 ^ row % 8) * 8 + column % 8;
        ASSERT_EQ(got[static_cast<std::size_t>(y * kColumns + x)],
                  inside ? tile[static_cast<std::size_t>(place)] : 7)
            << x << " " << y;
      }
    }
  }
}

// What lies outside of the tensor goes nowhere: nobody need have written it, and writing it meanwhile harms nothing.
TEST(TensorCopy, StoresNeedOnlyWhatIsInside) {
  const std::string store = "cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group";
  for (const std::uint64_t seed : kSeeds) {
    for (const bool swizzle : {true, false}) {
      Gpu gpu;
      const std::uint64_t from = gpu.Put(std::vector<std::uint16_t>(1024, 5));
      TensorMap map = MapAt(gpu.Put(std::vector<std::uint16_t>(kColumns * kRows)));
      if (!swizzle) map.swizzle = TensorSwizzle::kNone;
      // The 10 rows that are inside, 1280 bytes.
      EXPECT_CLEAN(gpu.Seed(seed).Run(kParams + CopyIn(1280) + Store(store, 0, 30), {from}, &map));
      EXPECT_FINDING(gpu.Seed(seed).Run(kParams + CopyIn(1276) + Store(store, 0, 30), {from}, &map),
                     kUnwrittenShared, "nothing has written 4 bytes");
      // The last 8 columns: one chunk of 16 bytes of each of 8 rows, at another place of each row with the swizzle.
      const std::string column = fmt::format(
          "setp.lt.u32 %p5, %r0, 8;\nmul.lo.u32 %r9, %r0, {}; add.u32 %r9, %r9, %r1; mov.u32 %r8, 6;\n"
          "@%p5 st.shared.v4.u32 [%r9], {{%r8, %r8, %r8, %r8}};\nfence.proxy.async;\nbar.sync 0;\n",
          swizzle ? 128 + 16 : 128);
      EXPECT_CLEAN(gpu.Seed(seed).Run(kParams + column + Store(store, 64, 32), {from}, &map));
    }
  }
}

// Rows of 64 bytes under the swizzle of 128 lie 128 bytes apart. What is between them is not written, and need not be.
TEST(TensorCopy, NarrowBoxes) {
  for (const std::uint64_t seed : kSeeds) {
    Gpu gpu;
    const auto matrix = Matrix();
    const std::uint64_t memory = gpu.Put(matrix);
    TensorMap map = MapAt(memory);
    map.box = {32, 8};
    const std::uint64_t out = gpu.Put(std::vector<std::uint16_t>(1024));
    const std::string load = kParams + MakeBarrier() +
                             "@%p0 mbarrier.arrive.expect_tx.shared.b64 _, [%r2], 512;\n" + Load(8, 3) +
                             WaitFor(0);
    EXPECT_CLEAN(gpu.Seed(seed).Run(
        load + Store("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group", 40, 20) + CopyOut(64), {out},
        &map));
    const auto row = gpu.Get<std::uint16_t>(out, 32), after = gpu.Get<std::uint16_t>(memory, matrix.size());
    for (std::size_t i = 0; i < 32; ++i) EXPECT_EQ(row[i], matrix[3 * kColumns + 8 + i]) << i;
    for (std::size_t i = 0; i < 8 * 32; ++i) {
      EXPECT_EQ(after[(20 + i / 32) * kColumns + 40 + i % 32], matrix[(3 + i / 32) * kColumns + 8 + i % 32])
          << i;
    }
    EXPECT_FINDING(gpu.Seed(seed).Run(load + CopyOut(68), {out}, &map), kUnwrittenShared,
                   "nothing has written");
  }
}

TEST(TensorCopy, Reductions) {
  Gpu gpu;
  const std::uint64_t to = gpu.Put(std::vector<float>(64, 1.5f));
  const std::uint64_t from = gpu.Put(std::vector<float>(64, 2.25f));
  TensorMap map = MapAt(to);
  map.type = TensorType::kF32;
  map.rank = 1;
  map.dims = {62};
  map.box = {64};
  map.swizzle = TensorSwizzle::kNone;
  const std::string body = std::string(kParams) + CopyIn(256) + R"(
    mov.u32 %r3, 0;
    @%p0 cp.reduce.async.bulk.tensor.1d.global.shared::cta.add.tile.bulk_group [%d0, {%r3}], [%r1];
    @%p0 cp.async.bulk.commit_group;
    @%p0 cp.async.bulk.wait_group 0;
  )";
  EXPECT_CLEAN(gpu.Run(body, {from}, &map));
  // 62 columns end inside a unit of 16 bytes, which is written as a whole.
  EXPECT_EQ(gpu.Get<float>(to, 64), std::vector<float>(64, 3.75f));
  map.type = TensorType::kU64;
  map.dims = {32}, map.box = {32};
  const std::string most = std::string(kParams) +
                           "mov.u32 %r3, 0;\n@%p0 cp.reduce.async.bulk.tensor.1d.global.shared::cta.inc."
                           "bulk_group [%d0, {%r3}], [%r1];\n";
  EXPECT_FINDING(gpu.Run(most, {from}, &map), kBadOperand, "cannot be reduced by .inc");
}

TEST(TensorCopy, Prefetch) {
  Gpu gpu;
  const TensorMap map = MapAt(gpu.Put(Matrix()));
  EXPECT_CLEAN(gpu.Run(std::string(kParams) +
                           "mov.u32 %r3, 0;\ncp.async.bulk.prefetch.tensor.2d.L2.global.tile [%d0, {%r3, "
                           "%r3}];\n",
                       {0}, &map));
}

// The map may lie in global memory; what lies there need not be one.
TEST(TensorCopy, MapsInGlobalMemory) {
  Gpu gpu;
  const auto matrix = Matrix();
  const TensorMap map = MapAt(gpu.Put(matrix));
  std::vector<std::byte> bytes(kTensorMapBytes);
  Encode(map, bytes.data());
  const std::uint64_t in_memory = gpu.Put(bytes), out = gpu.Put(std::vector<std::uint16_t>(1024));
  const std::string params = "ld.param.u64 %d15, [p0]; ld.param.u64 %d0, [p1];\n";
  const std::string body = params + MakeBarrier() + kExpect + Load(0, 0) + WaitFor(0) + CopyOut(2048);
  EXPECT_CLEAN(gpu.Run(body, {out, in_memory}));
  EXPECT_EQ(gpu.Get<std::uint16_t>(out, 1024)[8], matrix[8]);
  EXPECT_FINDING(gpu.Run(body, {out, out}), kBadOperand, "there is no tensor map at");
  EXPECT_FINDING(gpu.Run(body, {out, in_memory + 16}), kMisaligned, "address of the tensor map");
  EXPECT_FINDING(gpu.Run(body, {out, in_memory + 64}), kOutOfBounds, "reads a tensor map");
}

std::optional<Finding> Broken(
    const std::string& body, const std::function<void(TensorMap&)>& change = [](TensorMap&) {}) {
  Gpu gpu;
  TensorMap map = MapAt(gpu.Put(Matrix()));
  change(map);
  const std::uint64_t out = gpu.Put(std::vector<std::uint16_t>(1024));
  return gpu.Run(kParams + MakeBarrier() + body, {out}, &map);
}

TEST(TensorCopy, Findings) {
  const std::string load = kExpect + Load(0, 0) + WaitFor(0);
  EXPECT_FINDING(Broken("add.u32 %r1, %r1, 64;\n" + load), kMisaligned, "no multiple of 128");
  for (const int x : {5, -5, 4}) {
    EXPECT_FINDING(Broken(kExpect + Load(x, 0) + WaitFor(0)), kMisaligned,
                   fmt::format("element {} of dimension 0, byte {}: no multiple of 16", x, 2 * x).c_str());
  }
  EXPECT_FINDING(Broken("add.u32 %r1, %r1, 15360;\n" + load), kOutOfBounds, "2048 bytes at offset");
  EXPECT_FINDING(Broken(load,
                        [](TensorMap& map) {
                          map.rank = 3;
                          map.dims[2] = map.box[2] = 1;
                        }),
                 kBadOperand, "2 coordinates for a tensor of 3");
}

TEST(TensorCopy, MapsThatDoNotFit) {
  const std::string load = kExpect + Load(0, 32) + WaitFor(0);
  EXPECT_FINDING(Broken(load, [](TensorMap& map) { map.dims[1] = kRows + 1; }), kOutOfBounds,
                 "reads 128 bytes");
  EXPECT_FINDING(Broken(load, [](TensorMap& map) { map.box[0] = 72; }), kBadOperand, "more than the swizzle's");
  EXPECT_FINDING(Broken(load,
                        [](TensorMap& map) {
                          map.rank = 3, map.dims[2] = map.box[2] = 1, map.strides[1] = 16;
                          map.interleave = TensorInterleave::k16B;
                        }),
                 kBadOperand, "2 coordinates");
}

TEST(TensorCopy, TheBoxIsWhatTheBarrierExpects) {
  for (const std::uint64_t seed : kSeeds) {
    Gpu gpu;
    const TensorMap map = MapAt(gpu.Put(Matrix()));
    const std::uint64_t out = gpu.Put(std::vector<std::uint16_t>(1024));
    // Half of the box is outside of the tensor, and counts.
    const std::string body = kParams + MakeBarrier() +
                             "@%p0 mbarrier.arrive.expect_tx.shared.b64 _, [%r2], 1024;\n" + Load(0, 32) +
                             WaitFor(0) + CopyOut(2048);
    const auto found = gpu.Seed(seed).Run(body, {out}, &map);
    ASSERT_TRUE(found);
    EXPECT_TRUE(found->kind == FindingKind::kDeadlock || found->kind == FindingKind::kUnwaitedCopy)
        << Text(found);
  }
}

TEST(TensorCopy, AStoreNeedsAProxyFence) {
  for (const std::uint64_t seed : kSeeds) {
    Gpu gpu;
    const TensorMap map = MapAt(gpu.Put(Matrix()));
    const std::string fill = CopyIn(2048);
    const std::string unfenced = fill.substr(0, fill.find("fence.proxy.async")) + "bar.sync 0;\n";
    const std::uint64_t from = gpu.Put(std::vector<std::uint16_t>(1024));
    EXPECT_FINDING(gpu.Seed(seed).Run(kParams + unfenced +
                                          Store("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group", 0, 0),
                                      {from}, &map),
                   kMissingProxyFence, "cp.async.bulk.tensor");
  }
}

TEST(TensorCopy, Refusals) {
  const std::string to = "[%r1], [%d0, {%r3, %r3}], [%r2]";
  const std::string load = "cp.async.bulk.tensor.2d.shared::cluster.global";
  EXPECT_FINDING(Broken(load + ".im2col.mbarrier::complete_tx::bytes " + to + ";"), kUnsupported, ".im2col");
  EXPECT_FINDING(Broken(load + ".tile::gather4.mbarrier::complete_tx::bytes " + to + ";"), kUnsupported,
                 "gather4");
  EXPECT_FINDING(Broken(load + ".mbarrier::complete_tx::bytes.cta_group::2 " + to + ";"), kUnsupported,
                 ".cta_group");
  EXPECT_FINDING(Broken(load + ".mbarrier::complete_tx::bytes [%r1], [%d0, {%r3}], [%r2];"), kUnsupported,
                 "1 coordinates for .2d");
  EXPECT_FINDING(
      Broken(
          "cp.async.bulk.tensor.2d.global.shared::cta.mbarrier::complete_tx::bytes [%d0, {%r3, %r3}], [%r1];"),
      kUnsupported, "bulk group");
}

}  // namespace
}  // namespace emu::testing
