// cp.async without .bulk.
#include <gtest/gtest.h>

#include "tests/emulator/async/gpu.h"

namespace emu::testing {
namespace {

std::vector<std::uint8_t> Pattern(std::size_t count) {
  std::vector<std::uint8_t> bytes(count);
  for (std::size_t i = 0; i < count; ++i) bytes[i] = static_cast<std::uint8_t>(i * 7 + 3);
  return bytes;
}

// %d1: what the lane reads, 32 bytes apart; %r3: where it goes, 16 bytes apart; p0 in, p1 out.
const char kAddresses[] = R"(
    ld.param.u64 %d0, [p0]; ld.param.u64 %d15, [p1];
    mul.wide.u32 %d1, %r0, 32; add.u64 %d1, %d1, %d0;
    shl.b32 %r3, %r0, 4; add.u32 %r3, %r3, %r1;
    mov.u32 %r4, 0xeeeeeeee;
    st.shared.v4.u32 [%r3], {%r4, %r4, %r4, %r4};
)";
const char kDone[] = "cp.async.commit_group;\ncp.async.wait_group 0;\nbar.sync 0;\n";

std::vector<std::uint8_t> RunKernel(const std::string& copy, std::uint64_t seed) {
  Gpu gpu;
  const std::uint64_t in = gpu.Put(Pattern(1024)), out = gpu.Put(std::vector<std::uint8_t>(512));
  EXPECT_CLEAN(gpu.Seed(seed).Run(kAddresses + copy + CopyOut(512), {in, out}));
  return gpu.Get<std::uint8_t>(out, 512);
}

// Each lane: `read` bytes, zeros up to `bytes`, and what was there.
std::vector<std::uint8_t> Wanted(std::uint32_t bytes, const std::vector<std::uint32_t>& read) {
  const auto in = Pattern(1024);
  std::vector<std::uint8_t> out(512, 0xee);
  for (std::size_t lane = 0; lane < 32; ++lane) {
    for (std::size_t i = 0; i < bytes; ++i) out[lane * 16 + i] = i < read[lane] ? in[lane * 32 + i] : 0;
  }
  return out;
}

TEST(ThreadCopy, Sizes) {
  for (const std::uint64_t seed : kSeeds) {
    EXPECT_EQ(RunKernel(std::string("cp.async.ca.shared.global [%r3], [%d1], 4;\n") + kDone, seed),
              Wanted(4, std::vector<std::uint32_t>(32, 4)));
    EXPECT_EQ(RunKernel(std::string("cp.async.ca.shared.global.L2::64B [%r3], [%d1], 8;\n") + kDone, seed),
              Wanted(8, std::vector<std::uint32_t>(32, 8)));
    EXPECT_EQ(
        RunKernel(std::string("cp.async.ca.shared::cta.global.L2::256B [%r3], [%d1], 16;\n") + kDone, seed),
        Wanted(16, std::vector<std::uint32_t>(32, 16)));
    EXPECT_EQ(
        RunKernel("cp.async.cg.shared.global.L2::128B [%r3], [%d1], 16;\ncp.async.wait_all;\nbar.sync 0;\n",
                  seed),
        Wanted(16, std::vector<std::uint32_t>(32, 16)));
  }
}

TEST(ThreadCopy, ZeroFill) {
  std::vector<std::uint32_t> read(32);
  for (std::uint32_t lane = 0; lane < 32; ++lane) read[lane] = lane % 17;
  EXPECT_EQ(
      RunKernel(
          std::string("rem.u32 %r5, %r0, 17;\ncp.async.cg.shared.global [%r3], [%d1], 16, %r5;\n") + kDone, 1),
      Wanted(16, read));
  for (std::uint32_t lane = 0; lane < 32; ++lane) read[lane] = lane < 10 ? 0 : 8;
  EXPECT_EQ(
      RunKernel(
          std::string("setp.lt.u32 %p1, %r0, 10;\ncp.async.ca.shared.global [%r3], [%d1], 8, %p1;\n") + kDone,
          1),
      Wanted(8, read));
  EXPECT_EQ(
      RunKernel(
          std::string("setp.ge.u32 %p1, %r0, 10;\ncp.async.ca.shared.global [%r3], [%d1], 8, !%p1;\n") + kDone,
          1),
      Wanted(8, read));
  const std::string policy = "createpolicy.fractional.L2::evict_first.b64 %d2, 1.0;\nrem.u32 %r5, %r0, 17;\n";
  for (std::uint32_t lane = 0; lane < 32; ++lane) read[lane] = lane % 17;
  EXPECT_EQ(
      RunKernel(policy + "cp.async.cg.shared.global.L2::cache_hint [%r3], [%d1], 16, %r5, %d2;\n" + kDone, 0),
      Wanted(16, read));
}

// With a source of no bytes the address is nobody's business.
TEST(ThreadCopy, NothingIsReadWhereTheSourceIsIgnored) {
  EXPECT_EQ(
      RunKernel(std::string("mov.u64 %d1, 16;\ncp.async.cg.shared.global [%r3], [%d1], 16, 0;\n") + kDone, 1),
      Wanted(16, std::vector<std::uint32_t>(32, 0)));
}

// Guards: only some lanes copy, and wait for what they copied.
TEST(ThreadCopy, SomeLanes) {
  for (const std::uint64_t seed : kSeeds) {
    auto wanted = Wanted(16, std::vector<std::uint32_t>(32, 16));
    std::fill(wanted.begin() + 5 * 16, wanted.end(), 0xee);
    EXPECT_EQ(
        RunKernel(
            std::string("setp.lt.u32 %p1, %r0, 5;\n@%p1 cp.async.cg.shared.global [%r3], [%d1], 16;\n") + kDone,
            seed),
        wanted);
  }
}

// Two groups into two places; who waits for all but one sees the first.
const char kTwoGroups[] = R"(
    cp.async.cg.shared.global [%r3], [%d1], 16;
    cp.async.commit_group;
    cp.async.cg.shared.global [%r3+512], [%d1], 16;
    cp.async.commit_group;
)";

TEST(ThreadCopy, GroupsCompleteInOrder) {
  for (const std::uint64_t seed : kSeeds) {
    EXPECT_EQ(RunKernel(std::string(kTwoGroups) + "cp.async.wait_group 1;\nbar.sync 0;\n", seed),
              Wanted(16, std::vector<std::uint32_t>(32, 16)));
  }
}

std::optional<Finding> Broken(const std::string& body, std::uint64_t seed) {
  Gpu gpu;
  const std::uint64_t in = gpu.Put(Pattern(1024)), out = gpu.Put(std::vector<std::uint8_t>(512));
  return gpu.Seed(seed).Run(kAddresses + body, {in, out});
}

TEST(ThreadCopy, DataUsedBeforeItsWait) {
  for (const std::uint64_t seed : kSeeds) {
    EXPECT_FINDING(
        Broken(std::string(kTwoGroups) + "cp.async.wait_group 1;\nld.shared.u32 %r5, [%r3+512];", seed),
        kUnwaitedCopy, "cp.async");
    EXPECT_FINDING(
        Broken("cp.async.cg.shared.global [%r3], [%d1], 16;\ncp.async.wait_group 0;\nld.shared.u32 %r5, [%r3];",
               seed),
        kUnwaitedCopy, "cp.async");
    // Another thread's copy needs a barrier besides.
    EXPECT_FINDING(
        Broken("cp.async.cg.shared.global [%r3], [%d1], 16;\ncp.async.wait_all;\nxor.b32 %r3, %r3, 16;\n"
               "ld.shared.u32 %r5, [%r3];",
               seed),
        kUnwaitedCopy, "cp.async");
    EXPECT_FINDING(
        Broken("cp.async.cg.shared.global [%r3], [%d1], 16;\nst.shared.u32 [%r3], 5;\ncp.async.wait_all;",
               seed),
        kUnwaitedCopy, "cp.async");
  }
}

TEST(ThreadCopy, BadOperands) {
  EXPECT_FINDING(Broken("cp.async.cg.shared.global [%r3], [%d1], 16, 17;", 0), kBadOperand,
                 "17 bytes for a copy of 16");
  EXPECT_FINDING(Broken("cp.async.ca.shared.global [%r3+4], [%d1], 8;", 0), kMisaligned, "shared address");
  EXPECT_FINDING(Broken("cp.async.ca.shared.global [%r3], [%d1+4], 8;", 0), kMisaligned, "source address");
  EXPECT_FINDING(Broken("cp.async.ca.shared.global [%r3], [%d1+512], 16;", 0), kOutOfBounds, "reads 16 bytes");
  EXPECT_FINDING(Broken("cp.async.ca.shared.global [%r3+65536], [%d1], 16;", 0), kOutOfBounds,
                 "16 bytes at offset");
}

TEST(ThreadCopy, Refusals) {
  EXPECT_FINDING(Broken("cp.async.cg.shared.global [%r3], [%d1], 8;", 0), kUnsupported, "16 is allowed");
  EXPECT_FINDING(Broken("cp.async.ca.shared.global [%r3], [%d1], 12;", 0), kUnsupported, "4, 8 and 16");
  EXPECT_FINDING(Broken("cp.async.shared.global [%r3], [%d1], 16;", 0), kUnsupported, "one of .ca and .cg");
  EXPECT_FINDING(Broken("cp.async.ca.shared.global.L1::no [%r3], [%d1], 16;", 0), kUnsupported, "L1::no");
  EXPECT_FINDING(Broken("cp.sync.shared.global [%r3], [%d1], 16;", 0), kUnsupported, "not known");
  EXPECT_FINDING(Broken("cp.async.wait_group %r3;", 0), kUnsupported, "constant");
}

// The barrier takes one arrival of each thread for its copies, and without .noinc none besides the threads' own.
TEST(ThreadCopy, BarriersCountCopies) {
  for (const std::uint64_t seed : kSeeds) {
    const std::string copy = "cp.async.cg.shared.global [%r3], [%d1], 16;\n";
    EXPECT_EQ(
        RunKernel(MakeBarrier(32) + copy + "cp.async.mbarrier.arrive.noinc.shared.b64 [%r2];\n" + WaitFor(0),
                  seed),
        Wanted(16, std::vector<std::uint32_t>(32, 16)));
    EXPECT_EQ(RunKernel(MakeBarrier(32) + copy + "cp.async.mbarrier.arrive.shared::cta.b64 [%r2];\n" +
                            "mbarrier.arrive.shared.b64 _, [%r2];\n" + WaitFor(0),
                        seed),
              Wanted(16, std::vector<std::uint32_t>(32, 16)));
    // Without the threads' own arrivals the phase never ends.
    EXPECT_FINDING(
        Broken(MakeBarrier(33) + copy + "cp.async.mbarrier.arrive.noinc.shared.b64 [%r2];\n" + WaitFor(0),
               seed),
        kDeadlock, "32 of 33 arrivals");
  }
}

TEST(ThreadCopy, ACopyBehindTheArrivalIsNotCounted) {
  for (const std::uint64_t seed : kSeeds) {
    EXPECT_FINDING(Broken(MakeBarrier(32) +
                              "cp.async.mbarrier.arrive.noinc.shared.b64 [%r2];\n"
                              "cp.async.cg.shared.global [%r3], [%d1], 16;\n" +
                              WaitFor(0) + "ld.shared.u32 %r5, [%r3];",
                          seed),
                   kUnwaitedCopy, "cp.async");
  }
}

}  // namespace
}  // namespace emu::testing
