// A program may plan and run until its very end: in destructors of global objects, which are older than whatever the
// library made at its first use, and in those of a thread's.
#include <unistd.h>

#include <cstdint>
#include <functional>
#include <string>
#include <thread>

#include "gemm/gemm.h"
#include "gtest/gtest.h"
#include "tests/fake_driver/fake_driver.h"

namespace gemm::fake {
namespace {

Problem MakeProblem() {
  Problem problem;
  problem.m = problem.n = problem.k = 512;
  return problem;
}

Arguments MakeArguments() {
  Arguments args;
  args.a = reinterpret_cast<const void*>(0x10000);
  args.b = reinterpret_cast<const void*>(0x20000);
  args.d = reinterpret_cast<void*>(0x40000);
  return args;
}

bool CanPlan() {
  Plan plan;
  return Plan::Create(MakeProblem(), {}, &plan).ok() && !plan.Explain().empty();
}

// Twice: the second of two calls finds what the first has left.
bool CanCall() {
  return Gemm(MakeProblem(), MakeArguments()).ok() && Gemm(MakeProblem(), MakeArguments()).ok();
}

struct AtEnd {
  std::function<bool()> check;
  ~AtEnd() {
    if (check && !check()) _exit(1);
  }
};
AtEnd at_end_of_process;
thread_local AtEnd at_end_of_thread;

TEST(StaticDestruction, PlansAreStillMade) {
  EXPECT_TRUE(InChild([](FakeDriver&) {
    EXPECT_TRUE(CanPlan());
    at_end_of_process.check = CanPlan;
  }));
}

TEST(StaticDestruction, CallsAreStillServed) {
  EXPECT_TRUE(InChild([](FakeDriver&) {
    EXPECT_TRUE(CanCall());
    at_end_of_process.check = CanCall;
  }));
}

TEST(StaticDestruction, CallsOfAnEndingThreadAreServed) {
  EXPECT_TRUE(InChild([](FakeDriver&) {
    std::thread([] {
      at_end_of_thread.check = CanCall;  // made before the thread's plans, so destroyed after them
      EXPECT_TRUE(CanCall());
    }).join();
  }));
}

TEST(StaticDestruction, AFailureAtTheEndIsSeen) {
  EXPECT_FALSE(InChild([](FakeDriver&) { at_end_of_process.check = [] { return false; }; }));
}

}  // namespace
}  // namespace gemm::fake
