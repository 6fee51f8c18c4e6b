// The rows that deal B's rows to classes, without a GPU.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "common/dispatch/device.h"
#include "common/dispatch/kernel.h"
#include "common/problem/problem.h"
#include "tests/hopper/backend.h"

namespace gemm {
namespace {

using dispatch::KernelRow;

const KernelRow& Classes() { return Row("hopper_bf16_kk_64x104x64_s10_c1x1_pk_classes"); }
const KernelRow& Transposed() { return Row("hopper_bf16_kk_128x144x64_s6_c1x1_pk_t_classes"); }

std::size_t Workspace(const KernelRow& row, const Problem& problem) {
  problem::Normalized normalized;
  EXPECT_TRUE(problem::Normalize(problem, &normalized).ok());
  EXPECT_EQ(Why(row, problem), "");
  return row.family->workspace_bytes(row, normalized, H200());
}

TEST(ClassRows, BothTypesHaveTheSame) {
  const dispatch::KernelTable table = dispatch::HopperKernels();
  int bf16 = 0, fp16 = 0;
  for (std::size_t i = 0; i < table.count; ++i) {
    const KernelRow& row = table.rows[i];
    if (row.wraps == nullptr || row.name != std::string(row.wraps->name) + "_classes") continue;
    ++(row.input_type == DataType::kBF16 ? bf16 : fp16);
  }
  EXPECT_EQ(bf16, 10);
  EXPECT_EQ(fp16, bf16);
}

TEST(ClassRows, TakeRowsAlongKThatTmaCannotAddress) {
  EXPECT_EQ(Why(Classes(), Nk(64, 4096, 4097)), "");
  EXPECT_EQ(Why(Transposed(), Nk(64, 4096, 4097)), "");
  // More tiles than SMs.
  EXPECT_EQ(Why(Classes(), Nk(512, 28672, 4097)), "");
  ExpectReason(Why(Classes(), Nk(64, 4096, 4096)), "TMA can address B");
  Problem a_alone = Nk(64, 4096, 4096);
  a_alone.a.ld = 4097;
  ExpectReason(Why(Classes(), a_alone), "TMA can address B");
  ExpectReason(Why(Classes(), Kn(64, 4097, 4096)), "contiguous");
  ExpectReason(Why(Classes(), Nk(64, 4096, 0)), "K = 0");
  ExpectReason(Why(Classes(), Nk(64, 4096, 4097), *dispatch::FindKnownDevice("a100")),
               "compute capability 9.0");
  ExpectReason(Why(Classes(), Nk(8, 4096, 4097)), "8 rows");
  EXPECT_EQ(Why(Classes(), Nk(9, 4096, 4097)), "");
  Problem batch = Nk(64, 4096, 4097);
  batch.batch = 2;
  ExpectReason(Why(Classes(), batch), "batches");
}

TEST(ClassRows, RefuseClassesOfUnlikeNumbersOfRows) {
  ExpectReason(Why(Classes(), Nk(64, 4097, 4097)), "no multiple of 8");
  EXPECT_EQ(Why(Classes(), Nk(64, 4100, 4098)), "");  // every fourth row starts alike
  ExpectReason(Why(Classes(), Nk(64, 4098, 4098)), "no multiple of 4");
  EXPECT_EQ(Why(Classes(), Nk(64, 4098, 4100)), "");  // every second one
  ExpectReason(Why(Classes(), Nk(64, 4099, 4100)), "no multiple of 2");
  Problem starts_elsewhere = Nk(64, 4099, 4096);  // all of them
  starts_elsewhere.b.alignment = 2;
  EXPECT_EQ(Why(Classes(), starts_elsewhere), "");
}

TEST(ClassRows, RefuseWhatTmaOrAGridCannotTake) {
  Problem apart = Nk(64, 4096, 4097);
  apart.b.ld = (std::int64_t{1} << 36) + 1;
  ExpectReason(Why(Classes(), apart), "2^40 bytes");
  apart.b.ld = (std::int64_t{1} << 36) - 1;
  EXPECT_EQ(Why(Classes(), apart), "");
  apart.b.ld = (std::int64_t{1} << 36) + 4;  // two classes
  EXPECT_EQ(Why(Classes(), apart), "");
  EXPECT_EQ(Why(Classes(), Nk(1 << 15, 1 << 16, 4097)), "");
  ExpectReason(Why(Classes(), Nk(1 << 16, 1 << 16, 4097)), "65535 tiles");
}

// What the second kernel multiplies of K, by how far apart rows are.
TEST(ClassRows, RefuseKThatNothingIsLeftOf) {
  const struct {
    std::int64_t ld;
    int left;
  } kCases[] = {{65, 8}, {66, 8}, {67, 24}, {68, 4}, {69, 21}, {70, 6}, {71, 7}};
  for (const auto& [ld, left] : kCases) {
    Problem problem = Nk(64, 64, left);
    problem.b.ld = ld;
    ExpectReason(Why(Classes(), problem), "second kernel");
    ++problem.k;
    EXPECT_EQ(Why(Classes(), problem), "") << ld;
    // A matrix that may start anywhere needs seven elements more, however much is promised beyond 16 bytes.
    problem.b.alignment = 2;
    ExpectReason(Why(Classes(), problem), "second kernel");
    problem.k += 7;
    EXPECT_EQ(Why(Classes(), problem), "") << ld;
    problem.k -= 7;
    problem.b.alignment = 256;
    EXPECT_EQ(Why(Classes(), problem), "") << ld;
  }
}

TEST(ClassRows, AskForRoomForTheCopiesAndTheSums) {
  // Eight copies of 64 rows of 4089 elements, 4096 apart, and 8 x 5 tiles in three parts.
  EXPECT_EQ(Workspace(Classes(), Nk(64, 4096, 4097)), 8u * 64 * 4096 * 2 + 8u * 5 * 3 * 64 * 104 * 4);
  // Four copies, 4 x 27 tiles in one part.
  EXPECT_EQ(Workspace(Classes(), Nk(64, 11008, 4098)), 4u * 64 * 4096 * 2 + 4u * 27 * 64 * 104 * 4);
  // More tiles than SMs: eight rounds.
  EXPECT_EQ(Workspace(Classes(), Nk(256, 28672, 4097)), 8u * 256 * 4096 * 2 + 8u * 4 * 35 * 64 * 104 * 4);
}

TEST(ClassRows, CostMoreThanAlignedRows) {
  const double aligned = Predict("hopper_bf16_kk_128x88x64_s7_c1x1", Nk(64, 11008, 4096));
  const double classes = Predict(Classes().name, Nk(64, 11008, 4098));
  EXPECT_GT(classes, aligned + 4);
  EXPECT_LT(classes, aligned + 12);
  // The second kernel has 24 elements of K to multiply for eight.
  EXPECT_GT(Predict(Classes().name, Nk(64, 8192, 4099)), Predict(Classes().name, Nk(64, 8192, 4097)) + 1);
}

}  // namespace
}  // namespace gemm
