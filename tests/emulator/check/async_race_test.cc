// Asynchronous operations, the proxies and cp.async.
#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>

#include "tests/emulator/check/test_cluster.h"

namespace emu::testing {
namespace {

class AsyncRaceTest : public ::testing::Test {
 protected:
  AsyncId Load(const Warp& warp, std::uint32_t lane, std::uint32_t address, std::uint32_t bytes,
               int line = 50) {
    const AsyncId id = checker_.Begin(warp, cluster_.OpAt(line, "cp.async.bulk.shared.global"), 1u << lane);
    checker_.AsyncWrite(id, address, bytes);
    return id;
  }
  AsyncId Store(const Warp& warp, std::uint32_t lane, std::uint32_t address, std::uint32_t bytes,
                int line = 60) {
    const AsyncId id = checker_.Begin(warp, cluster_.OpAt(line, "cp.async.bulk.global.shared"), 1u << lane);
    checker_.AsyncRead(id, address, bytes);
    return id;
  }
  AsyncId Multiply(const Warp& warp, std::uint32_t address, std::uint32_t bytes, int line = 70) {
    const AsyncId id = checker_.Begin(warp, cluster_.OpAt(line, "wgmma.mma_async"), kAllLanes);
    checker_.AsyncRead(id, address, bytes);
    return id;
  }
  void Wait(AsyncId id, const Warp& warp, LaneMask lanes) {
    SyncPoint point;
    checker_.End(id, &point);
    checker_.Acquire(warp, lanes, point);
  }

  TestCluster cluster_{1, 4, 65536};
  Checker& checker_ = cluster_.checker();
  const Warp &a_ = cluster_.warp(0, 0), &b_ = cluster_.warp(0, 1), &c_ = cluster_.warp(0, 2);
};

TEST_F(AsyncRaceTest, DataIsReadAfterTheWaitOnly) {
  const AsyncId load = Load(a_, 0, 1024, 16384);
  EXPECT_FINDING(kUnwaitedCopy, cluster_.Read(b_, 0, 2048));
  EXPECT_FINDING(kUnwaitedCopy, cluster_.Read(a_, 0, 2048));  // the issuer no more than others
  EXPECT_FINDING(kUnwaitedCopy, cluster_.Write(a_, 0, 17404));
  SyncPoint point;
  checker_.End(load, &point);
  EXPECT_FINDING(kUnwaitedCopy, cluster_.Read(b_, 0, 2048));
  checker_.Acquire(b_, 2, point);
  EXPECT_SILENT(cluster_.Read(b_, 1, 2048));
  EXPECT_FINDING(kUnwaitedCopy, cluster_.Read(b_, 0, 2048));
}

TEST_F(AsyncRaceTest, TheMessageTellsWhatToWaitFor) {
  cluster_.Order(a_, 5, b_, 0);
  const AsyncId load = Load(a_, 5, 1024, 64, 123);
  cluster_.Order(a_, 5, b_, 0);  // b knows that the load was issued
  const auto finding = Caught([&] { cluster_.Read(b_, 0, 1028, 4, 150); });
  ASSERT_TRUE(finding.has_value());
  for (const char* part :
       {"issued at PTX line 123 by thread (5, 0, 0)", "before line 150: wait for the phase of its mbarrier"}) {
    EXPECT_NE(finding->message.find(part), std::string::npos) << part << "\n" << finding->message;
  }
  EXPECT_NE(load, 0u);
}

TEST_F(AsyncRaceTest, ABufferIsLoadedAgainWhenItsReadersAreDone) {
  Wait(Load(a_, 0, 0, 1024), b_, kAllLanes);
  cluster_.Read(b_, 4, 512, 16);
  cluster_.Order(b_, 3, a_, 0);  // somebody else's arrival
  EXPECT_FINDING(kUnwaitedCopy, Load(a_, 0, 512, 16));
  cluster_.Order(b_, 4, a_, 0);
  EXPECT_SILENT(Load(a_, 0, 0, 1024));
}

TEST_F(AsyncRaceTest, AnAccessAfterTheIssueIsNotPartOfWhatTheOperationKnows) {
  Wait(Load(a_, 0, 0, 1024), a_, kAllLanes);
  const AsyncId late = checker_.Begin(a_, cluster_.OpAt(51, "cp.async.bulk.shared.global"), 1);
  cluster_.Read(a_, 0, 0);
  EXPECT_FINDING(kUnwaitedCopy, checker_.AsyncWrite(late, 0, 1024));
}

TEST_F(AsyncRaceTest, AStoreReadsUntilItIsWaitedFor) {
  cluster_.Write(a_, 0, 0, 16);
  checker_.FenceProxyAsync(a_, 1);
  const AsyncId store = Store(a_, 0, 0, 16);
  EXPECT_SILENT(cluster_.Read(a_, 0, 0, 16));
  EXPECT_FINDING(kOverwrittenInFlight, cluster_.Write(a_, 0, 0, 16));
  Wait(store, a_, 1);
  EXPECT_SILENT(cluster_.Write(a_, 0, 0, 16));
  checker_.SyncLanes(a_, kAllLanes);
  EXPECT_SILENT(cluster_.Write(a_, 9, 0, 16));
}

TEST_F(AsyncRaceTest, AWriteNeedsAProxyFence) {
  cluster_.Write(a_, 3, 0, 16);
  cluster_.Write(b_, 3, 16, 16);
  checker_.FenceProxyAsync(b_, kAllLanes);
  cluster_.Barrier({&a_, &b_});
  EXPECT_FINDING(kMissingProxyFence, Store(a_, 0, 0, 32));
  EXPECT_SILENT(Store(a_, 0, 16, 16));
  EXPECT_FINDING(kMissingProxyFence, Load(a_, 0, 0, 16));
}

TEST_F(AsyncRaceTest, AFenceBeforeTheWriteDoesNotHelp) {
  checker_.FenceProxyAsync(a_, kAllLanes);
  cluster_.Write(a_, 3, 0, 16);
  cluster_.Barrier({&a_, &b_});
  EXPECT_FINDING(kMissingProxyFence, Store(b_, 0, 0, 16));
}

TEST_F(AsyncRaceTest, AFenceCountsOnThePathOnly) {
  cluster_.Write(a_, 3, 0, 16);
  cluster_.Order(a_, 3, b_, 0);
  checker_.FenceProxyAsync(a_, 1u << 3);
  EXPECT_FINDING(kMissingProxyFence, Store(b_, 0, 0, 16));
  cluster_.Order(a_, 3, b_, 0);
  EXPECT_SILENT(Store(b_, 0, 0, 16));
}

TEST_F(AsyncRaceTest, TheIssuerMayFenceForAll) {
  cluster_.Write(a_, 3, 0, 16);
  cluster_.Barrier({&a_, &b_});
  checker_.FenceProxyAsync(b_, 1);
  EXPECT_FINDING(kMissingProxyFence, Store(b_, 1, 0, 16));
  EXPECT_SILENT(Store(b_, 0, 0, 16));
}

TEST_F(AsyncRaceTest, WhatALoadWroteNeedsNoFence) {
  Wait(Load(a_, 0, 0, 1024), b_, kAllLanes);
  EXPECT_SILENT(Multiply(b_, 0, 1024); cluster_.Read(b_, 4, 0); Store(b_, 4, 0, 1024));
}

TEST_F(AsyncRaceTest, AStageReleasedEarlyAndAWaitForgotten) {
  Wait(Load(a_, 0, 0, 1024), b_, kAllLanes);
  const AsyncId multiply = Multiply(b_, 0, 1024);
  cluster_.Order(b_, 0, a_, 0);  // before wgmma.wait_group
  EXPECT_FINDING(kOverwrittenInFlight, Load(a_, 0, 0, 1024));
  Wait(multiply, b_, kAllLanes);
  cluster_.Order(b_, 0, a_, 0);
  EXPECT_SILENT(Load(a_, 0, 0, 1024));
  cluster_.Order(a_, 0, b_, 0);  // of the issue only
  EXPECT_FINDING(kUnwaitedCopy, Multiply(b_, 0, 1024));
}

TEST_F(AsyncRaceTest, TwoLoadsIntoOnePlace) {
  const AsyncId first = Load(a_, 0, 0, 1024);
  EXPECT_FINDING(kUnwaitedCopy, Load(a_, 0, 1008, 1024));
  Wait(first, a_, 1);
  EXPECT_SILENT(Load(a_, 0, 1008, 1024));
}

TEST_F(AsyncRaceTest, SlotsAreUsedAgain) {
  AsyncId largest = 0;
  for (int i = 0; i < 1000; ++i) {
    const AsyncId load = Load(a_, 0, 0, 64);
    largest = std::max(largest, load >> 32);
    Wait(load, b_, kAllLanes);
    cluster_.Read(b_, i % 32, 0, 64);
    checker_.SyncLanes(b_, kAllLanes);
    cluster_.Order(b_, 0, a_, 0);
  }
  const AsyncId other = Load(c_, 0, 1024, 64);
  EXPECT_LE((other >> 32), largest + 1);
  EXPECT_LE(largest, 5u * 32);  // 128 threads, and one slot
}

TEST_F(AsyncRaceTest, ASlotThatNobodyWaitedForIsNotUsedAgain) {
  const AsyncId first = Load(a_, 0, 0, 64);
  SyncPoint nobody, point;
  checker_.End(first, &nobody);
  const AsyncId second = Load(a_, 0, 64, 64);
  checker_.End(second, &point);
  checker_.Acquire(b_, kAllLanes, point);
  EXPECT_SILENT(cluster_.Read(b_, 0, 64));
  EXPECT_FINDING(kUnwaitedCopy, cluster_.Read(b_, 0, 0));
}

TEST_F(AsyncRaceTest, ReductionsDoNotRaceWithEachOther) {
  cluster_.Write(a_, 0, 0, 16);
  checker_.FenceProxyAsync(a_, 1);
  cluster_.Order(a_, 0, b_, 0);
  const Op& op = cluster_.OpAt(80, "cp.reduce.async.bulk");
  const AsyncId one = checker_.Begin(a_, op, 1), two = checker_.Begin(b_, op, 1);
  EXPECT_SILENT(checker_.AsyncStrong(one, 0, 16); checker_.AsyncStrong(two, 0, 16));
  Wait(one, c_, 1);
  EXPECT_FINDING(kUnwaitedCopy, cluster_.Read(c_, 0, 0));
  Wait(two, c_, 1);
  EXPECT_SILENT(cluster_.Read(c_, 0, 0));
}

TEST_F(AsyncRaceTest, CopiesOfAThreadAreItsOwn) {
  const AsyncId first = cluster_.Copy(a_, 0, 0);
  const AsyncId second = cluster_.Copy(a_, 0, 16);
  cluster_.Copy(a_, 1, 32);
  EXPECT_FINDING(kUnwaitedCopy, cluster_.Read(a_, 0, 0));
  checker_.AcquireCopies(a_, 1, first);
  EXPECT_SILENT(cluster_.Read(a_, 0, 0, 16));
  EXPECT_FINDING(kUnwaitedCopy, cluster_.Read(a_, 0, 16, 16));
  EXPECT_FINDING(kUnwaitedCopy, cluster_.Read(a_, 1, 0, 16));
  checker_.AcquireCopies(a_, 3, second);
  checker_.SyncLanes(a_, kAllLanes);
  EXPECT_SILENT(cluster_.Read(a_, 1, 16, 16));
  EXPECT_FINDING(kUnwaitedCopy, cluster_.Read(a_, 0, 32));  // lane 1's came later than `second`
}

TEST_F(AsyncRaceTest, CopiesNeedAProxyFenceForTheAsyncProxy) {
  const AsyncId copy = cluster_.Copy(a_, 2, 0);
  checker_.FenceProxyAsync(a_, kAllLanes);
  checker_.AcquireCopies(a_, kAllLanes, copy);
  cluster_.Barrier({&a_, &b_});
  EXPECT_SILENT(cluster_.Read(b_, 7, 0));
  EXPECT_FINDING(kMissingProxyFence, Multiply(b_, 0, 16));
  checker_.FenceProxyAsync(b_, kAllLanes);
  EXPECT_SILENT(Multiply(b_, 0, 16));
}

TEST_F(AsyncRaceTest, CopiesThatArriveOnABarrier) {
  SyncPoint arrival, phase;
  cluster_.Write(a_, 2, 64);
  cluster_.Copy(a_, 2, 0);
  checker_.ReleaseCopies(a_, 1u << 2, &arrival);
  cluster_.Copy(a_, 2, 16);
  cluster_.Write(a_, 2, 68);
  checker_.Join(&phase, arrival);
  checker_.Acquire(b_, 1, phase);
  EXPECT_SILENT(cluster_.Read(b_, 0, 0, 16); cluster_.Read(b_, 0, 64));
  EXPECT_FINDING(kUnwaitedCopy, cluster_.Read(b_, 0, 16, 16));
  EXPECT_FINDING(kRace, cluster_.Read(b_, 0, 68));
}

TEST_F(AsyncRaceTest, ACopyOverwritesWhatIsStillRead) {
  checker_.AcquireCopies(a_, 1, cluster_.Copy(a_, 0, 0));
  cluster_.Barrier({&a_, &b_});
  cluster_.Read(b_, 0, 0, 16);
  EXPECT_FINDING(kUnwaitedCopy, cluster_.Copy(a_, 0, 0));
  cluster_.Barrier({&a_, &b_});
  EXPECT_SILENT(cluster_.Copy(a_, 0, 0));
}

TEST_F(AsyncRaceTest, AccessesOfAnEndedOperationAreTheCallersError) {
  const AsyncId load = Load(a_, 0, 0, 16);
  SyncPoint point;
  checker_.End(load, &point);
  EXPECT_THROW(checker_.AsyncWrite(load, 0, 16), std::logic_error);
}

}  // namespace
}  // namespace emu::testing
