// The rows for few rows times a matrix that lies by columns on the host: what they accept, why they refuse, what is predicted of them, their
// workspace and where they are chosen.
#include <algorithm>
#include <climits>
#include <cstdint>
#include <string>

#include "common/dispatch/device.h"
#include "common/dispatch/kernel.h"
#include "common/dispatch/registry.h"
#include "common/dispatch/select.h"
#include "common/problem/problem.h"
#include "gtest/gtest.h"

namespace gemm::ampere::few {
namespace {

using dispatch::Device;
using dispatch::KernelRow;

const Device& H200() { return *dispatch::FindKnownDevice("h200"); }

const KernelRow& Find(const char* name) {
  const KernelRow* row = dispatch::FindRow(dispatch::Registry(), name);
  EXPECT_NE(row, nullptr);
  return row != nullptr ? *row : *dispatch::Registry().front();
}

const KernelRow& Row() { return Find("ampere_bf16_kn_few_8x128x128_s3_any"); }
const KernelRow& SplitRow() { return Find("ampere_bf16_kn_few_8x128x128_s3_any_split"); }

// B stored [k, n], of rows that start anywhere.
problem::Normalized Kn(std::int64_t m, std::int64_t n, std::int64_t k, int alignment = 2) {
  Problem p;
  p.m = m, p.n = n, p.k = k;
  p.a.type = p.b.type = DataType::kBF16;
  p.a.alignment = p.b.alignment = alignment;
  problem::Normalized out;
  EXPECT_TRUE(problem::Normalize(p, &out).ok());
  return out;
}

std::string Why(const problem::Normalized& p, const Device& device = H200()) {
  return Row().family->reject(Row(), p, device).value_or("");
}

double PredictedOf(const KernelRow& row, const problem::Normalized& p) {
  return row.family->predict_us(row, p, H200());
}
double Predicted(const problem::Normalized& p) { return PredictedOf(Row(), p); }
// Of the row that takes less, where K is not split too.
double LeastPredicted(const problem::Normalized& p) {
  return std::min(Predicted(p), PredictedOf(SplitRow(), p));
}

std::size_t Workspace(const problem::Normalized& p) {
  EXPECT_EQ(Row().family->workspace_bytes(Row(), p, H200()), 0u);
  return SplitRow().family->workspace_bytes(SplitRow(), p, H200());
}

std::string Chosen(const problem::Normalized& p, const dispatch::SelectOptions& options = {}) {
  dispatch::Selection selection;
  EXPECT_TRUE(dispatch::Select(dispatch::Registry(), p, H200(), options, &selection).ok());
  return selection.candidates[selection.index].row->name;
}

TEST(FewColumns, RefusalsSayWhy) {
  EXPECT_EQ(Why(Kn(1, 4097, 4096)), "");
  EXPECT_EQ(Why(Kn(8, 4096, 4095)), "");
  EXPECT_EQ(Why(Kn(8, 4097, 0)), "K = 0 leaves nothing to multiply");
  EXPECT_EQ(Why(Kn(8, 4096, 4096, 8)), "");
  EXPECT_EQ(Why(Kn(8, 4096, 4096, 16)), "A and B are aligned to 16 bytes, which other kernels ask for");
  EXPECT_EQ(Why(Kn(9, 4097, 4096)), "M and N, 9 and 4097, are both above 8");
  EXPECT_EQ(Why(Kn(4097, 8, 4096)), "A is K-major");
  EXPECT_EQ(Why(Kn(1, 1, std::int64_t{1} << 31)), "M, N or K is above 2147418111");
  problem::Normalized p = Kn(1, 4097, 4096);
  p.b.major = problem::Major::kK;
  EXPECT_EQ(Why(p), "B is K-major");
  p = Kn(4097, 8, 4096);
  p.a.major = problem::Major::kMN;
  EXPECT_EQ(Why(p), "");
  p.b.major = problem::Major::kK;
  EXPECT_EQ(Why(p), "");
  p = Kn(1, 4097, 4096);
  p.input_type = DataType::kFP16;
  EXPECT_EQ(Why(p), "A and B are fp16, not bf16");
  p = Kn(1, 4097, 4096);
  p.batch = 65536;
  EXPECT_EQ(Why(p), "the batch, 65536, is above 65535");
  p = Kn(1, 4097, 4096);
  p.batch_invariant = true;
  EXPECT_EQ(Why(p), "other numbers of rows go to kernels that sum K in another order");
  p = Kn(1, 4097, 4096);
  p.compute = ComputeType::kFP32;
  EXPECT_EQ(Why(p), "the compute type is fp32, not tensor");
  EXPECT_EQ(
      Why(Kn(1, 9, 9), *dispatch::FindKnownDevice("rtx4090")),
      "it needs " + std::to_string(Row().shared_bytes) + " bytes of shared memory, the device has 101376");
  EXPECT_EQ(Why(Kn(1, 9, 9), *dispatch::FindKnownDevice("a100")), "");
}

// H200, BF16, 2026-11-30 (docs/perf/unaligned.md), the best number of parts of each.
TEST(FewColumns, PredictionsAreNearTheMeasurements) {
  const struct {
    std::int64_t m, n, k;
    double us;
  } measured[] = {
      {1, 4097, 4096, 14.0},  {8, 4097, 4096, 15.4},  {1, 11007, 4095, 27.6}, {8, 11007, 4095, 29.3},
      {1, 5118, 2048, 10.6},  {8, 5118, 2048, 11.9},  {1, 4100, 14336, 35.4}, {8, 4100, 14336, 37.3},
      {1, 50257, 768, 25.6},  {8, 50257, 768, 29.4},  {1, 1001, 1000, 6.9},   {8, 1001, 1000, 7.8},
      {2, 1281, 8192, 13.3},  {8, 2049, 7168, 15.2},  {1, 28673, 4096, 65.4}, {6, 28673, 4096, 69.5},
      {1, 301, 12000, 14.2},  {5, 513, 3000, 9.7},    {4, 7170, 2048, 13.1},  {8, 24578, 1536, 27.1},
      {8, 14337, 4095, 35.1}, {2, 151937, 896, 77.1}, {5, 18945, 3584, 45.8}};
  for (const auto& m : measured) {
    EXPECT_NEAR(LeastPredicted(Kn(m.m, m.n, m.k)) / m.us, 1, 0.13) << m.m << 'x' << m.n << 'x' << m.k;
  }
}

TEST(FewColumns, KIsCutWhereColumnsAreFew) {
  EXPECT_EQ(Workspace(Kn(1, 11007, 4095)), 0u);
  EXPECT_EQ(Workspace(Kn(8, 50257, 768)), 0u);
  // Three parts of 35 tiles of 120 columns, of which 128 are kept, and a counter for each tile.
  EXPECT_EQ(Workspace(Kn(1, 4097, 4096)), 3u * 35 * 128 * 4 + 35 * 8);
  EXPECT_EQ(Workspace(Kn(8, 4097, 4096)), 3u * 35 * 8 * 128 * 4 + 35 * 8);
  problem::Normalized batched = Kn(1, 301, 12000);
  const std::size_t one = Workspace(batched);
  EXPECT_GT(one, 0u);
  batched.batch = 1000;
  EXPECT_EQ(Workspace(batched), 0u);
  EXPECT_EQ(SplitRow().family->reject(SplitRow(), batched, H200()), "K in one part is as fast");
  EXPECT_EQ(SplitRow().family->reject(SplitRow(), Kn(1, 4097, 4096), H200()), std::nullopt);
  EXPECT_LT(PredictedOf(SplitRow(), Kn(1, 4097, 4096)), Predicted(Kn(1, 4097, 4096)));
}

TEST(FewColumns, TilesOfRowsThatStartAlikeHaveAllTheirColumns) {
  problem::Normalized p = Kn(8, 128 * 132, 4096, 16);
  p.a.alignment = 2;
  EXPECT_LT(Predicted(p), 0.9 * Predicted(Kn(8, 128 * 132, 4096)));
}

TEST(FewColumns, AreChosenWhereTheyAreFaster) {
  for (std::int64_t m : {1, 4, 8}) EXPECT_EQ(Chosen(Kn(m, 11007, 4095)), Row().name) << m;
  EXPECT_EQ(Chosen(Kn(1, 4097, 4096)), SplitRow().name);
  dispatch::SelectOptions without_workspace;
  without_workspace.max_workspace = 0;
  EXPECT_EQ(Chosen(Kn(1, 4097, 4096), without_workspace), Row().name);
  problem::Normalized transposed = Kn(11007, 4, 4095);
  transposed.a.major = problem::Major::kMN;
  EXPECT_EQ(Chosen(transposed), Row().name);
  // 6.2 us for 7.8, and 9.4 for 14.2 (H200, 2026-11-30).
  EXPECT_EQ(Chosen(Kn(8, 1001, 1000)), "hopper_bf16_kn_64x128x64_s4_pk_anywhere");
  EXPECT_EQ(Chosen(Kn(1, 301, 12000)), "hopper_bf16_kn_64x128x64_s4_pk_anywhere");
  EXPECT_EQ(Chosen(Kn(8, 4096, 4096, 16)), "ampere_bf16_kn_few_8x32x64_s2");
}

TEST(FewColumns, PredictionsOfExtremesArePositive) {
  EXPECT_GT(Predicted(Kn(1, 9, 1)), 0);
  problem::Normalized batch = Kn(1, 4097, 16384);
  const double one = LeastPredicted(batch);
  batch.batch = 1000;
  EXPECT_GT(LeastPredicted(batch), 500 * one);
}

}  // namespace
}  // namespace gemm::ampere::few
