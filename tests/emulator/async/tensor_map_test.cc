#include "tools/emulator/async/tensor_map.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <functional>

namespace emu {
namespace {

// Arguments that are allowed; tests spoil one.
struct Arguments {
  alignas(64) std::array<std::byte, 256> out{};
  std::array<std::uint64_t, 5> dims{64, 32, 16, 8, 4};
  std::array<std::uint64_t, 4> strides{128, 4096, 65536, 1 << 20};
  std::array<std::uint32_t, 5> box{32, 8, 4, 2, 1};
  std::array<std::uint32_t, 5> element_strides{1, 1, 1, 1, 1};
  TiledRequest request;
  Arguments() {
    request.map = out.data();
    request.type = static_cast<std::uint32_t>(TensorType::kF16);
    request.rank = 5;
    request.address = 0x1000;
    request.dims = dims.data();
    request.strides = strides.data();
    request.box = box.data();
    request.element_strides = element_strides.data();
  }
};

std::string Spoilt(const std::function<void(Arguments&)>& spoil) {
  Arguments arguments;
  spoil(arguments);
  const auto before = arguments.out;
  const std::string problem = EncodeTiled(arguments.request);
  EXPECT_EQ(problem.empty(), before != arguments.out) << problem;
  return problem;
}

TEST(TensorMap, ComesBackAsItWas) {
  Arguments arguments;
  arguments.request.swizzle = 2;
  arguments.request.l2_promotion = 3;
  arguments.request.fill = 1;
  arguments.element_strides = {1, 2, 3, 4, 8};
  arguments.dims[4] = std::uint64_t{1} << 32;
  ASSERT_EQ(EncodeTiled(arguments.request), "");
  TensorMap map;
  ASSERT_TRUE(Decode(arguments.out.data(), &map));
  EXPECT_EQ(map.type, TensorType::kF16);
  EXPECT_EQ(map.rank, 5u);
  EXPECT_EQ(map.address, 0x1000u);
  EXPECT_EQ(map.dims, arguments.dims);
  EXPECT_EQ(map.strides, arguments.strides);
  EXPECT_EQ(map.box, arguments.box);
  EXPECT_EQ(map.element_strides, arguments.element_strides);
  EXPECT_EQ(map.swizzle, TensorSwizzle::k64B);
  EXPECT_EQ(map.l2_promotion, 3);
  EXPECT_TRUE(map.fill_nan);
  EXPECT_EQ(arguments.out[kTensorMapBytes], std::byte{0});
}

TEST(TensorMap, NothingElseIsAMap) {
  Arguments arguments;
  TensorMap map;
  EXPECT_FALSE(Decode(arguments.out.data(), &map));
  ASSERT_EQ(EncodeTiled(arguments.request), "");
  for (std::size_t i = 0; i < kTensorMapBytes; ++i) {
    auto changed = arguments.out;
    changed[i] ^= std::byte{0x10};
    EXPECT_EQ(Decode(changed.data(), &map), i / 8 == 1) << i;
  }
}

// CUTLASS clears a bit of the maps of tensors of less than 128 KiB.
TEST(TensorMap, TheSecondWordMeansNothing) {
  for (std::uint64_t address = 0x1000; address < 0x1000 + 64 * 128; address += 128) {
    Arguments arguments;
    arguments.request.address = address;
    ASSERT_EQ(EncodeTiled(arguments.request), "");
    arguments.out[10] &= ~std::byte{1 << 5};
    TensorMap map;
    ASSERT_TRUE(Decode(arguments.out.data(), &map)) << address;
    EXPECT_EQ(map.address, address);
  }
}

TEST(TensorMap, BytesOfABoxCountSkippedElementsOut) {
  Arguments arguments;
  arguments.element_strides = {8, 3, 4, 1, 1};
  ASSERT_EQ(EncodeTiled(arguments.request), "");
  TensorMap map;
  ASSERT_TRUE(Decode(arguments.out.data(), &map));
  // 32 elements of 2 bytes, ceil(8 / 3) = 3, ceil(4 / 4) = 1, 2, 1; the stride of dimension 0 is ignored.
  EXPECT_EQ(map.BoxBytes(), 32u * 2 * 3 * 1 * 2 * 1);
}

TEST(TensorMap, EachConstraint) {
  struct Case {
    std::function<void(Arguments&)> spoil;
    const char* says;
  };
  const Case cases[] = {
      {[](Arguments& a) { a.request.map = nullptr; }, "tensorMap is null"},
      {[](Arguments& a) { a.request.map = a.out.data() + 32; }, "not aligned to 64"},
      {[](Arguments& a) { a.request.compute_major = 8; }, "compute capability 9"},
      {[](Arguments& a) { a.request.type = 16; }, "tensorDataType is 16"},
      {[](Arguments& a) { a.request.type = 13; }, "compute capability 10"},
      {[](Arguments& a) { a.request.rank = 0; }, "tensorRank is 0"},
      {[](Arguments& a) { a.request.rank = 6; }, "tensorRank is 6"},
      {[](Arguments& a) { a.request.rank = 2, a.request.interleave = 1; }, "interleaved layout needs 3"},
      {[](Arguments& a) { a.request.address = 0x1008; }, "globalAddress is 0x1008"},
      {[](Arguments& a) { a.request.address = 0x1010, a.request.interleave = 2, a.request.swizzle = 1; },
       "not aligned to 32"},
      {[](Arguments& a) { a.request.dims = nullptr; }, "globalDim is null"},
      {[](Arguments& a) { a.dims[3] = 0; }, "globalDim[3] is 0"},
      {[](Arguments& a) { a.dims[0] = (std::uint64_t{1} << 32) + 1; }, "globalDim[0] is 4294967297"},
      {[](Arguments& a) { a.request.strides = nullptr; }, "globalStrides is null"},
      {[](Arguments& a) { a.strides[1] = 4104; }, "globalStrides[1] is 4104"},
      {[](Arguments& a) { a.strides[2] = std::uint64_t{1} << 40; }, "less than 2^40"},
      {[](Arguments& a) { a.strides[0] = 144, a.request.interleave = 2, a.request.swizzle = 1; },
       "no multiple of 32"},
      {[](Arguments& a) { a.request.box = nullptr; }, "boxDim is null"},
      {[](Arguments& a) { a.box[2] = 0; }, "boxDim[2] is 0"},
      {[](Arguments& a) { a.box[2] = 257; }, "boxDim[2] is 257"},
      {[](Arguments& a) { a.box[0] = 12; }, "24 bytes: no multiple of 16"},
      {[](Arguments& a) { a.request.swizzle = 1; }, "more than the swizzle's 32 bytes"},
      {[](Arguments& a) { a.box[0] = 40, a.request.swizzle = 2; }, "more than the swizzle's 64 bytes"},
      {[](Arguments& a) { a.box[0] = 72, a.request.swizzle = 3; }, "more than the swizzle's 128 bytes"},
      {[](Arguments& a) { a.request.element_strides = nullptr; }, "elementStrides is null"},
      {[](Arguments& a) { a.element_strides[1] = 0; }, "elementStrides[1] is 0"},
      {[](Arguments& a) { a.element_strides[4] = 9; }, "elementStrides[4] is 9"},
      {[](Arguments& a) { a.request.interleave = 3; }, "interleave is 3"},
      {[](Arguments& a) { a.request.interleave = 2; }, "takes no other"},
      {[](Arguments& a) { a.request.swizzle = 7; }, "swizzle is 7"},
      {[](Arguments& a) { a.request.swizzle = 4; }, "compute capability 10"},
      {[](Arguments& a) { a.request.l2_promotion = 4; }, "l2Promotion is 4"},
      {[](Arguments& a) { a.request.fill = 2; }, "oobFill is 2"},
      {[](Arguments& a) { a.request.fill = 1, a.request.type = 1; }, "no floating-point type"},
  };
  for (const Case& test : cases) {
    const std::string problem = Spoilt(test.spoil);
    EXPECT_NE(problem.find(test.says), std::string::npos) << "wanted: " << test.says << ", got: " << problem;
  }
}

TEST(TensorMap, PackedTypesOfNewerDevices) {
  const auto packed = [](std::uint32_t type, std::uint64_t dim, std::uint32_t box, std::uint32_t swizzle) {
    return Spoilt([=](Arguments& a) {
      a.request.compute_major = 10;
      a.request.type = type, a.dims[0] = dim, a.box[0] = box, a.request.swizzle = swizzle;
    });
  };
  EXPECT_EQ(packed(14, 256, 128, 3), "");
  EXPECT_NE(packed(14, 192, 128, 3).find("multiples of 128"), std::string::npos);
  EXPECT_NE(packed(15, 256, 64, 3).find("takes 128"), std::string::npos);
  EXPECT_NE(packed(14, 256, 128, 2).find("swizzle"), std::string::npos);
  EXPECT_NE(packed(13, 33, 32, 0).find("multiples of 2"), std::string::npos);
  EXPECT_EQ(packed(15, 256, 128, 6), "");
  EXPECT_NE(packed(14, 256, 128, 6).find("swizzle"), std::string::npos);
}

// What the allowed extremes are.
TEST(TensorMap, WhatIsAllowed) {
  EXPECT_EQ(Spoilt([](Arguments& a) { a.box[0] = 256; }), "");
  EXPECT_EQ(Spoilt([](Arguments& a) { a.box[0] = 64, a.request.swizzle = 3; }), "");
  EXPECT_EQ(Spoilt([](Arguments& a) { a.request.rank = 1, a.request.strides = nullptr; }), "");
  EXPECT_EQ(Spoilt([](Arguments& a) { a.strides[0] = 0; }), "");
  EXPECT_EQ(Spoilt([](Arguments& a) { a.strides[3] = (std::uint64_t{1} << 40) - 16; }), "");
  EXPECT_EQ(Spoilt([](Arguments& a) { a.request.interleave = 1, a.box[0] = 4; }), "");
  EXPECT_EQ(Spoilt([](Arguments& a) { a.request.fill = 1; }), "");
  EXPECT_EQ(Spoilt([](Arguments& a) { a.dims[2] = std::uint64_t{1} << 32; }), "");
}

}  // namespace
}  // namespace emu
