// The order of tiles, and which CTAs of a GPC read the same by it.
#include "hopper/raster.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>

#include "common/base/math.h"

namespace gemm::hopper {
namespace {

TEST(BandWidth, OfOneRoundWithoutClustersIsAboutFour) {
  EXPECT_EQ(BandWidth(8, false, true), 4);
  EXPECT_EQ(BandWidth(5, false, true),
            5);  // 4 and 1 took 1.2 times as long at 320x2304x6144 (H100, 2026-11-25)
  EXPECT_EQ(BandWidth(10, false, true), 5);
  for (std::int64_t across = 1; across < 1000; ++across) {
    const std::int64_t width = BandWidth(across, false, true);
    const std::int64_t last = across - (base::CeilDiv(across, width) - 1) * width;
    EXPECT_GE(2 * last, width) << across;
    EXPECT_GE(width, std::min<std::int64_t>(across, 4)) << across;
    EXPECT_LE(width, 16) << across;
  }
}

TEST(BandWidth, OfClustersAndOfSeveralRoundsIsEight) {
  EXPECT_EQ(BandWidth(16, true, true), 8);
  EXPECT_EQ(BandWidth(16, false, false), 8);
  EXPECT_EQ(BandWidth(3, true, false), 3);
}

// 16 CTAs one after the other in the order of tiles.
TEST(ReadersInGpc, WithoutClustersAreThoseSideBySide) {
  const auto expect = [](std::int64_t across, std::int64_t along, std::int64_t band, double of_across,
                         double of_along) {
    const GpcReaders readers = ReadersInGpc(across, along, band, 1);
    EXPECT_EQ(readers.across, of_across) << across << " by " << along;
    EXPECT_EQ(readers.along, of_along) << across << " by " << along;
  };
  expect(8, 16, 4, 4, 4);
  expect(16, 64, 8, 2, 8);
  expect(2, 64, 2, 8, 2);
  expect(1, 64, 1, 16, 1);
  expect(2, 3, 2, 3, 2);  // no more than there are
}

// Every eighth cluster: with bands whose width divides 8 at the same place across.
TEST(ReadersInGpc, OfClustersAreAtTheSamePlaceAcross) {
  EXPECT_EQ(ReadersInGpc(8, 32, 8, 2).across, 8);
  EXPECT_EQ(ReadersInGpc(2, 32, 2, 4).across, 4);
  EXPECT_EQ(ReadersInGpc(3, 32, 3, 2).across, 1);
  EXPECT_EQ(ReadersInGpc(8, 32, 8, 2).along, 1);
}

TEST(AskedPart, IsOneOverTheReadersWhereAllIsMerged) {
  EXPECT_EQ(AskedPart(4, 1), 0.25);
  EXPECT_EQ(AskedPart(4, 0), 1);
  EXPECT_EQ(AskedPart(1, 0.7), 1);
}

}  // namespace
}  // namespace gemm::hopper
