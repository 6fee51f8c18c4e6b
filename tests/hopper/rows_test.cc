// The tiled Hopper rows without a GPU: what they accept, and what they refuse and why.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>

#include "common/dispatch/device.h"
#include "common/dispatch/kernel.h"
#include "common/problem/problem.h"
#include "hopper/schedule.h"
#include "tests/hopper/backend.h"

namespace gemm {
namespace {

using dispatch::KernelRow;

TEST(HopperRows, NamesAreUniqueAndTilesFit) {
  const dispatch::KernelTable table = dispatch::HopperKernels();
  std::set<std::string> names;
  for (std::size_t i = 0; i < table.count; ++i) {
    const KernelRow& row = table.rows[i];
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    if (row.wraps != nullptr) {
      const std::string wrapped = row.wraps->name;
      EXPECT_TRUE(row.name == wrapped + "_packed" || row.name == wrapped + "_classes") << row.name;
      EXPECT_STREQ(row.wraps->symbol, row.symbol) << row.name;
      EXPECT_EQ(row.wraps->wraps, nullptr) << row.name;
    }
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

TEST(HopperRows, AcceptsCAndDOfAnyAlignment) {
  Problem problem = Nk(64, 63, 64);
  EXPECT_EQ(Why(BF16(), problem), "");
  problem.c.alignment = problem.d.alignment = 2;
  problem.d.ld = std::int64_t{1} << 40;
  EXPECT_EQ(Why(BF16(), problem), "");
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

// The kernel has the problem's B for A: M of the one and N of the other are contiguous.
TEST(HopperRows, TransposesOfColumnMajorKernelsAreForBStoredKn) {
  const KernelRow& row = Row("hopper_bf16_mk_128x96x64_s7_c1x1_t");
  EXPECT_STREQ(row.symbol, "hopper_bf16_mk_128x96x64_s7_c1x1");
  EXPECT_EQ(Why(row, Kn(96, 4096, 4096)), "");
  EXPECT_EQ(Why(row, Kn(1, 8, 8)), "");
  ExpectReason(Why(row, Nk(96, 4096, 4096)), "B with N contiguous");
  Problem columns = Nk(4096, 96, 4096);
  columns.a.layout = Layout::kColumnMajor;
  ExpectReason(Why(row, columns), "A with K and B with N contiguous");
  EXPECT_EQ(Why(Row(row.symbol), columns), "");
}

// Where C is known to be read.
std::string WhyWithC(const std::string& row, const Problem& problem) {
  problem::Normalized normalized;
  EXPECT_TRUE(problem::Normalize(problem, &normalized).ok());
  normalized.reads_c = true;
  return Row(row).family->reject(Row(row), normalized, H200()).value_or("");
}

TEST(HopperRows, TransposesAreNoChoiceForACThatDoesNotComeInPanels) {
  const std::string kernel = "hopper_bf16_kk_128x128x64_s6_c1x1";
  const std::string transpose = kernel + "_t";
  const std::string reason = "an element at a time";
  const Problem good = Nk(512, 4096, 4096);
  EXPECT_EQ(WhyWithC(transpose, good), "");
  Problem fp32 = good;
  fp32.c.type = fp32.d.type = DataType::kFP32;
  Problem fp16 = good;
  fp16.c.type = fp16.d.type = DataType::kFP16;
  EXPECT_EQ(WhyWithC(transpose, fp16), "");
  Problem c_alignment = good;
  c_alignment.c.alignment = 8;
  Problem c_ld = good;
  c_ld.c.ld = 4100;
  for (const Problem& problem : {fp32, c_alignment, c_ld, Nk(512, 4100, 4096)}) {
    ExpectReason(WhyWithC(transpose, problem), reason);
    EXPECT_EQ(WhyWithC(kernel, problem), "");
    EXPECT_EQ(Why(Row(transpose), problem), "");
  }
  ExpectReason(WhyWithC("hopper_bf16_kk_64x112x64_s9_c2x1_ck_t", Nk(112, 1024, 8192)), reason);
  EXPECT_EQ(WhyWithC("hopper_bf16_kk_64x80x64_s12_c2x2_pk_t", Nk(100, 75, 25384)), "");
}

TEST(HopperRows, ClustersOfTwoByTwoTakeACtaBeyondBothEdges) {
  for (const char* name : {"hopper_bf16_kk_64x64x64_s12_c2x2", "hopper_bf16_kk_128x80x64_s8_c2x2_sk"}) {
    const KernelRow& row = Row(name);
    const int tile_m = row.tile.m;
    const int tile_n = row.tile.n;
    EXPECT_EQ(Why(row, Nk(2 * tile_m + 1, 2 * tile_n + 1, 8192)), "") << name;
    EXPECT_EQ(Why(row, Nk(1, 1, 8192)), "") << name;
    EXPECT_EQ(Why(row, Nk(tile_m + 1, tile_n, 8192)), "") << name;  // two tiles of rows, one of columns
    EXPECT_EQ(Why(row, Nk(tile_m, tile_n + 1, 8192)), "") << name;
    EXPECT_EQ(Why(row, Nk(4 * tile_m, 4 * tile_n, 8192)), "") << name;
  }
  EXPECT_EQ(Why(Row("hopper_bf16_kk_64x64x64_s12_c1x4"), Nk(1, 1, 8192)), "");
}

TEST(HopperRows, AKernelThatTakesItsClusterFromTheLaunchHasARowForEach) {
  const KernelRow& along_n = Row("hopper_bf16_kk_128x104x64_s7_c1x4");
  const KernelRow& pairs = Row("hopper_bf16_kk_128x104x64_s7_c1x2_t");
  const KernelRow& along_m = Row("hopper_bf16_kk_128x104x64_s7_c4x1_t");
  const KernelRow& alone = Row("hopper_bf16_kk_128x104x64_s7_c1x1");  // a kernel of its own
  for (const KernelRow* row : {&along_n, &pairs, &along_m}) {
    EXPECT_STREQ(row->symbol, "hopper_bf16_kk_128x104x64_s7_any");
  }
  EXPECT_STREQ(alone.symbol, "hopper_bf16_kk_128x104x64_s7_c1x1");
  EXPECT_EQ(along_n.cluster_m, 1);
  EXPECT_EQ(along_n.cluster_n, 4);
  EXPECT_EQ(along_m.cluster_m, 4);
  EXPECT_EQ(along_m.cluster_n, 1);
  EXPECT_EQ(pairs.variant, along_m.variant);
  EXPECT_NE(along_n.variant, along_m.variant);
  EXPECT_STREQ(Row("hopper_fp16_kk_128x104x64_s7_c1x4").symbol, "hopper_fp16_kk_128x104x64_s7_any");
  // Of a kernel whose A is M-major, for B stored [k, n] too.
  EXPECT_STREQ(Row("hopper_bf16_mk_128x144x64_s6_c4x1").symbol, "hopper_bf16_mk_128x144x64_s6_any");
  EXPECT_STREQ(Row("hopper_bf16_mk_128x176x64_s5_c1x2_pp_t").symbol, "hopper_bf16_mk_128x176x64_s5_any_pp");
  // And of one that loads B stored [k, n] as it lies.
  EXPECT_STREQ(Row("hopper_bf16_kn_128x192x64_s4_c2x1_pp").symbol, "hopper_bf16_kn_128x192x64_s4_any_pp");
}

// Beside what the epilogue has its chunks in; stages of an N-major B are whole boxes.
TEST(HopperRows, RingsAreAsLargeAsTheHostReckons) {
  constexpr int kBarriers = 1024;
  int rows = 0;
  int in_boxes = 0;
  const dispatch::KernelTable table = dispatch::HopperKernels();
  for (std::size_t i = 0; i < table.count; ++i) {
    const KernelRow& row = table.rows[i];
    const bool is_skinny = std::string(row.name).find("_swap_") != std::string::npos;
    if (is_skinny || row.wraps != nullptr || hopper::StartsAnywhere(row)) continue;
    const int chunks = hopper::BuffersBeside(row) * hopper::ConsumerWarps(row) * hopper::kChunkBytes;
    const int bytes = hopper::RingBytes(row) + (hopper::IsParallelSplitK(row) ? 0 : chunks);
    EXPECT_GT(row.shared_bytes, bytes) << row.name;
    EXPECT_LE(row.shared_bytes, bytes + kBarriers) << row.name;
    ++rows;
    const bool b_in_boxes = row.b_major == problem::Major::kMN && !hopper::IsTransposed(row);
    if (b_in_boxes && row.tile.n % 64 != 0) ++in_boxes;
  }
  EXPECT_GT(rows, 300);
  EXPECT_GT(in_boxes, 5);
}

TEST(HopperRows, ParallelSplitKTakesFewTilesWithLongKAndRoomForAllTheirParts) {
  const std::string name = "hopper_bf16_kk_64x80x64_s12_c2x2_pk";
  const KernelRow& row = Row(name);
  const auto workspace = [&](std::int64_t m, std::int64_t n, std::int64_t k) {
    problem::Normalized normalized;
    EXPECT_TRUE(problem::Normalize(Nk(m, n, k), &normalized).ok());
    return row.family->workspace_bytes(row, normalized, H200());
  };
  const std::size_t of_cluster = std::size_t{4} * 4 * 64 * 80;  // four CTAs, FP32
  EXPECT_EQ(Why(row, Nk(75, 100, 25384)), "");
  EXPECT_EQ(workspace(75, 100, 25384) % of_cluster, 0u);
  EXPECT_GE(workspace(75, 100, 25384), 8 * of_cluster) << "one tile of a cluster";
  EXPECT_LE(workspace(75, 100, 25384), 30 * of_cluster) << "that run at once";
  EXPECT_EQ(workspace(75, 100, 128), 2 * of_cluster) << "two K steps";
  EXPECT_NE(Why(row, Nk(75, 100, 64)).find("K is too short"), std::string::npos);
  EXPECT_NE(Why(row, Nk(2048, 2048, 4096)).find("too few SMs idle"), std::string::npos);
  EXPECT_FALSE(row.family->is_persistent) << "the second kernel has a CTA for each piece of D";
  problem::Normalized normalized;
  ASSERT_TRUE(problem::Normalize(Nk(75, 100, 25384), &normalized).ok());
  normalized.batch_invariant = true;
  EXPECT_TRUE(row.family->reject(row, normalized, H200()).has_value());
  // The transpose computes the same parts of the transposed product.
  const KernelRow& transpose = Row(name + "_t");
  EXPECT_STREQ(transpose.symbol, row.symbol);
  problem::Normalized turned;
  ASSERT_TRUE(problem::Normalize(Nk(100, 75, 25384), &turned).ok());
  EXPECT_EQ(transpose.family->workspace_bytes(transpose, turned, H200()), workspace(75, 100, 25384));
}

TEST(HopperRows, AnEpilogueInTheRingsPlaceLeavesEachCtaOneTile) {
  const KernelRow& alone = Row("hopper_bf16_kk_192x144x64_s5_c1x1");
  EXPECT_EQ(Why(alone, Nk(192, 132 * 144, 512)), "");
  ExpectReason(Why(alone, Nk(192, 132 * 144 + 1, 512)),
               "compute one tile each, 132 clusters of them at once, and D has 133");
  Problem batch = Nk(192, 144, 512);
  batch.batch = 133;
  batch.a.batch_stride = 192 * 512;
  batch.b.batch_stride = 144 * 512;
  batch.d.batch_stride = 192 * 144;
  ExpectReason(Why(alone, batch), "compute one tile each");
  dispatch::Device half = H200();
  half.sm_count = 66;  // a plan's SM budget
  ExpectReason(Why(alone, Nk(192, 132 * 144, 512), half), "compute one tile each");
  const KernelRow& transposed = Row("hopper_bf16_kk_192x88x64_s6_c1x2_t");  // 192 of N by 2 x 88 of M
  EXPECT_EQ(Why(transposed, Nk(176, 66 * 192, 512)), "");
  ExpectReason(Why(transposed, Nk(177, 66 * 192, 512)), "compute one tile each");
  EXPECT_EQ(Why(Row("hopper_bf16_kk_192x144x64_s4_c1x1"), Nk(192, 133 * 144, 512)), "");
}

}  // namespace
}  // namespace gemm
