// tensormap.replace and tensormap.cp_fenceproxy.
#include <gtest/gtest.h>

#include "tests/emulator/async/gpu.h"

namespace emu::testing {
namespace {

TensorMap Plain(std::uint64_t address) {
  TensorMap map;
  map.type = TensorType::kU16;
  map.rank = 1;
  map.address = address;
  map.dims = {64};
  map.box = {64};
  map.element_strides = {1, 1, 1, 1, 1};
  return map;
}

std::vector<std::byte> BytesOf(const TensorMap& map) {
  std::vector<std::byte> bytes(kTensorMapBytes);
  Encode(map, bytes.data());
  return bytes;
}

TEST(TensorMapReplace, EachField) {
  Gpu gpu;
  const std::uint64_t map_at = gpu.Put(BytesOf(Plain(0x1000)));
  const std::string body = R"(
    ld.param.u64 %d0, [p0];
    mov.u64 %d1, 0x2000; mov.u64 %d2, 144; mov.u64 %d3, 288; mov.u32 %r3, 1; mov.u32 %r4, 100; mov.u32 %r5, 32;
    tensormap.replace.tile.global_address.global.b1024.b64 [%d0], %d1;
    tensormap.replace.tile.rank.global.b1024.b32 [%d0], 2;
    tensormap.replace.tile.box_dim.global.b1024.b32 [%d0], 0, %r5;
    tensormap.replace.tile.box_dim.global.b1024.b32 [%d0], 2, %r3;
    tensormap.replace.tile.global_dim.global.b1024.b32 [%d0], 1, %r4;
    tensormap.replace.tile.global_dim.global.b1024.b32 [%d0], 2, %r4;
    tensormap.replace.tile.global_stride.global.b1024.b64 [%d0], 0, %d2;
    tensormap.replace.tile.global_stride.global.b1024.b64 [%d0], 1, %d3;
    tensormap.replace.tile.element_stride.global.b1024.b32 [%d0], 1, 2;
    tensormap.replace.tile.box_dim.global.b1024.b32 [%d0], 1, 8;
    tensormap.replace.tile.elemtype.global.b1024.b32 [%d0], 10;
    tensormap.replace.tile.interleave_layout.global.b1024.b32 [%d0], 0;
    tensormap.replace.tile.swizzle_mode.global.b1024.b32 [%d0], 2;
    tensormap.replace.tile.fill_mode.global.b1024.b32 [%d0], 1;
  )";
  EXPECT_CLEAN(gpu.Threads(1).Run(body, {map_at}));
  const auto bytes = gpu.Get<std::byte>(map_at, kTensorMapBytes);
  TensorMap map;
  ASSERT_TRUE(Decode(bytes.data(), &map));
  EXPECT_EQ(map.address, 0x2000u);
  EXPECT_EQ(map.rank, 3u);
  EXPECT_EQ((std::vector<std::uint32_t>(map.box.begin(), map.box.begin() + 3)),
            (std::vector<std::uint32_t>{32, 8, 1}));
  EXPECT_EQ((std::vector<std::uint64_t>(map.dims.begin(), map.dims.begin() + 3)),
            (std::vector<std::uint64_t>{64, 100, 100}));
  EXPECT_EQ(map.strides[0], 144u);
  EXPECT_EQ(map.strides[1], 288u);
  EXPECT_EQ(map.element_strides[1], 2u);
  EXPECT_EQ(map.type, TensorType::kBF16);
  EXPECT_EQ(map.swizzle, TensorSwizzle::k64B);
  EXPECT_TRUE(map.fill_nan);
  EXPECT_EQ(map.Problem(), "");
}

// As a grouped product does: the map is copied to shared memory, changed, put to global memory and used.
TEST(TensorMapReplace, InSharedMemoryAndBack) {
  for (const std::uint64_t seed : kSeeds) {
    Gpu gpu;
    std::vector<std::uint16_t> values(64);
    for (std::size_t i = 0; i < 64; ++i) values[i] = static_cast<std::uint16_t>(i + 500);
    const std::uint64_t data = gpu.Put(values), out = gpu.Put(std::vector<std::uint16_t>(64));
    const std::uint64_t map_at = gpu.Put(BytesOf(Plain(out))),
                        made = gpu.Put(std::vector<std::byte>(kTensorMapBytes));
    const std::string body = R"(
      ld.param.u64 %d15, [p1]; ld.param.u64 %d0, [p2]; ld.param.u64 %d1, [p0];
    )" + CopyIn(128) + R"(
      mov.u32 %r3, 0;
      @%p0 tensormap.replace.tile.global_address.shared::cta.b1024.b64 [%r1], %d1;
      bar.warp.sync 0xffffffff;
      tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%d0], [%r1], 128;
      fence.proxy.tensormap::generic.acquire.gpu [%d0], 128;
    )" + MakeBarrier() + R"(
      add.u32 %r1, %r1, 1024;
      @%p0 mbarrier.arrive.expect_tx.shared.b64 _, [%r2], 128;
      @%p0 cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r1], [%d0, {%r3}], [%r2];
      ld.param.u64 %d15, [p3];
    )" + WaitFor(0) + CopyOut(128);
    EXPECT_CLEAN(gpu.Seed(seed).Run(body, {data, map_at, made, out}));
    EXPECT_EQ(gpu.Get<std::uint16_t>(out, 64), values);
  }
}

TEST(TensorMapReplace, Findings) {
  const auto broken = [](const std::string& instruction, std::uint64_t skip = 0) {
    Gpu gpu;
    const std::uint64_t map_at = gpu.Put(BytesOf(Plain(0x1000)));
    return gpu.Threads(1).Run(
        "ld.param.u64 %d0, [p0]; mov.u32 %r3, 300; mov.u64 %d1, 64;\ntensormap." + instruction,
        {map_at + skip});
  };
  EXPECT_FINDING(broken("replace.tile.box_dim.global.b1024.b32 [%d0], 0, %r3;"), kBadOperand, "at most 256");
  EXPECT_FINDING(broken("replace.tile.global_stride.global.b1024.b64 [%d0], 4, %d1;"), kBadOperand,
                 "ordinal 4");
  EXPECT_FINDING(broken("replace.tile.global_address.global.b1024.b64 [%d0], %d1;", 64), kOutOfBounds,
                 "writes 128 bytes");
  EXPECT_FINDING(broken("replace.tile.global_address.global.b1024.b64 [%d0], %d1;", 8), kMisaligned,
                 "tensor map");
  EXPECT_FINDING(broken("replace.tile.global_address.shared::cta.b1024.b64 [%r1], %d1;"), kUnwrittenShared,
                 "tensormap");
  EXPECT_FINDING(broken("replace.tile.rank.global.b1024.b64 [%d0], %d1;"), kUnsupported, "type does not fit");
  EXPECT_FINDING(broken("replace.tile.swizzle_atomicity.global.b1024.b32 [%d0], 0;"), kUnsupported,
                 "swizzle_atomicity");
}

// A map whose parts do not fit each other is found when it is used.
TEST(TensorMapReplace, AMapThatBreaksARuleIsFoundAtItsUse) {
  Gpu gpu;
  const std::uint64_t map_at = gpu.Put(BytesOf(Plain(0x1000)));
  const std::string body = MakeBarrier() + R"(
    ld.param.u64 %d0, [p0]; mov.u64 %d1, 8; mov.u32 %r3, 0;
    @%p0 tensormap.replace.tile.global_address.global.b1024.b64 [%d0], %d1;
    @%p0 cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r1], [%d0, {%r3}], [%r2];
  )";
  EXPECT_FINDING(gpu.Run(body, {map_at}), kBadOperand, "globalAddress is 0x8");
}

}  // namespace
}  // namespace emu::testing
