// Who may use an mbarrier, when, and what its bytes are for.
#include <gtest/gtest.h>

#include "tests/emulator/check/test_cluster.h"

namespace emu::testing {
namespace {

constexpr std::uint32_t kBarrier = 512;

class BarrierLifeTest : public ::testing::Test {
 protected:
  void Init(const Warp& warp, std::uint32_t lane, std::uint32_t address = kBarrier) {
    checker_.InitBarrier(warp, cluster_.OpAt(5, "mbarrier.init.shared.b64"), lane, address);
  }
  void Use(const Warp& warp, std::uint32_t lane, std::uint32_t address = kBarrier) {
    checker_.UseBarrier(warp, cluster_.OpAt(6, "mbarrier.arrive.shared.b64"), lane, address);
  }
  void Invalidate(const Warp& warp, std::uint32_t lane) {
    checker_.InvalidateBarrier(warp, cluster_.OpAt(7, "mbarrier.inval.shared.b64"), lane, kBarrier);
  }
  void Signal(const Warp& warp, std::uint32_t lane, std::uint32_t address = kBarrier) {
    checker_.UseBarrier(checker_.Begin(warp, cluster_.OpAt(8, "cp.async.bulk"), 1u << lane), address);
  }

  TestCluster cluster_{2, 2};
  Checker& checker_ = cluster_.checker();
  const Warp &a_ = cluster_.warp(0, 0), &b_ = cluster_.warp(0, 1), &peer_ = cluster_.warp(1, 0);
};

TEST_F(BarrierLifeTest, UseComesAfterInit) {
  EXPECT_FINDING(kBarrierMisuse, Use(a_, 0));
  Init(a_, 0);
  EXPECT_SILENT(Use(a_, 0));
  EXPECT_FINDING(kBarrierMisuse, Use(a_, 1));
  EXPECT_FINDING(kBarrierMisuse, Use(b_, 0));
  cluster_.Barrier({&a_, &b_});
  EXPECT_SILENT(Use(a_, 1); Use(b_, 0));
  EXPECT_FINDING(kBarrierMisuse, Use(b_, 0, kBarrier + 4));
}

TEST_F(BarrierLifeTest, ItsBytesAreNobodyElses) {
  cluster_.Write(a_, 0, kBarrier - 8, 8);
  Init(a_, 0);
  EXPECT_FINDING(kBarrierMisuse, cluster_.Write(a_, 0, kBarrier));
  EXPECT_FINDING(kBarrierMisuse, cluster_.Read(a_, 0, kBarrier + 7, 1));
  EXPECT_FINDING(kBarrierMisuse, cluster_.Read(a_, 0, kBarrier - 8, 16));
  EXPECT_FINDING(kBarrierMisuse, cluster_.Strong(a_, 0, kBarrier + 4, true));
  EXPECT_SILENT(cluster_.Write(a_, 0, kBarrier - 4); cluster_.Write(a_, 0, kBarrier + 8));
  const AsyncId load = checker_.Begin(a_, cluster_.OpAt(8, "cp.async.bulk"), 1);
  EXPECT_FINDING(kBarrierMisuse, checker_.AsyncWrite(load, kBarrier, 256));
}

TEST_F(BarrierLifeTest, TheBytesMustBeFreeBefore) {
  cluster_.Write(b_, 0, kBarrier + 4, 1);
  EXPECT_FINDING(kRace, Init(a_, 0));
  cluster_.Barrier({&a_, &b_});
  EXPECT_SILENT(Init(a_, 0));
}

TEST_F(BarrierLifeTest, InitOverALiveOne) {
  Init(a_, 0);
  const auto finding = Caught([&] { Init(a_, 0); });
  ASSERT_TRUE(finding.has_value());
  EXPECT_EQ(finding->kind, FindingKind::kBarrierMisuse);
  EXPECT_NE(finding->message.find("mbarrier.inval must come first"), std::string::npos) << finding->message;
  EXPECT_SILENT(Invalidate(a_, 0); Init(a_, 0));
}

TEST_F(BarrierLifeTest, InvalidateWhenAllUsesAreOver) {
  Init(a_, 0);
  cluster_.Barrier({&a_, &b_});
  Use(b_, 4);
  EXPECT_FINDING(kBarrierMisuse, Invalidate(a_, 0));
  cluster_.Order(b_, 4, a_, 0);
  EXPECT_SILENT(Invalidate(a_, 0));
  EXPECT_FINDING(kBarrierMisuse, Use(a_, 0));
  EXPECT_SILENT(cluster_.Write(a_, 0, kBarrier));
  EXPECT_FINDING(kRace, cluster_.Write(b_, 4, kBarrier));
}

// Lanes that waited elect one of them, by which the others' waits are over; it counts the warp out.
TEST_F(BarrierLifeTest, OneLaneTellsForItsWarp) {
  Init(a_, 0);
  cluster_.Barrier({&a_, &b_});
  Use(a_, 1);
  Use(b_, 4);
  Use(b_, 5);
  EXPECT_FINDING(kBarrierMisuse, Invalidate(a_, 0));
  cluster_.Order(b_, 4, a_, 0);
  EXPECT_SILENT(Invalidate(a_, 0));
}

TEST_F(BarrierLifeTest, TheAsyncProxyNeedsAFence) {
  Init(a_, 0);
  EXPECT_FINDING(kBarrierMisuse, Signal(a_, 0));
  cluster_.Barrier({&a_, &b_});
  EXPECT_FINDING(kBarrierMisuse, Signal(b_, 0));
  checker_.FenceMbarrierInit(a_, 1);
  EXPECT_SILENT(Signal(a_, 0));
  EXPECT_FINDING(kBarrierMisuse, Signal(b_, 0));
  cluster_.Barrier({&a_, &b_});
  EXPECT_SILENT(Signal(b_, 0));
}

TEST_F(BarrierLifeTest, AProxyFencePublishesToo) {
  Init(a_, 0);
  checker_.FenceProxyAsync(a_, kAllLanes);
  cluster_.Barrier({&a_, &b_});
  EXPECT_SILENT(Signal(b_, 0));
  Init(a_, 0, kBarrier + 8);
  cluster_.Barrier({&a_, &b_});
  EXPECT_FINDING(kBarrierMisuse, Signal(b_, 0, kBarrier + 8));
}

TEST_F(BarrierLifeTest, TheFenceIsForInitsBeforeIt) {
  checker_.FenceMbarrierInit(a_, kAllLanes);
  Init(a_, 0);
  cluster_.Barrier({&a_, &b_});
  EXPECT_FINDING(kBarrierMisuse, Signal(b_, 0));
}

TEST_F(BarrierLifeTest, AnotherThreadsFenceIsNotEnough) {
  Init(a_, 0);
  checker_.FenceMbarrierInit(a_, 2);
  cluster_.Barrier({&a_, &b_});
  EXPECT_FINDING(kBarrierMisuse, Signal(b_, 0));
}

TEST_F(BarrierLifeTest, PeersMayArriveAfterARelaxedClusterBarrier) {
  Init(a_, 0);
  SyncPoint unpublished, point;
  checker_.Release(a_, 1, &unpublished, true);
  checker_.Acquire(peer_, 1, unpublished);
  EXPECT_FINDING(kBarrierMisuse, Use(peer_, 0));
  checker_.FenceMbarrierInit(a_, 1);
  checker_.Release(a_, 1, &point, true);
  EXPECT_FINDING(kBarrierMisuse, Use(peer_, 0));
  checker_.Acquire(peer_, 1, point);
  EXPECT_SILENT(Use(peer_, 0); Signal(peer_, 0));
  cluster_.Write(a_, 0, 0);
  checker_.Release(a_, 1, &point, true);
  checker_.Acquire(peer_, 1, point);
  EXPECT_FINDING(kRace, cluster_.Read(peer_, 0, 0));  // relaxed orders nothing else
}

TEST_F(BarrierLifeTest, TheMessageTellsTheHistory) {
  Init(a_, 0);
  Use(a_, 0);
  Use(a_, 0);
  const auto finding = Caught([&] { cluster_.Write(a_, 0, kBarrier); });
  ASSERT_TRUE(finding.has_value());
  for (const char* part : {"which holds a live barrier", "mbarrier.init.shared.b64 at PTX line 5",
                           "mbarrier.arrive.shared.b64 at PTX line 6", ", 2 times"}) {
    EXPECT_NE(finding->message.find(part), std::string::npos) << part << "\n" << finding->message;
  }
}

}  // namespace
}  // namespace emu::testing
