// The rows that copy operands for TMA first, without a GPU.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

#include "common/dispatch/device.h"
#include "common/dispatch/kernel.h"
#include "common/problem/problem.h"
#include "tests/hopper/backend.h"

namespace gemm {
namespace {

using dispatch::KernelRow;

std::size_t Workspace(const KernelRow& row, const Problem& problem) {
  problem::Normalized normalized;
  EXPECT_TRUE(problem::Normalize(problem, &normalized).ok());
  return row.family->workspace_bytes(row, normalized, H200());
}

const KernelRow& PackedBF16() { return Row("hopper_bf16_kk_128x256x64_s4_c2x1_packed"); }

TEST(PackedRows, EveryLayoutOfBothTypesHasTwo) {
  const dispatch::KernelTable table = dispatch::HopperKernels();
  std::map<std::string, int> seen;
  for (std::size_t i = 0; i < table.count; ++i) {
    const KernelRow& row = table.rows[i];
    if (row.wraps == nullptr || row.name != std::string(row.wraps->name) + "_packed") continue;
    EXPECT_STREQ(row.wraps->name, row.symbol);
    ++seen[std::string(Name(row.input_type)) + (row.a_major == problem::Major::kK ? "K" : "M") +
           (row.b_major == problem::Major::kK ? "K" : "N")];
  }
  EXPECT_EQ(seen.size(), 8u);
  for (const auto& [layout, count] : seen) EXPECT_GE(count, 2) << layout;
}

TEST(PackedRows, TakeWhatTheWrappedRowWouldTakeAlignedAndNothingElse) {
  ExpectReason(Why(PackedBF16(), Nk(64, 64, 64)), "nothing to pack");
  EXPECT_EQ(Why(PackedBF16(), Nk(64, 64, 63)), "");
  Problem address = Nk(64, 64, 64);
  address.b.alignment = 2;
  EXPECT_EQ(Why(PackedBF16(), address), "");
  address.b.layout = Layout::kRowMajor;
  ExpectReason(Why(PackedBF16(), address), "contiguous");
  ExpectReason(Why(PackedBF16(), Nk(64, 64, 63), *dispatch::FindKnownDevice("a100")), "compute capability 9.0");
  ExpectReason(Why(PackedBF16(), Nk(64, 64, 0)), "K = 0");
  Problem apart = Nk(64, 64, 64);
  apart.a.ld = std::int64_t{1} << 40;
  EXPECT_EQ(Why(PackedBF16(), apart), "");
  ExpectReason(Why(PackedBF16(), Nk(std::int64_t{1} << 29, 8, 1025)), "2^40 bytes");
}

TEST(PackedRows, AskForRoomForWhatIsPacked) {
  // Rows of 64 elements; both operands, then one.
  EXPECT_EQ(Workspace(PackedBF16(), Nk(4, 6, 63)), 4u * 128 + 6 * 128);
  EXPECT_EQ(Workspace(PackedBF16(), Nk(4, 5, 65)), 4u * 256 + 5 * 256);
  Problem one = Nk(4, 5, 64);
  one.a.ld = 65;
  EXPECT_EQ(Workspace(PackedBF16(), one), 4u * 128);
  // A matrix for the whole batch is packed once.
  Problem batch = Nk(4, 6, 63);
  batch.batch = 3;
  EXPECT_EQ(Workspace(PackedBF16(), batch), 3u * (4 * 128 + 6 * 128));
  batch.b.batch_stride = 0;
  EXPECT_EQ(Workspace(PackedBF16(), batch), 3u * 4 * 128 + 6 * 128);
  // 4 x 3 rows of an odd batch stride are whole lines again.
  batch.a.batch_stride = 1001;
  EXPECT_EQ(Workspace(PackedBF16(), batch), 3u * 4 * 128 + 6 * 128);
}

TEST(PackedRows, CostMoreThanTheWrappedRow) {
  const double packed = Predict(PackedBF16().name, Nk(4096, 4096, 4095));
  const double plain = Predict(BF16().name, Nk(4096, 4096, 4096));
  // 134 MB at 4 TB/s.
  EXPECT_GT(packed, plain + 30);
  EXPECT_LT(packed, plain + 45);
}

}  // namespace
}  // namespace gemm
