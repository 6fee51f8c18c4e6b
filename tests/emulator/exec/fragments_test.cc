#include "tools/emulator/exec/fragments.h"

#include <gtest/gtest.h>

namespace emu {
namespace {

Fragments Started(LaneMask mask = kAllLanes) {
  Fragments fragments;
  fragments.Start(0, mask);
  fragments.now = 0;
  return fragments;
}

void Choose(Fragments* fragments, LaneMask mask) {
  for (std::size_t i = 0; i < fragments->list().size(); ++i) {
    if (fragments->list()[i].mask == mask) fragments->now = static_cast<int>(i);
  }
  ASSERT_GE(fragments->now, 0);
  ASSERT_EQ(fragments->current().mask, mask);
}

TEST(Fragments, TwoSidesOfABranchMeet) {
  Fragments fragments = Started();
  fragments.Branch(0xff, 10, 1, 20, true);
  ASSERT_EQ(fragments.list().size(), 2u);
  EXPECT_EQ(fragments.current().mask, 0xffu);
  EXPECT_EQ(fragments.current().pc, 10);
  EXPECT_EQ(fragments.MeetingPoint(), 20);
  EXPECT_FALSE(fragments.Meet(0));
  EXPECT_TRUE(fragments.parked());
  Choose(&fragments, 0xffffff00);
  EXPECT_EQ(fragments.current().pc, 1);
  fragments.current().pc = 20;
  EXPECT_TRUE(fragments.Meet(0));
  EXPECT_FALSE(fragments.parked());
  EXPECT_EQ(fragments.current().mask, kAllLanes);
  EXPECT_EQ(fragments.MeetingPoint(), -1);
}

TEST(Fragments, LanesThatLeaveALoopWaitForAllOthers) {
  Fragments fragments = Started(0xf);
  // Lane by lane leaves the loop at its branch: one join for all of them.
  for (LaneMask left : {1u, 2u, 4u}) {
    fragments.Branch(left, 9, 0, 9, true);
    EXPECT_EQ(fragments.MeetingPoint(), 9);
    EXPECT_FALSE(fragments.Meet(0));
    Choose(&fragments, 0xf & ~(left * 2 - 1));
  }
  EXPECT_EQ(fragments.joins().size(), 1u);
  EXPECT_TRUE(fragments.Meet(0));
  EXPECT_EQ(fragments.current().mask, 0xfu);
}

TEST(Fragments, WhoExitsIsNotWaitedFor) {
  Fragments fragments = Started(3);
  fragments.Branch(1, 5, 1, 9, true);
  EXPECT_FALSE(fragments.Meet(0));
  Choose(&fragments, 2);
  fragments.Exit(2, 0);
  ASSERT_EQ(fragments.list().size(), 1u);
  EXPECT_EQ(fragments.list()[0].mask, 1u);
  EXPECT_EQ(fragments.list()[0].pc, 9);
  EXPECT_EQ(fragments.list()[0].join, -1);
  EXPECT_FALSE(fragments.parked());
}

TEST(Fragments, ReleasedLanesGoOnAlone) {
  Fragments fragments = Started(3);
  fragments.Branch(1, 5, 1, 9, true);
  EXPECT_FALSE(fragments.Meet(100));
  EXPECT_FALSE(fragments.Release(99));
  EXPECT_TRUE(fragments.Release(100));
  EXPECT_FALSE(fragments.Release(100));
  ASSERT_EQ(fragments.list().size(), 2u);
  EXPECT_EQ(fragments.list()[1].pc, 9);
  // The other one finds nobody to wait for.
  Choose(&fragments, 2);
  EXPECT_TRUE(fragments.Meet(0));
  EXPECT_EQ(fragments.current().mask, 2u);
}

TEST(Fragments, PassingByLeavesTheOthersToMeet) {
  Fragments fragments = Started(7);
  fragments.Branch(1, 5, 1, 9, true);
  EXPECT_FALSE(fragments.Meet(0));
  Choose(&fragments, 6);
  fragments.Branch(2, 5, 1, 9, true);
  fragments.PassBy();
  EXPECT_EQ(fragments.current().mask, 2u);
  EXPECT_EQ(fragments.MeetingPoint(), -1);
  Choose(&fragments, 4);
  EXPECT_TRUE(fragments.Meet(0));
  EXPECT_EQ(fragments.current().mask, 5u);
}

TEST(Fragments, CallsReturnToTheirCaller) {
  Fragments fragments = Started(0xf);
  const Op op;
  fragments.Call(&op, 0xf, 100, 1, 1);
  EXPECT_EQ(fragments.current().pc, 100);
  const int frame = fragments.current().frame;
  ASSERT_GE(frame, 0);
  // In the callee the return address is no place to meet, even if it is run through.
  EXPECT_EQ(fragments.MeetingPoint(), -1);
  fragments.Return(3, 101);
  EXPECT_EQ(fragments.current().mask, 3u);
  EXPECT_EQ(fragments.current().frame, -1);
  EXPECT_EQ(fragments.current().pc, 1);
  EXPECT_EQ(fragments.MeetingPoint(), 1);
  EXPECT_FALSE(fragments.Meet(0));
  Choose(&fragments, 0xc);
  EXPECT_EQ(fragments.current().pc, 101);
  EXPECT_EQ(fragments.current().frame, frame);
  fragments.Return(0xc, 102);
  EXPECT_TRUE(fragments.Meet(0));
  EXPECT_EQ(fragments.current().mask, 0xfu);
  EXPECT_EQ(fragments.current().join, -1);
}

TEST(Fragments, ReturnFromInsideABranchLeavesItsJoin) {
  Fragments fragments = Started(7);
  const Op op;
  fragments.Call(&op, 7, 100, 1, 1);
  fragments.Branch(1, 150, 110, 120, true);
  fragments.Return(1, 151);
  EXPECT_FALSE(fragments.Meet(0));
  Choose(&fragments, 6);
  fragments.current().pc = 120;
  EXPECT_EQ(fragments.MeetingPoint(), 120);
  EXPECT_TRUE(fragments.Meet(0));
  fragments.Return(6, 0);
  EXPECT_TRUE(fragments.Meet(0));
  EXPECT_EQ(fragments.current().mask, 7u);
}

TEST(Fragments, MergingMovesMemberships) {
  Fragments fragments = Started(7);
  // Lane 2 is released from the inner join; the others are still inside when all come to one op.
  fragments.Branch(3, 5, 1, 50, true);
  fragments.Branch(1, 6, 5, 40, true);
  Choose(&fragments, 1);
  fragments.current().pc = 7;
  Choose(&fragments, 2);
  fragments.current().pc = 7;
  Choose(&fragments, 4);
  fragments.current().pc = 7;
  const int inner = 2;
  ASSERT_EQ(fragments.list()[inner].mask, 2u);
  int into = fragments.now;
  ASSERT_TRUE(fragments.Mergeable(fragments.list()[inner], fragments.list()[into]));
  fragments.Merge(inner, into);
  Choose(&fragments, 6);
  EXPECT_EQ(fragments.MeetingPoint(), 50);
  // Lane 0 has nobody left in the inner join.
  Choose(&fragments, 1);
  EXPECT_EQ(fragments.MeetingPoint(), 40);
  EXPECT_TRUE(fragments.Meet(0));
  EXPECT_EQ(fragments.MeetingPoint(), 50);
  EXPECT_FALSE(fragments.Meet(0));
  Choose(&fragments, 6);
  EXPECT_TRUE(fragments.Meet(0));
  EXPECT_EQ(fragments.current().mask, 7u);
}

TEST(Fragments, DifferentCallsDoNotMerge) {
  Fragments fragments = Started(3);
  const Op op;
  fragments.Branch(1, 10, 20, -1, true);
  fragments.Call(&op, 1, 100, 11, 11);
  Choose(&fragments, 2);
  fragments.Call(&op, 2, 100, 21, 21);
  EXPECT_FALSE(fragments.Mergeable(fragments.list()[0], fragments.list()[1]));
}

}  // namespace
}  // namespace emu
