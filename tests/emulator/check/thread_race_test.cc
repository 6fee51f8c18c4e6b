// Threads and shared memory, without asynchronous operations.
#include <gtest/gtest.h>

#include "tests/emulator/check/test_cluster.h"

namespace emu::testing {
namespace {

class ThreadRaceTest : public ::testing::Test {
 protected:
  TestCluster cluster_{1, 4};
  Checker& checker_ = cluster_.checker();
  const Warp &a_ = cluster_.warp(0, 0), &b_ = cluster_.warp(0, 1), &c_ = cluster_.warp(0, 2);
};

TEST_F(ThreadRaceTest, AThreadSeesItsOwnWrites) {
  EXPECT_SILENT(cluster_.Write(a_, 3, 64); cluster_.Read(a_, 3, 64); cluster_.Write(a_, 3, 64));
}

TEST_F(ThreadRaceTest, ReadingWhatNobodyWrote) {
  EXPECT_FINDING(kUnwrittenShared, cluster_.Read(a_, 0, 128));
  cluster_.Write(a_, 0, 256, 4);
  EXPECT_SILENT(cluster_.Read(a_, 0, 256, 4));
  EXPECT_FINDING(kUnwrittenShared, cluster_.Read(a_, 0, 256, 8));
  EXPECT_FINDING(kUnwrittenShared, cluster_.Read(a_, 0, 255, 1));
}

TEST_F(ThreadRaceTest, LanesOfAWarpNeedSyncWarp) {
  cluster_.Write(a_, 0, 0);
  EXPECT_FINDING(kRace, cluster_.Read(a_, 1, 0));
  checker_.SyncLanes(a_, 0x3);
  EXPECT_SILENT(cluster_.Read(a_, 1, 0));
  EXPECT_FINDING(kRace, cluster_.Read(a_, 2, 0));
}

TEST_F(ThreadRaceTest, ReadThenWriteByAnother) {
  cluster_.Write(a_, 0, 0);
  checker_.SyncLanes(a_, kAllLanes);
  for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) cluster_.Read(a_, lane, 0);
  EXPECT_FINDING(kRace, cluster_.Write(a_, 5, 0));
  checker_.SyncLanes(a_, 0xffff);
  EXPECT_FINDING(kRace, cluster_.Write(a_, 5, 0));
  checker_.SyncLanes(a_, kAllLanes);
  EXPECT_SILENT(cluster_.Write(a_, 5, 0));
}

TEST_F(ThreadRaceTest, WarpsNeedABarrier) {
  cluster_.Write(a_, 0, 0);
  EXPECT_FINDING(kRace, cluster_.Write(b_, 0, 0));
  EXPECT_FINDING(kRace, cluster_.Read(b_, 0, 0));
  cluster_.Barrier({&a_, &b_});
  EXPECT_SILENT(cluster_.Read(b_, 31, 0));
  EXPECT_FINDING(kRace, cluster_.Read(c_, 0, 0));
}

TEST_F(ThreadRaceTest, WhatFollowsAReleaseIsNotReleased) {
  SyncPoint point;
  checker_.Release(a_, 1, &point);
  cluster_.Write(a_, 0, 0);
  checker_.Acquire(b_, 1, point);
  EXPECT_FINDING(kRace, cluster_.Read(b_, 0, 0));
}

TEST_F(ThreadRaceTest, AReleaseOfOneLaneSpeaksForThatLaneOnly) {
  cluster_.Write(a_, 0, 0);
  cluster_.Write(a_, 1, 4);
  cluster_.Order(a_, 0, b_, 0);
  EXPECT_SILENT(cluster_.Read(b_, 0, 0));
  EXPECT_FINDING(kRace, cluster_.Read(b_, 0, 4));
  EXPECT_FINDING(kRace, cluster_.Read(b_, 1, 0));
}

TEST_F(ThreadRaceTest, OrderIsHandedOn) {
  cluster_.Write(a_, 7, 0);
  cluster_.Order(a_, 7, b_, 9);
  checker_.SyncLanes(b_, kAllLanes);
  cluster_.Order(b_, 30, c_, 1);
  EXPECT_SILENT(cluster_.Read(c_, 1, 0));
}

TEST_F(ThreadRaceTest, NeighboursInAWordDoNotRace) {
  for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) cluster_.Write(a_, lane, lane, 1);
  for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) cluster_.Write(b_, lane, 64 + 2 * lane, 2);
  cluster_.Barrier({&a_, &b_});
  for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) cluster_.Write(b_, lane, lane, 1);
  EXPECT_SILENT(cluster_.Read(b_, 4, 4, 1));
  EXPECT_FINDING(kRace, cluster_.Read(b_, 4, 4, 4));
  EXPECT_FINDING(kRace, cluster_.Read(b_, 4, 0, 16));
  EXPECT_FINDING(kRace, cluster_.Write(b_, 4, 3, 2));
}

TEST_F(ThreadRaceTest, AWideAccessMeetsNarrowOnes) {
  cluster_.Write(a_, 0, 0, 16);
  checker_.SyncLanes(a_, kAllLanes);
  cluster_.Read(a_, 1, 6, 2);
  EXPECT_FINDING(kRace, cluster_.Write(a_, 2, 0, 16));
  EXPECT_SILENT(cluster_.Write(a_, 2, 0, 4); cluster_.Write(a_, 2, 4, 2); cluster_.Write(a_, 2, 8, 8));
  EXPECT_FINDING(kRace, cluster_.Write(a_, 2, 7, 1));
}

TEST_F(ThreadRaceTest, UnalignedAccessesTouchOnlyTheirBytes) {
  cluster_.Write(a_, 0, 13, 7);
  cluster_.Write(b_, 0, 20, 3);
  cluster_.Write(b_, 0, 12, 1);
  EXPECT_FINDING(kRace, cluster_.Write(b_, 0, 19, 1));
}

TEST_F(ThreadRaceTest, ManyWarpsRead) {
  TestCluster cluster(1, 16);
  cluster.Write(cluster.warp(0, 0), 0, 0);
  std::vector<const Warp*> all;
  for (std::uint32_t warp = 0; warp < 16; ++warp) all.push_back(&cluster.warp(0, warp));
  cluster.Barrier(all);
  std::uint32_t addresses[kWarpSize] = {};
  for (const Warp* warp : all)
    cluster.checker().Read(*warp, cluster.OpAt(1, "ld.shared"), kAllLanes, addresses, 4);
  SyncPoint point;
  for (std::uint32_t warp = 0; warp < 15; ++warp) cluster.checker().Release(*all[warp], kAllLanes, &point);
  cluster.checker().Acquire(*all[3], kAllLanes, point);
  EXPECT_FINDING(kRace, cluster.Write(*all[3], 0, 0));  // the last warp has not come
  cluster.checker().Release(*all[15], 0x7fffffff, &point);
  cluster.checker().Acquire(*all[3], kAllLanes, point);
  EXPECT_FINDING(kRace, cluster.Write(*all[3], 0, 0));  // nor has its last lane
  cluster.checker().Release(*all[15], 0x80000000, &point);
  cluster.checker().Acquire(*all[3], kAllLanes, point);
  EXPECT_SILENT(cluster.Write(*all[3], 0, 0));
}

TEST_F(ThreadRaceTest, ABroadcastIsCheckedForEveryLane) {
  cluster_.Write(b_, 0, 0);
  cluster_.Order(b_, 0, a_, 0);
  std::uint32_t addresses[kWarpSize] = {};
  EXPECT_SILENT(checker_.Read(a_, cluster_.OpAt(1, "ld.shared"), 1, addresses, 4));
  const auto finding = Caught([&] { checker_.Read(a_, cluster_.OpAt(2, "ld.shared"), 0xf, addresses, 4); });
  ASSERT_TRUE(finding.has_value());
  EXPECT_NE(finding->message.find("warp 0, lane 1: reads"), std::string::npos) << finding->message;
}

TEST_F(ThreadRaceTest, ALaneThatWroteDoesNotSpeakForABroadcast) {
  cluster_.Write(a_, 0, 0);
  std::uint32_t addresses[kWarpSize] = {};
  EXPECT_FINDING(kRace, checker_.Read(a_, cluster_.OpAt(2, "ld.shared"), 0x3, addresses, 4));
}

TEST_F(ThreadRaceTest, StrongAccessesRaceWithWeakOnesOnly) {
  cluster_.Strong(a_, 0, 0, true);
  EXPECT_SILENT(cluster_.Strong(b_, 0, 0, true); cluster_.Strong(b_, 1, 0, false));
  EXPECT_FINDING(kRace, cluster_.Read(c_, 0, 0));
  EXPECT_FINDING(kRace, cluster_.Write(c_, 0, 0));
  cluster_.Order(a_, 0, c_, 0);
  EXPECT_FINDING(kRace, cluster_.Read(c_, 0, 0));
  cluster_.Order(b_, 0, c_, 0);
  EXPECT_SILENT(cluster_.Read(c_, 0, 0));
  EXPECT_FINDING(kRace, cluster_.Write(c_, 0, 0));  // b's lane 1 still reads
  cluster_.Order(b_, 1, c_, 0);
  EXPECT_SILENT(cluster_.Write(c_, 0, 0));
  EXPECT_FINDING(kRace, cluster_.Strong(b_, 0, 0, false));
}

TEST_F(ThreadRaceTest, AWeakReadIsNotForgottenForStrongOnes) {
  cluster_.Write(a_, 0, 0);
  cluster_.Barrier({&a_, &b_, &c_});
  cluster_.Read(a_, 0, 0);
  cluster_.Order(a_, 0, b_, 0);
  EXPECT_SILENT(cluster_.Strong(b_, 0, 0, true));
  EXPECT_FINDING(kRace, cluster_.Strong(c_, 0, 0, true));
}

TEST_F(ThreadRaceTest, RelaxedReleasesHandOnWhatAFenceSaw) {
  SyncPoint point;
  cluster_.Write(a_, 0, 0);
  checker_.Fence(a_, 1);
  cluster_.Write(a_, 0, 4);
  checker_.Release(a_, 1, &point, true);
  checker_.Acquire(b_, 1, point);
  EXPECT_SILENT(cluster_.Read(b_, 0, 0));
  EXPECT_FINDING(kRace, cluster_.Read(b_, 0, 4));
}

TEST_F(ThreadRaceTest, RelaxedAcquiresNeedAFence) {
  SyncPoint point;
  cluster_.Write(a_, 0, 0);
  checker_.Release(a_, 1, &point);
  checker_.Acquire(b_, 1, point, true);
  EXPECT_FINDING(kRace, cluster_.Read(b_, 0, 0));
  checker_.Fence(b_, 1);
  EXPECT_SILENT(cluster_.Read(b_, 0, 0));
}

TEST_F(ThreadRaceTest, TheMessageNamesBothSides) {
  cluster_.Write(a_, 3, 0x40, 4, 77);
  const auto finding = Caught([&] { cluster_.Read(b_, 2, 0x40, 4, 88); });
  ASSERT_TRUE(finding.has_value());
  EXPECT_EQ(finding->kernel, "kernel_name");
  EXPECT_EQ(finding->line, 88);
  for (const char* part : {"ld.shared by thread (34, 0, 0) of CTA (0, 0, 0), warp 1, lane 2: reads", "at 0x40",
                           "written by st.shared at PTX line 77 by thread (3, 0, 0)", "To fix:", "bar.sync"}) {
    EXPECT_NE(finding->message.find(part), std::string::npos) << part << "\n" << finding->message;
  }
}

}  // namespace
}  // namespace emu::testing
