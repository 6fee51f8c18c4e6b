// The Hopper rows without a GPU: what they accept, what they refuse and why, what they predict.
#include <gtest/gtest.h>

#include <cmath>
#include <optional>
#include <set>
#include <string>

#include "common/dispatch/device.h"
#include "common/dispatch/kernel.h"
#include "common/problem/problem.h"

namespace gemm {
namespace {

using dispatch::KernelRow;

const dispatch::Device& H200() { return *dispatch::FindKnownDevice("h200"); }

const KernelRow& Row(const std::string& name) {
  const dispatch::KernelTable table = dispatch::HopperKernels();
  for (std::size_t i = 0; i < table.count; ++i) {
    if (name == table.rows[i].name) return table.rows[i];
  }
  ADD_FAILURE() << "no row " << name;
  return table.rows[0];
}

const KernelRow& BF16() { return Row("hopper_bf16_kk_128x256x64_s4_c2x1"); }

// Weights stored [n, k], BF16: what BF16() takes.
Problem Nk(std::int64_t m, std::int64_t n, std::int64_t k) {
  Problem problem;
  problem.m = m;
  problem.n = n;
  problem.k = k;
  problem.b.layout = Layout::kColumnMajor;
  return problem;
}

// The reason, or "" where the row accepts.
std::string Why(const KernelRow& row, const Problem& problem, const dispatch::Device& device = H200()) {
  problem::Normalized normalized;
  const Status status = problem::Normalize(problem, &normalized);
  EXPECT_TRUE(status.ok()) << status.message();
  return row.family->reject(row, normalized, device).value_or("");
}

void ExpectReason(const std::string& why, const std::string& part) {
  EXPECT_NE(why.find(part), std::string::npos) << "got \"" << why << "\", expected something about " << part;
}

TEST(HopperRows, NamesAreUniqueAndTilesFit) {
  const dispatch::KernelTable table = dispatch::HopperKernels();
  std::set<std::string> names;
  for (std::size_t i = 0; i < table.count; ++i) {
    const KernelRow& row = table.rows[i];
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    EXPECT_STREQ(row.name, row.symbol);
    EXPECT_LE(row.shared_bytes, 227 * 1024) << row.name;
    EXPECT_GE(row.shared_bytes, row.stages * (row.tile.m + row.tile.n) * row.tile.k * 2) << row.name;
  }
}

TEST(HopperRows, EveryLayoutOfBothTypesHasARow) {
  const dispatch::KernelTable table = dispatch::HopperKernels();
  std::set<std::string> seen;
  for (std::size_t i = 0; i < table.count; ++i) {
    const KernelRow& row = table.rows[i];
    seen.insert(std::string(Name(row.input_type)) + (row.a_major == problem::Major::kK ? "K" : "M") +
                (row.b_major == problem::Major::kK ? "K" : "N"));
  }
  EXPECT_EQ(seen.size(), 8u);
}

TEST(HopperRows, AcceptsTailsBatchesAndBroadcasts) {
  EXPECT_EQ(Why(BF16(), Nk(8192, 8192, 8192)), "");
  EXPECT_EQ(Why(BF16(), Nk(1, 8, 8)), "");
  Problem tails = Nk(333, 517, 199);
  tails.a.ld = tails.b.ld = 200;
  tails.c.ld = tails.d.ld = 520;
  EXPECT_EQ(Why(BF16(), tails), "");
  Problem batch = Nk(64, 64, 64);
  batch.batch = 3;
  batch.b.batch_stride = 0;
  EXPECT_EQ(Why(BF16(), batch), "");
}

TEST(HopperRows, RefusesOtherDevicesTypesAndLayouts) {
  ExpectReason(Why(BF16(), Nk(64, 64, 64), *dispatch::FindKnownDevice("a100")), "compute capability 9.0");
  dispatch::Device small = H200();
  small.max_shared_bytes_per_block = 100 * 1024;
  ExpectReason(Why(BF16(), Nk(64, 64, 64), small), "shared memory");
  Problem fp16 = Nk(64, 64, 64);
  fp16.a.type = fp16.b.type = DataType::kFP16;
  ExpectReason(Why(BF16(), fp16), "fp16");
  Problem kn = Nk(64, 64, 64);
  kn.b.layout = Layout::kRowMajor;
  ExpectReason(Why(BF16(), kn), "contiguous");
  Problem ieee = Nk(64, 64, 64);
  ieee.compute = ComputeType::kFP32;
  ExpectReason(Why(BF16(), ieee), "tensor cores");
}

TEST(HopperRows, RefusesWhatTmaCannotAddress) {
  ExpectReason(Why(BF16(), Nk(64, 64, 0)), "K = 0");
  ExpectReason(Why(BF16(), Nk(64, 64, 63)), "A's rows");
  Problem b = Nk(64, 64, 64);
  b.b.ld = 65;
  ExpectReason(Why(BF16(), b), "B's rows");
  Problem d = Nk(64, 64, 64);
  d.d.ld = 65;
  ExpectReason(Why(BF16(), d), "D's rows");
  Problem c = Nk(64, 64, 64);
  c.c.ld = 66;
  ExpectReason(Why(BF16(), c), "C's rows");
  Problem layouts = Nk(64, 64, 64);
  layouts.c.layout = Layout::kColumnMajor;
  ExpectReason(Why(BF16(), layouts), "different layouts");
  Problem address = Nk(64, 64, 64);
  address.a.alignment = 8;
  ExpectReason(Why(BF16(), address), "multiples of 8 bytes");
  ExpectReason(Why(BF16(), Nk(std::int64_t{1} << 31, 8, 8)), "coordinate");
  ExpectReason(Why(BF16(), Nk((std::int64_t{1} << 31) - 8192, (std::int64_t{1} << 31) - 8192, 8)), "tiles");
  Problem apart = Nk(64, 64, 64);
  apart.a.ld = std::int64_t{1} << 40;
  ExpectReason(Why(BF16(), apart), "2^40");
}

TEST(HopperRows, EmptyProblemsAreNoTrouble) {
  for (const Problem& empty : {Nk(0, 64, 64), Nk(64, 0, 64)}) {
    problem::Normalized normalized;
    ASSERT_TRUE(problem::Normalize(empty, &normalized).ok());
    const KernelRow& row = BF16();
    if (!row.family->reject(row, normalized, H200())) {
      EXPECT_TRUE(std::isfinite(row.family->predict_us(row, normalized, H200())));
    }
  }
}

TEST(HopperRows, PredictionsAreNearWhatWasMeasured) {
  // H200, 2026-11-21 (docs/perf/hopper.md), microseconds. The model is simple: within a third.
  const struct {
    const char* row;
    std::int64_t m, n, k;
    double us;
  } measured[] = {
      {"hopper_bf16_kk_128x256x64_s4_c2x1", 8192, 8192, 8192, 1630},
      {"hopper_bf16_kk_128x256x64_s4_c2x1", 4096, 4096, 4096, 206},
      {"hopper_bf16_kk_128x192x64_s4_c2x1", 4096, 4096, 4096, 236},
      {"hopper_bf16_kk_128x128x64_s6_c1x1", 2048, 2048, 2048, 27},
      {"hopper_bf16_kk_128x64x64_s8_c1x1", 1024, 1024, 1024, 6.5},
  };
  for (const auto& point : measured) {
    problem::Normalized normalized;
    ASSERT_TRUE(problem::Normalize(Nk(point.m, point.n, point.k), &normalized).ok());
    const KernelRow& row = Row(point.row);
    const double ratio = row.family->predict_us(row, normalized, H200()) / point.us;
    EXPECT_GT(ratio, 0.75) << point.row << " at " << point.m;
    EXPECT_LT(ratio, 1.33) << point.row << " at " << point.m;
  }
}

}  // namespace
}  // namespace gemm
