// How skinny kernels cut a problem: a pure function, without a GPU.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "common/dispatch/device.h"
#include "common/dispatch/kernel.h"
#include "common/problem/problem.h"
#include "hopper/skinny/config.cuh"
#include "hopper/skinny/split.h"

namespace gemm::hopper::skinny {
namespace {

const dispatch::Device& H200() { return *dispatch::FindKnownDevice("h200"); }

const dispatch::KernelRow& Row(const std::string& name) {
  const dispatch::KernelTable table = dispatch::HopperKernels();
  for (std::size_t i = 0; i < table.count; ++i) {
    if (name == table.rows[i].name) return table.rows[i];
  }
  ADD_FAILURE() << "no row " << name;
  return table.rows[0];
}

const dispatch::KernelRow& Narrow8() { return Row("hopper_bf16_kk_swap_64x8x128_s5"); }

problem::Normalized Nk(std::int64_t m, std::int64_t n, std::int64_t k) {
  Problem problem;
  problem.m = m;
  problem.n = n;
  problem.k = k;
  problem.b.layout = Layout::kColumnMajor;
  problem::Normalized normalized;
  EXPECT_TRUE(problem::Normalize(problem, &normalized).ok());
  return normalized;
}

TEST(Granules, AreDealtToOneOwnerEach) {
  for (const unsigned granules : {8u, 16u, 32u}) {
    for (unsigned cluster = 1; cluster <= 8; ++cluster) {
      EXPECT_EQ(FirstGranule(granules, 0, cluster), 0u);
      EXPECT_EQ(FirstGranule(granules, cluster, cluster), granules);
      for (unsigned granule = 0; granule < granules; ++granule) {
        const unsigned owner = OwnerOf(granules, granule, cluster);
        EXPECT_LT(owner, cluster);
        EXPECT_LE(FirstGranule(granules, owner, cluster), granule);
        EXPECT_GT(FirstGranule(granules, owner + 1, cluster), granule);
      }
      for (unsigned rank = 0; rank < cluster; ++rank) {
        const unsigned mine = FirstGranule(granules, rank + 1, cluster) - FirstGranule(granules, rank, cluster);
        EXPECT_GE(mine, 1u) << "every CTA owns a row: the slots' order depends on it";
        EXPECT_LE(cluster * 8 * (mine * 8 + 4), static_cast<unsigned>(DirectFloats(granules * 8, 8, cluster)));
      }
    }
  }
}

TEST(Split, TheLongerOperandIsWide) {
  EXPECT_TRUE(SplitBy(1, Narrow8(), Nk(8, 4096, 512), H200()).wide_is_b);
  EXPECT_FALSE(SplitBy(1, Narrow8(), Nk(4096, 8, 512), H200()).wide_is_b);
  const Split split = SplitBy(1, Narrow8(), Nk(4096, 20, 520), H200());
  EXPECT_EQ(split.wide_rows, 4096);
  EXPECT_EQ(split.tiles_wide, 64);
  EXPECT_EQ(split.tiles_narrow, 3);
  EXPECT_EQ(split.tiles, 192);
  EXPECT_EQ(split.k_steps, 5);
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

TEST(Split, NeedsStepsRowsAndRoomForEveryCta) {
  EXPECT_TRUE(CanSplitBy(8, Narrow8(), Nk(1, 64, 1024), H200()));
  EXPECT_FALSE(CanSplitBy(8, Narrow8(), Nk(1, 64, 896), H200()));
  EXPECT_TRUE(CanSplitBy(7, Narrow8(), Nk(1, 64, 896), H200()));
  EXPECT_FALSE(CanSplitBy(9, Narrow8(), Nk(1, 64, 8192), H200()));
  EXPECT_FALSE(CanSplitBy(7, Row("hopper_bf16_kk_swap_64x16x128_s5"), Nk(16, 64, 8192), H200()));
  problem::Normalized invariant = Nk(1, 64, 8192);
  invariant.batch_invariant = true;
  EXPECT_TRUE(CanSplitBy(1, Narrow8(), invariant, H200()));
  EXPECT_FALSE(CanSplitBy(2, Narrow8(), invariant, H200()));
  EXPECT_EQ(ChooseSplit(Narrow8(), invariant, H200()).cluster, 1);
}

TEST(Split, FewTilesShareKAmongMoreCtas) {
  EXPECT_EQ(ChooseSplit(Narrow8(), Nk(1, 8192, 8192), H200()).cluster, 1);
  EXPECT_GE(ChooseSplit(Narrow8(), Nk(1, 1280, 8192), H200()).cluster, 4);
}

TEST(Split, APredictionIsNoLessThanTheBytesTake) {
  for (const std::int64_t m : {1, 16, 64}) {
    for (const std::int64_t n : {1280, 4096, 28672}) {
      for (const std::int64_t k : {1024, 4096, 14336}) {
        const double floor = 2.0 * static_cast<double>(n * k) / 4.8138e6;
        const double us = ChooseSplit(Narrow8(), Nk(m, n, k), H200()).microseconds;
        EXPECT_GE(us, floor) << m << "x" << n << "x" << k;
        EXPECT_LE(us, 10 + 10 * floor) << m << "x" << n << "x" << k;
      }
    }
  }
}

}  // namespace
}  // namespace gemm::hopper::skinny
