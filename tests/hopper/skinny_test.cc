// How skinny kernels cut a problem: a pure function, without a GPU.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "common/dispatch/device.h"
#include "common/dispatch/kernel.h"
#include "common/problem/problem.h"
#include "hopper/residency.h"
#include "hopper/skinny/config.cuh"
#include "hopper/skinny/split.h"
#include "tests/hopper/backend.h"

namespace gemm::hopper::skinny {
namespace {

// The first row whose name begins so.
const dispatch::KernelRow& Row(const std::string& prefix) {
  const dispatch::KernelTable table = dispatch::HopperKernels();
  for (std::size_t i = 0; i < table.count; ++i) {
    if (std::string(table.rows[i].name).rfind(prefix, 0) == 0) return table.rows[i];
  }
  ADD_FAILURE() << "no row " << prefix;
  return table.rows[0];
}

const dispatch::KernelRow& Narrow8() { return Row("hopper_bf16_kk_swap_64x8x256_"); }
const dispatch::KernelRow& Narrow16() { return Row("hopper_bf16_kk_swap_64x16x128_"); }
const dispatch::KernelRow& Transposed() { return Row("hopper_bf16_kn_swap_128x64x64_"); }

std::vector<const dispatch::KernelRow*> SkinnyRows() {
  const dispatch::KernelTable table = dispatch::HopperKernels();
  std::vector<const dispatch::KernelRow*> rows;
  for (std::size_t i = 0; i < table.count; ++i) {
    if (std::string(table.rows[i].name).find("_bf16_kk_swap_") != std::string::npos ||
        std::string(table.rows[i].name).find("_bf16_kn_swap_") != std::string::npos) {
      rows.push_back(&table.rows[i]);
    }
  }
  EXPECT_FALSE(rows.empty());
  return rows;
}

problem::Normalized Nk(std::int64_t m, std::int64_t n, std::int64_t k, std::int64_t batch = 1) {
  Problem problem;
  problem.m = m;
  problem.n = n;
  problem.k = k;
  problem.batch = batch;
  problem.b.layout = Layout::kColumnMajor;
  problem::Normalized normalized;
  EXPECT_TRUE(problem::Normalize(problem, &normalized).ok());
  return normalized;
}

TEST(Blocks, WhatACtaReceivesFitsItsBuffer) {
  EXPECT_EQ(MostReceived(1, 8), 7);    // one CTA stores the only block, of 8 that share K
  EXPECT_EQ(MostReceived(8, 8), 7);    // each of 8 stores one
  EXPECT_EQ(MostReceived(16, 8), 14);  // each of 8 stores two
  EXPECT_EQ(MostReceived(16, 4), 12);  // each of 4 stores four
  for (const int most : {2, 4, kMaxCluster}) {
    for (const int blocks : {1, 2, 4, 8, 16, 32}) {
      for (int split = 2; split <= most; split *= 2) {
        const int storing = split < blocks ? split : blocks;
        EXPECT_LE(blocks / storing * (split - 1), MostReceived(blocks, most)) << blocks << " of " << split;
      }
    }
  }
}

TEST(Split, TheLongerOperandIsWide) {
  EXPECT_TRUE(SplitBy(1, Narrow8(), Nk(8, 4096, 512), H200()).wide_is_b);
  EXPECT_FALSE(SplitBy(1, Narrow8(), Nk(4096, 8, 512), H200()).wide_is_b);
  EXPECT_TRUE(SplitBy(1, Transposed(), Nk(4096, 64, 512), H200()).wide_is_b) << "only B can be transposed";
}

TEST(Split, RowsOfDAreStoredInRunsWhereTilesAreAsMany) {
  const dispatch::KernelRow& square = Row("hopper_bf16_kk_swap_64x64x128_");
  EXPECT_TRUE(SplitBy(1, square, Nk(832, 448, 576), H200()).wide_is_b);
}

TEST(Split, TilesAreSizedSoThatTheSmsShareTheRows) {
  const Split one = SplitBy(1, Narrow8(), Nk(1, 4096, 4096), H200());
  EXPECT_EQ(one.wide_box, 32);  // tiles of 64 would leave half the SMs without one
  EXPECT_EQ(one.tiles, 128);
  EXPECT_EQ(one.clusters, 128);
  const Split three = SplitBy(1, Narrow8(), Nk(20, 4096, 520), H200());
  EXPECT_EQ(three.tiles_narrow, 3);
  EXPECT_EQ(three.wide_box, 48);  // 258 tiles in the two rounds that 192 of 64 rows take as well
  EXPECT_EQ(three.tiles_wide, 86);
  EXPECT_EQ(three.tiles, 258);
  EXPECT_EQ(three.clusters, 132);
  EXPECT_EQ(three.k_steps, 3);
  EXPECT_EQ(SplitBy(4, Narrow8(), Nk(1, 1280, 4096), H200()).wide_box, 44);  // 30 clusters of 4 at once
  EXPECT_EQ(SplitBy(1, Narrow16(), Nk(16, 1280, 4096), H200()).wide_box, 16) << "whole units of 8";
  EXPECT_EQ(SplitBy(1, Transposed(), Nk(16, 1280, 4096), H200()).wide_box, 64) << "whole boxes";
}

TEST(Split, TilesAreTheOperands) {
  for (const dispatch::KernelRow* row : SkinnyRows()) {
    const bool transposed = row->b_major == problem::Major::kMN;
    const int unit = transposed ? 64 : row->tile.n == 8 ? 4 : 8;
    for (const std::int64_t n : {1, 7, 64, 129, 1280, 4096, 6144, 57344, 100003}) {
      for (const std::int64_t m : {1, 8, 100, 130}) {
        for (const std::int64_t batch : {1, 3, 200}) {
          for (int cluster = 1; cluster <= MaxSplit(row->tile.m, row->tile.n); cluster *= 2) {
            SCOPED_TRACE(std::string(row->name) + " " + std::to_string(m) + "x" + std::to_string(n) +
                         " batch " + std::to_string(batch) + " by " + std::to_string(cluster));
            const Split split = SplitBy(cluster, *row, Nk(m, n, 8192, batch), H200());
            EXPECT_LE(split.wide_box, row->tile.m);
            EXPECT_EQ(split.wide_box % unit, 0);
            EXPECT_GE(split.tiles_wide * split.wide_box, split.wide_rows);
            EXPECT_LT((split.tiles_wide - 1) * split.wide_box, split.wide_rows) << "no tile without rows";
            EXPECT_LE(split.narrow_box, std::min<std::int64_t>(row->tile.n, split.narrow_rows));
            EXPECT_GE(split.tiles_narrow * split.narrow_box, split.narrow_rows);
            EXPECT_LT((split.tiles_narrow - 1) * split.narrow_box, split.narrow_rows);
            EXPECT_EQ(split.tiles, split.tiles_wide * split.tiles_narrow * batch);
            EXPECT_LE(split.clusters, split.tiles);
          }
        }
      }
    }
  }
}

TEST(Split, NarrowTilesHaveTheSameRows) {
  const Split two = SplitBy(1, Row("hopper_bf16_kk_swap_64x64x128_"), Nk(72, 4096, 4096), H200());
  EXPECT_EQ(two.tiles_narrow, 2);
  EXPECT_EQ(two.narrow_box, 36);  // and not 64 and 8: all CTAs wait for the one that loads most
  EXPECT_EQ(SplitBy(1, Narrow8(), Nk(5, 4096, 4096), H200()).narrow_box, 5);
}

TEST(Split, BalancingTakesNoMoreRounds) {
  for (std::int64_t n = 8; n <= 40000; n += 1016) {
    for (const int cluster : {1, 2, 4, 8}) {
      const Split split = SplitBy(cluster, Narrow8(), Nk(1, n, 8192), H200());
      const std::int64_t at_once = ResidentClusters(cluster, H200());
      const std::int64_t widest = (n + 63) / 64;
      EXPECT_EQ((split.tiles + at_once - 1) / at_once, (widest + at_once - 1) / at_once)
          << n << " by " << cluster;
    }
  }
}

TEST(Split, TwoBlocksOfAConsumerAreSlowFromMemory) {
  // Both timed in one process on one H100, 2026-11-25, us: 75.0 and 71.4, 67.4 and 65.7, 87.2 and 85.7, 333.7 and 330.3.
  const struct {
    std::int64_t m, n, k;
    const char* faster;
  } products[] = {{48, 24576, 4096, "hopper_bf16_kk_swap_64x64x128_"},
                  {64, 22016, 4096, "hopper_bf16_kk_swap_64x64x128_"},
                  {64, 28672, 4096, "hopper_bf16_kk_swap_128x64x64_"},
                  {64, 57344, 8192, "hopper_bf16_kk_swap_128x64x64_"}};
  const dispatch::Device& h100 = *dispatch::FindKnownDevice("h100");
  for (const auto& p : products) {
    const auto predict = [&](const char* row) {
      return ChooseSplit(Row(row), Nk(p.m, p.n, p.k), h100).microseconds;
    };
    EXPECT_GT(predict("hopper_bf16_kk_swap_256x64x64_"), predict(p.faster)) << p.m << "x" << p.n << "x" << p.k;
  }
}

TEST(Split, SharingKIsDearWhereNarrowTilesShareAWideOne) {
  // The same bytes from memory and into each of 132 CTAs; 192x3584x18944 showed the difference (docs/perf/hopper/tiles.md).
  const dispatch::KernelRow& row = Row("hopper_bf16_kk_swap_64x64x128_");
  const Split alone = SplitBy(1, row, Nk(128, 4224, 8192), H200());
  const Split shared = SplitBy(2, row, Nk(128, 2112, 16384), H200());
  ASSERT_EQ(alone.clusters, 132);
  ASSERT_EQ(shared.clusters, 66);
  EXPECT_GT(shared.microseconds, 1.15 * alone.microseconds);
}

TEST(Split, ClustersAreAsManyAsFit) {
  EXPECT_EQ(ResidentClusters(1, H200()), 132);
  EXPECT_EQ(ResidentClusters(2, H200()), 66);
  EXPECT_EQ(ResidentClusters(4, H200()), 30);
  EXPECT_EQ(ResidentClusters(8, H200()), 15);
  dispatch::Device few = H200();
  for (few.sm_count = 1; few.sm_count <= 132; ++few.sm_count) {
    for (int cluster = 1; cluster <= 8; ++cluster) {
      if (!CanSplitBy(cluster, Narrow8(), Nk(1, 64, 8192), few)) continue;
      EXPECT_LE(cluster * ResidentClusters(cluster, few), few.sm_count);
    }
    const Split split = ChooseSplit(Narrow8(), Nk(1, 65536, 8192), few);
    EXPECT_LE(split.cluster * split.clusters, few.sm_count);
  }
}

TEST(Split, APowerOfTwoWithStepsForEveryCta) {
  for (int cluster = 1; cluster <= 9; ++cluster) {
    const bool power_of_two = cluster == 1 || cluster == 2 || cluster == 4 || cluster == 8;
    EXPECT_EQ(CanSplitBy(cluster, Narrow8(), Nk(1, 64, 8192), H200()), power_of_two) << cluster;
  }
  EXPECT_TRUE(CanSplitBy(8, Narrow8(), Nk(1, 64, 2048), H200()));
  EXPECT_FALSE(CanSplitBy(8, Narrow8(), Nk(1, 64, 1792), H200()));
  EXPECT_TRUE(CanSplitBy(4, Narrow8(), Nk(1, 64, 1792), H200()));
  EXPECT_FALSE(CanSplitBy(16, Narrow8(), Nk(1, 64, 8192), H200()));
  for (const dispatch::KernelRow* row : SkinnyRows()) {
    const bool shares = row->tile.m <= 128 && row->tile.n <= 128;  // shared memory for peers' sums
    EXPECT_EQ(CanSplitBy(2, *row, Nk(1, 64, 8192), H200()), shares) << row->name;
  }
}

TEST(Split, EveryCtaStoresTheSameBlocks) {
  for (const dispatch::KernelRow* row : SkinnyRows()) {
    const int blocks = row->tile.n / 8;
    for (int cluster = 2; cluster <= 8; cluster *= 2) {
      if (!CanSplitBy(cluster, *row, Nk(1, 64, 8192), H200())) continue;
      EXPECT_TRUE(blocks % cluster == 0 || cluster % blocks == 0) << row->name << " " << cluster;
    }
  }
}

TEST(Split, BatchInvariantProductsNeverShareK) {
  for (const dispatch::KernelRow* row : SkinnyRows()) {
    for (const std::int64_t m : {1, 64}) {
      problem::Normalized invariant = Nk(m, 64, 8192);
      invariant.batch_invariant = true;
      EXPECT_TRUE(CanSplitBy(1, *row, invariant, H200()));
      EXPECT_FALSE(CanSplitBy(2, *row, invariant, H200()));
      EXPECT_EQ(ChooseSplit(*row, invariant, H200()).cluster, 1);
    }
  }
}

TEST(Split, EarlyWeightsCountByTheirBytes) {
  // 11.0 us and, by steps of 128, 11.7 us in a programmatic chain, 12.4 and 11.5 between plain edges (H200, 2026-11-23).
  const dispatch::KernelRow& more = Row("hopper_bf16_kk_swap_64x64x128_");
  const dispatch::KernelRow& fewer = Row("hopper_bf16_kk_swap_64x32x256_");
  problem::Normalized p = Nk(64, 4096, 4096);
  EXPECT_GT(ChooseSplit(more, p, H200()).microseconds, ChooseSplit(fewer, p, H200()).microseconds);
  p.b.readable_early = true;
  EXPECT_LT(ChooseSplit(more, p, H200()).microseconds, ChooseSplit(fewer, p, H200()).microseconds);
  // The wide operand's alone.
  p.b.readable_early = false;
  p.a.readable_early = true;
  EXPECT_GT(ChooseSplit(more, p, H200()).microseconds, ChooseSplit(fewer, p, H200()).microseconds);
}

TEST(Split, FewTilesShareKAmongMoreCtas) {
  EXPECT_EQ(ChooseSplit(Narrow8(), Nk(1, 8192, 8192), H200()).cluster, 1);
  EXPECT_GE(ChooseSplit(Narrow8(), Nk(1, 256, 8192), H200()).cluster, 4);
}

// 32.3 us by steps of 256 and 32.6 by 128; 2.75 and 2.64 where K is one step of 256 (H200, 2026-12-01).
TEST(Split, LongStepsWinWhereKIsLong) {
  const auto us = [](const char* row, const problem::Normalized& p) {
    return ChooseSplit(Row(row), p, H200()).microseconds;
  };
  const char* const by256 = "hopper_bf16_kk_swap_64x16x256_";
  const char* const by128 = "hopper_bf16_kk_swap_64x16x128_";
  EXPECT_LT(us(by256, Nk(16, 8192, 8192)), us(by128, Nk(16, 8192, 8192)));
  EXPECT_GT(us(by256, Nk(33, 696, 232)), us(by128, Nk(33, 696, 232)));
}

// 16 steps of K, each of whose wgmma wait for one another: one CTA took 6.1 us, four 4.2 (H200, 2026-11-23).
TEST(Split, ShortKOfASmallProductIsShared) {
  EXPECT_EQ(ChooseSplit(Narrow16(), Nk(14, 1216, 2000), H200()).cluster, 4);
}

// Nor where the operand that the L2 cannot hold is the narrow one and CTAs share its K.
TEST(Split, APredictionIsNoLessThanTheBytesOfALongNarrowOperand) {
  const double floor = 2.0 * 4096 * 4096 / (H200().memory_bandwidth_gbs * 1e3);
  for (const dispatch::KernelRow* row : SkinnyRows()) {
    EXPECT_GE(ChooseSplit(*row, Nk(4096, 1, 4096), H200()).microseconds, floor + 2) << row->name;
  }
}

TEST(Split, APredictionIsNoLessThanTheBytesTake) {
  for (const dispatch::KernelRow* row : SkinnyRows()) {
    for (const std::int64_t m : {1, 16, 64}) {
      for (const std::int64_t n : {1280, 4096, 28672}) {
        for (const std::int64_t k : {1024, 4096, 14336}) {
          const double floor = 2.0 * static_cast<double>(n * k) / (H200().memory_bandwidth_gbs * 1e3);
          const double us = ChooseSplit(*row, Nk(m, n, k), H200()).microseconds;
          EXPECT_GE(us, floor) << row->name << " " << m << "x" << n << "x" << k;
          EXPECT_LE(us, 20 + 20 * floor) << row->name << " " << m << "x" << n << "x" << k;
        }
      }
    }
  }
}

}  // namespace
}  // namespace gemm::hopper::skinny
