// What must be over when a CTA exits.
#include <gtest/gtest.h>

#include "tests/emulator/check/test_cluster.h"

namespace emu::testing {
namespace {

class ClusterExitTest : public ::testing::Test {
 protected:
  void ExitAll() {
    for (const Warp* warp : all_) checker_.Exit(*warp, kAllLanes);
  }
  AsyncId Begin(const Warp& warp, const char* name) { return checker_.Begin(warp, cluster_.OpAt(9, name), 1); }
  void Wait(AsyncId id, const Warp& warp) {
    SyncPoint point;
    checker_.End(id, &point);
    checker_.Acquire(warp, 1, point);
  }

  TestCluster cluster_{2, 1};
  Checker& checker_ = cluster_.checker();
  const Warp &a_ = cluster_.warp(0, 0), &b_ = cluster_.warp(1, 0);
  const std::vector<const Warp*> all_{&a_, &b_};
};

TEST_F(ClusterExitTest, NothingRemote) {
  cluster_.Write(a_, 0, At(0, 0));
  cluster_.Write(b_, 0, At(1, 0));
  ExitAll();
  EXPECT_SILENT(checker_.Finish());
}

TEST_F(ClusterExitTest, ARemoteWriteBeforeTheLastClusterBarrier) {
  cluster_.Write(a_, 3, At(1, 16));
  cluster_.Barrier(all_);
  ExitAll();
  EXPECT_SILENT(checker_.Finish());
}

TEST_F(ClusterExitTest, ARemoteWriteAfterTheLastClusterBarrier) {
  cluster_.Barrier(all_);
  cluster_.Write(a_, 3, At(1, 16), 4, 99);
  ExitAll();
  const auto finding = Caught([&] { checker_.Finish(); });
  ASSERT_TRUE(finding.has_value());
  EXPECT_EQ(finding->kind, FindingKind::kClusterExit);
  EXPECT_EQ(finding->line, 99);
  EXPECT_NE(finding->message.find("CTA with rank 1"), std::string::npos) << finding->message;
}

TEST_F(ClusterExitTest, OneThreadThatKnowsIsEnough) {
  cluster_.Write(b_, 0, At(1, 16));
  cluster_.Barrier(all_);
  cluster_.Read(a_, 3, At(1, 16));
  cluster_.Order(a_, 3, b_, 17);
  ExitAll();
  EXPECT_SILENT(checker_.Finish());
}

TEST_F(ClusterExitTest, ARemoteArrivalMustBeWaitedFor) {
  checker_.InitBarrier(b_, cluster_.OpAt(1, "mbarrier.init"), 0, At(1, 64));
  cluster_.Barrier(all_);
  SyncPoint phase;
  checker_.UseBarrier(a_, cluster_.OpAt(2, "mbarrier.arrive"), 0, At(1, 64));
  checker_.Release(a_, 1, &phase, true);
  checker_.Acquire(b_, 1, phase);
  ExitAll();
  EXPECT_SILENT(checker_.Finish());
}

TEST_F(ClusterExitTest, ARemoteArrivalThatNobodyWaitsFor) {
  checker_.InitBarrier(b_, cluster_.OpAt(1, "mbarrier.init"), 0, At(1, 64));
  cluster_.Barrier(all_);
  SyncPoint phase;
  checker_.UseBarrier(a_, cluster_.OpAt(2, "mbarrier.arrive"), 0, At(1, 64));
  checker_.Release(a_, 1, &phase);
  ExitAll();
  EXPECT_FINDING(kClusterExit, checker_.Finish());
}

TEST_F(ClusterExitTest, AStoreWhoseReadWasNotWaitedFor) {
  cluster_.Write(a_, 0, 0, 16);
  checker_.FenceProxyAsync(a_, 1);
  const AsyncId store = Begin(a_, "cp.async.bulk.global.shared");
  checker_.AsyncRead(store, 0, 16);
  SyncPoint nobody;
  checker_.End(store, &nobody);
  ExitAll();
  const auto finding = Caught([&] { checker_.Finish(); });
  ASSERT_TRUE(finding.has_value());
  EXPECT_EQ(finding->kind, FindingKind::kClusterExit);
  EXPECT_NE(finding->message.find("cp.async.bulk.wait_group.read"), std::string::npos) << finding->message;
}

TEST_F(ClusterExitTest, AStoreThatWasWaitedFor) {
  cluster_.Write(a_, 0, 0, 16);
  checker_.FenceProxyAsync(a_, 1);
  const AsyncId store = Begin(a_, "cp.async.bulk.global.shared");
  checker_.AsyncRead(store, 0, 16);
  Wait(store, a_);
  ExitAll();
  EXPECT_SILENT(checker_.Finish());
}

TEST_F(ClusterExitTest, AMulticastThatThePeerDoesNotWaitFor) {
  const AsyncId load = Begin(a_, "cp.async.bulk.shared.global.multicast");
  checker_.AsyncWrite(load, At(1, 0), 16);
  Wait(load, a_);
  ExitAll();
  EXPECT_FINDING(kClusterExit, checker_.Finish());
}

TEST_F(ClusterExitTest, AMulticastThatThePeerWaitsFor) {
  const AsyncId load = Begin(a_, "cp.async.bulk.shared.global.multicast");
  checker_.AsyncWrite(load, At(1, 0), 16);
  Wait(load, b_);
  ExitAll();
  EXPECT_SILENT(checker_.Finish());
}

TEST_F(ClusterExitTest, AnOperationThatNeverEnds) {
  Begin(a_, "cp.async.bulk.prefetch");
  ExitAll();
  EXPECT_FINDING(kClusterExit, checker_.Finish());
}

TEST_F(ClusterExitTest, CopiesOfThreadsEndWithTheirThread) {
  cluster_.Copy(a_, 0, 0);
  ExitAll();
  EXPECT_SILENT(checker_.Finish());
}

TEST_F(ClusterExitTest, AnUntouchedChecker) {
  TestCluster untouched(2, 1);
  EXPECT_SILENT(untouched.checker().Finish());
}

}  // namespace
}  // namespace emu::testing
