// The readers see what they are there to see.
#include <gtest/gtest.h>

#include <string>

#include "tests/codegen/codegen.h"

namespace gemm::codegen {
namespace {

constexpr char kClean[] =
    "ptxas info    : 0 bytes gmem\n"
    "ptxas info    : Compiling entry function 'one' for 'sm_90a'\n"
    "ptxas info    : Function properties for one\n"
    "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
    "ptxas info    : Used 168 registers, used 1 barriers\n";

TEST(ParseReport, ReadsACleanKernel) {
  const Report report = ParseReport(kClean);
  ASSERT_EQ(report.kernels.size(), 1u);
  EXPECT_EQ(report.kernels[0].kernel, "one");
  EXPECT_EQ(report.kernels[0].architecture, "sm_90a");
  EXPECT_EQ(report.kernels[0].registers, 168);
  EXPECT_EQ(report.kernels[0].spill_store_bytes, 0);
  EXPECT_TRUE(report.complaints.empty());
}

TEST(ParseReport, SeesSpillsOfTheKernelTheyBelongTo) {
  const Report report = ParseReport(std::string(kClean) +
                                    "ptxas info    : Compiling entry function 'two' for 'sm_90a'\n"
                                    "    16 bytes stack frame, 24 bytes spill stores, 32 bytes spill loads\n"
                                    "ptxas info    : Used 255 registers\n");
  ASSERT_EQ(report.kernels.size(), 2u);
  EXPECT_EQ(report.kernels[0].spill_load_bytes, 0);
  EXPECT_EQ(report.kernels[1].stack_bytes, 16);
  EXPECT_EQ(report.kernels[1].spill_store_bytes, 24);
  EXPECT_EQ(report.kernels[1].spill_load_bytes, 32);
}

TEST(ParseReport, SeesComplaintsWhateverTheyAreCalled) {
  const Report report = ParseReport(
      "ptxas info    : (C7510) Potential Performance Loss: wgmma.mma_async instructions are serialized due to "
      "...\n"
      "ptxas warning : (C7508) Potential Performance Loss: 'setmaxnreg' ignored ...\n"
      "ptxas info    : (C7599) something else\n");
  EXPECT_EQ(report.complaints.size(), 2u);
}

TEST(ParseReport, AKernelWithoutFiguresIsNotClean) {
  const Report report = ParseReport("ptxas info    : Compiling entry function 'one' for 'sm_90a'\n");
  ASSERT_EQ(report.kernels.size(), 1u);
  EXPECT_EQ(report.kernels[0].spill_store_bytes, -1);
}

TEST(ParseCubin, AFileThatIsNoCubinHasNoKernels) {
  EXPECT_TRUE(ParseCubin("").empty());
  EXPECT_TRUE(ParseCubin("not an ELF file at all, but long enough to hold the header of one, 64 bytes and more")
                  .empty());
}

// The first two are ptxas 13.0's for sm_90a; the third is another instruction of its with the loop's bit set.
TEST(IsMinimumWithPredicate, TellsItFromOtherMinimaAndOtherInstructions) {
  EXPECT_TRUE(IsMinimumWithPredicate(0x0000005006067848, 0x000fc80003b61100))
      << "VIMNMX.RELU R6, P3, P3, R6, 0x50, PT";
  EXPECT_TRUE(IsMinimumWithPredicate(0x0000004000007848, 0x000fc80003a41100))
      << "VIMNMX.RELU R0, P2, P2, R0, 0x40, PT";
  EXPECT_FALSE(IsMinimumWithPredicate(0x0000005005057848, 0x000fe40003fe1100))
      << "VIMNMX.RELU R5, R5, 0x50, PT";
  EXPECT_FALSE(IsMinimumWithPredicate(0x0000000b1f1f7c48, 0x000fe2000bfe0100)) << "VIMNMX R31, R31, UR11, PT";
  EXPECT_FALSE(IsMinimumWithPredicate(0x0000001c0f0e7248, 0x000fe20003fe0100)) << "VIMNMX R14, R15, R28, PT";
  EXPECT_FALSE(IsMinimumWithPredicate(0x0000005006067847, 0x000fc80003b61100)) << "another opcode";
}

TEST(IsLaneLoop, TellsTheLoopFromOtherBranches) {
  EXPECT_TRUE(IsLaneLoop(0xfffffffd00e42947, 0x002fea000393ffff));   // @P2 BRA.U.ANY, backwards
  EXPECT_FALSE(IsLaneLoop(0x000000cc00988947, 0x000fea0003800000));  // @!P0 BRA
  EXPECT_FALSE(IsLaneLoop(0x00000000003f7886, 0x000fe20001100100));  // VOTEU.ANY, with the bit
}

}  // namespace
}  // namespace gemm::codegen
