// The Hopper rows without a GPU: what they accept, what they refuse and why, what they predict.
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "common/dispatch/cost_model.h"
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

// The same stored [k, n].
Problem Kn(std::int64_t m, std::int64_t n, std::int64_t k) {
  Problem problem = Nk(m, n, k);
  problem.b.layout = Layout::kRowMajor;
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
    EXPECT_EQ(row.wraps == nullptr ? row.name : std::string(row.symbol) + "_packed", row.name);
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
    if (row.wraps == nullptr) continue;
    EXPECT_STREQ(row.wraps->name, row.symbol);
    EXPECT_EQ(row.wraps->wraps, nullptr);
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
  const Problem odd = Nk(4096, 4096, 4095);
  problem::Normalized normalized;
  ASSERT_TRUE(problem::Normalize(odd, &normalized).ok());
  problem::Normalized aligned;
  ASSERT_TRUE(problem::Normalize(Nk(4096, 4096, 4096), &aligned).ok());
  const double packed = PackedBF16().family->predict_us(PackedBF16(), normalized, H200());
  const double plain = BF16().family->predict_us(BF16(), aligned, H200());
  // 134 MB at 4 TB/s.
  EXPECT_GT(packed, plain + 30);
  EXPECT_LT(packed, plain + 45);
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

TEST(HopperRows, ClustersOfTwoByTwoTakeACtaBeyondBothEdges) {
  for (const char* name : {"hopper_bf16_kk_64x64x64_s12_c2x2", "hopper_bf16_kk_64x96x64_s10_c2x2_sk"}) {
    const KernelRow& row = Row(name);
    const int tile_n = row.tile.n;
    EXPECT_EQ(Why(row, Nk(65 + 64, 2 * tile_n + 1, 8192)), "") << name;
    EXPECT_EQ(Why(row, Nk(1, 1, 8192)), "") << name;
    EXPECT_EQ(Why(row, Nk(65, tile_n, 8192)), "") << name;  // two tiles of rows, one of columns
    EXPECT_EQ(Why(row, Nk(64, tile_n + 1, 8192)), "") << name;
    EXPECT_EQ(Why(row, Nk(256, 4 * tile_n, 8192)), "") << name;
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

TEST(HopperRows, OnlyABoxOverTheEdgeMakesFewerRowsSlower) {
  const auto predict = [](const char* name, std::int64_t m, Layout a = Layout::kRowMajor) {
    Problem problem = Nk(m, 8192, 8192);
    problem.a.layout = a;
    problem::Normalized normalized;
    EXPECT_TRUE(problem::Normalize(problem, &normalized).ok());
    return Row(name).family->predict_us(Row(name), normalized, H200());
  };
  const char* const whole = "hopper_bf16_kk_128x128x64_s6_c1x1";
  EXPECT_LE(predict(whole, 64), predict(whole, 128));
  EXPECT_LE(predict(whole, 100), predict(whole, 128));
  const char* const halves = "hopper_bf16_kk_256x128x64_s4_c1x2";
  EXPECT_LE(predict(halves, 100), predict(halves, 256));
  EXPECT_LE(predict(halves, 136), predict(halves, 256));
  // But boxes of an A with contiguous M have 64 rows, and the second one hangs over.
  const char* const columns = "hopper_bf16_mk_128x128x64_s6_c1x1";
  EXPECT_GT(predict(columns, 104, Layout::kColumnMajor), 1.1 * predict(columns, 128, Layout::kColumnMajor));
}

TEST(HopperRows, ARoundHasAsManyClustersAsFitTheGpcs) {
  // 66 clusters of 2, and not 33 but 30 of 4, are resident on an H200: one more is a second round.
  const auto predict = [](int cluster_n, std::int64_t clusters) {
    KernelRow row = Row("hopper_bf16_kk_128x128x64_s6_c1x1");
    row.cluster_m = 2;
    row.cluster_n = cluster_n;
    problem::Normalized normalized;
    EXPECT_TRUE(problem::Normalize(Nk(256, 128 * cluster_n * clusters, 4096), &normalized).ok());
    return row.family->predict_us(row, normalized, H200());
  };
  EXPECT_LT(predict(1, 66), 1.1 * predict(1, 60));
  EXPECT_GT(predict(1, 67), 1.5 * predict(1, 66));
  EXPECT_LT(predict(2, 30), 1.1 * predict(2, 28));
  EXPECT_GT(predict(2, 31), 1.5 * predict(2, 30));
}

TEST(HopperRows, PredictionsAreNearWhatWasMeasured) {
  // H200, 2026-11-21 to -23 (docs/perf/hopper/), microseconds. The model is simple: within a third.
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
      // Rows that start at multiples of 16 and of 32 bytes: a pair asks for half of what it shares.
      {"hopper_bf16_kk_128x256x64_s4_c2x1", 2048, 2048, 4104, 51.9},
      {"hopper_bf16_kk_128x128x64_s6_c1x1", 2048, 2048, 4104, 87.0},
      {"hopper_bf16_kk_128x128x64_s6_c2x1", 2048, 2048, 4104, 61.1},
      {"hopper_bf16_kk_128x64x64_s8_c1x1", 2048, 2048, 4104, 121.5},
      {"hopper_bf16_kk_128x64x64_s8_c1x1", 2048, 2048, 4112, 84.4},
      // Tiles of 192 rows or 144 columns.
      {"hopper_bf16_kk_192x112x64_s5_c1x2", 192, 28672, 4096, 76.5},
      {"hopper_bf16_kk_64x144x64_s8_c1x1", 160, 6144, 2560, 13.0},
      {"hopper_bf16_kk_128x144x64_s6_c1x1_pp", 16352, 280, 2512, 43.6},
      // Tiles of 64 rows that read the same columns.
      {"hopper_bf16_kk_64x128x64_s8_c1x1", 256, 4096, 14336, 49.5},
      {"hopper_bf16_kk_64x144x64_s8_c1x1", 320, 27648, 5120, 162.6},
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

TEST(HopperRows, ManyRoundsOfTilesThatReadTheSameColumnsTakeLongerOnAnH100) {
  problem::Normalized normalized;
  ASSERT_TRUE(problem::Normalize(Nk(320, 27648, 5120), &normalized).ok());
  const KernelRow& row = Row("hopper_bf16_kk_64x144x64_s8_c1x1");
  const double on_h200 = row.family->predict_us(row, normalized, H200());
  const double on_h100 = row.family->predict_us(row, normalized, *dispatch::FindKnownDevice("h100"));
  EXPECT_NEAR(on_h200, 162.6, 0.1 * 162.6);  // as measured, 2026-11-23
  EXPECT_NEAR(on_h100, 211.7, 0.2 * 211.7);
}

TEST(HopperRows, RoundsOfCtasWithoutClustersArePredictedAsMeasuredOnAnH100) {
  // 2026-11-25, microseconds, medians of three runs or of three bursts (docs/perf/hopper/alone.md), and the row that was the choice before,
  // whose time in the same runs is longer. 160x6912x5120: 2026-11-26, docs/perf/calibrate/2026-11-26-h100-mixed1-bf16.json, and a row that
  // takes 6% longer there.
  const struct {
    const char* row;
    std::int64_t m, n, k;
    double us;
    const char* before;
  } measured[] = {
      {"hopper_bf16_kk_128x80x64_s8_c1x1", 1024, 1280, 8192, 31.6, "hopper_bf16_kk_swap_128x80x64_s6"},
      {"hopper_bf16_kk_128x80x64_s8_c1x1_t", 160, 6912, 5120, 30.2, "hopper_bf16_kk_64x80x64_s11_c1x1"},
      {"hopper_bf16_kk_64x112x64_s9_c1x1", 512, 1792, 7168, 21.3, "hopper_bf16_kk_64x128x64_s8_c1x1"},
      {"hopper_bf16_kk_64x144x64_s8_c1x1_t", 288, 4096, 4096, 18.2, "hopper_bf16_kk_swap_128x80x64_s6"},
      {"hopper_bf16_kk_128x224x64_s4_c1x1", 512, 7168, 2048, 24.6, "hopper_bf16_kk_128x224x64_s4_c2x1"},
      {"hopper_bf16_kk_64x96x64_s9_c1x1_sk", 256, 1280, 5120, 11.7, "hopper_bf16_kk_64x160x64_s7_c2x1_ck"},
      {"hopper_bf16_kk_128x144x64_s6_c1x1_pp_t", 276, 15360, 5120, 74.6, "hopper_bf16_kk_swap_192x96x64_s5"},
  };
  const dispatch::Device& h100 = *dispatch::FindKnownDevice("h100");
  const auto predict = [&](const char* name, const problem::Normalized& problem) {
    return Row(name).family->predict_us(Row(name), problem, h100);
  };
  for (const auto& point : measured) {
    problem::Normalized normalized;
    ASSERT_TRUE(problem::Normalize(Nk(point.m, point.n, point.k), &normalized).ok());
    const double us = predict(point.row, normalized);
    EXPECT_NEAR(us, point.us, 0.2 * point.us) << point.row;
    EXPECT_LT(us, predict(point.before, normalized)) << point.row;
  }
}

double Predict(const std::string& row, const Problem& problem, const dispatch::Device& device = H200()) {
  problem::Normalized normalized;
  EXPECT_TRUE(problem::Normalize(problem, &normalized).ok());
  return Row(row).family->predict_us(Row(row), normalized, device);
}

// Without the correction.
double ByTheModel(const std::string& name, const Problem& problem) {
  problem::Normalized normalized;
  EXPECT_TRUE(problem::Normalize(problem, &normalized).ok());
  const dispatch::CostModel& model = *Row(name).family->model;
  std::vector<double> constants(model.count);
  model.get(H200(), constants.data());
  return model.predict_us(Row(name), normalized, H200(), constants.data());
}

TEST(HopperRows, ATransposesStoresCostLittleBesideALongKOnAnH100) {
  // Of 80 products of more than 25 us the transpose takes 0.999 of the time in the mean (H100s, 2026-11-25), of single ones 0.9 to 1.1
  // (docs/perf/calibrate), of which the correction knows a part.
  const dispatch::Device& h100 = *dispatch::FindKnownDevice("h100");
  const std::string row = "hopper_bf16_kk_128x144x64_s6_c1x1_pp";
  const Problem products[] = {Nk(1024, 3840, 5120), Nk(1024, 4096, 4096), Nk(2048, 2048, 5120),
                              Nk(2048, 4096, 4096), Nk(1024, 5120, 5120), Nk(1536, 3072, 8192),
                              Nk(4096, 2048, 2048), Nk(1024, 3584, 7168), Nk(2048, 6144, 4096),
                              Nk(512, 7168, 7168)};
  double sum = 0;
  for (const Problem& product : products) {
    const double transpose = Predict(row + "_t", product, h100) / Predict(row, product, h100);
    EXPECT_NEAR(transpose, 1, 0.03);
    sum += transpose;
  }
  EXPECT_NEAR(sum / static_cast<double>(std::size(products)), 0.999, 0.01);
}

TEST(HopperRows, ATransposesStoresCostNothingInPanelsAndTheirTimeElsewhere) {
  const auto transposes_us = [](const std::string& row, const Problem& problem) {
    return ByTheModel(row + "_t", problem) - ByTheModel(row, problem);
  };
  // Square products: a transpose computes what its twin does.
  const std::string tile = "hopper_bf16_kk_128x128x64_s6_c1x1";
  EXPECT_NEAR(transposes_us(tile, Nk(2048, 2048, 512)), 0, 1e-6);
  const double elements = 2048.0 * 2048;
  Problem sums = Nk(2048, 2048, 512);
  sums.c.type = sums.d.type = DataType::kFP32;
  EXPECT_NEAR(transposes_us(tile, sums), 4 * elements / 9e6, 1e-6);
  EXPECT_NEAR(transposes_us(tile, Nk(2047, 2047, 512)), 2 * 2047.0 * 2047 / 9e6, 1e-6)
      << "rows of D at odd addresses";
  EXPECT_NEAR(transposes_us("hopper_bf16_kk_64x80x64_s10_c2x1_ck", Nk(64, 64, 4096)), 2 * 64.0 * 64 / 9e6, 1e-6)
      << "by warps";
}

TEST(HopperRows, AtShortKPingPongTilesOfOneBufferAWarpWaitForTheirOwnEpilogues) {
  // One H100, 2026-11-25, us: the faster of two runs, 128x128 by commit 12c6951, 128x144 by cf9fd66.
  const struct {
    std::int64_t m, n, k;
    double two_buffers, one_buffer;  // 128x128 and 128x144
  } measured[] = {{8472, 1856, 80, 14.61, 20.38}, {4832, 1312, 80, 7.33, 10.31}};
  for (const auto& point : measured) {
    const Problem problem = Nk(point.m, point.n, point.k);
    const dispatch::Device& h100 = *dispatch::FindKnownDevice("h100");
    EXPECT_NEAR(Predict("hopper_bf16_kk_128x128x64_s6_c1x1_pp", problem, h100), point.two_buffers,
                0.2 * point.two_buffers);
    EXPECT_NEAR(Predict("hopper_bf16_kk_128x144x64_s6_c1x1_pp", problem, h100), point.one_buffer,
                0.2 * point.one_buffer);
  }
}

TEST(HopperRows, RowsOfDThatStartWithinSectorsTakeLongerAndLessSoInTilesThatStoreWholeOnes) {
  // One H100, 2026-11-25, by 128x144: 28.8 us at N = 4768, at 4760 41.7 as D lies and 35.0 by whole sectors. The model says less.
  const auto longer = [](const char* row) {
    return Predict(row, Nk(6912, 4760, 128)) / Predict(row, Nk(6912, 4768, 128));
  };
  const double half = longer("hopper_bf16_kk_128x128x64_s6_c1x1_pp");
  const double whole = longer("hopper_bf16_kk_128x192x64_s4_c1x1_pp");
  EXPECT_GT(half, 1.1);
  EXPECT_GT(whole, 1.0);
  EXPECT_LT(whole, half - 0.1);
}

TEST(HopperRows, PredictionsOfKnAreNearWhatWasMeasured) {
  const struct {
    const char* tile;
    std::int64_t m, n, k;
    double us;  // H200, 2026-11-24
  } measured[] = {
      {"64x128x64_s8_c1x1", 384, 5120, 5120, 39.2},   {"64x128x64_s8_c1x1", 256, 28672, 4096, 117.2},
      {"64x128x64_s8_c1x1", 256, 7168, 16384, 118.8}, {"64x64x64_s12_c1x1", 4, 3584, 3584, 9.39},
      {"64x64x64_s12_c1x1", 48, 4608, 3584, 10.7},    {"64x64x64_s12_c1x1", 64, 3584, 3584, 9.90},
      {"128x64x64_s8_c1x1", 192, 3584, 3584, 13.8}};
  for (const auto& point : measured) {
    const std::string row = std::string("hopper_bf16_kn_") + point.tile;
    EXPECT_NEAR(Predict(row, Kn(point.m, point.n, point.k)), point.us, 0.08 * point.us)
        << row << " at " << point.m;
  }
}

TEST(HopperRows, TheCorrectionIsOfSingleProductsOfARowMajorA) {
  const auto correction = [](const std::string& row, const Problem& problem) {
    return Predict(row, problem) / ByTheModel(row, problem);
  };
  Problem batched = Nk(512, 4096, 4096);
  batched.batch = 2;
  double least = 1, most = 1;
  const dispatch::KernelTable table = dispatch::HopperKernels();
  for (std::size_t i = 0; i < table.count; ++i) {
    const KernelRow& row = table.rows[i];
    if (row.family->model == nullptr || row.input_type != DataType::kBF16) continue;
    if (row.b_major == problem::Major::kMN || row.a_major == problem::Major::kMN) continue;
    if (Why(row, batched).empty()) {
      EXPECT_EQ(correction(row.name, batched), 1) << row.name;
    }
    least = std::min(least, correction(row.name, Nk(512, 4096, 4096)));
    most = std::max(most, correction(row.name, Nk(512, 4096, 4096)));
  }
  EXPECT_LT(least, 0.99);
  EXPECT_GT(least, std::exp(-0.31));
  EXPECT_GT(most, 1.01);
  EXPECT_LT(most, std::exp(0.31));
  EXPECT_NE(correction("hopper_bf16_kn_128x128x64_s6_c1x1", Kn(512, 4096, 4096)), 1);
  EXPECT_NE(correction("hopper_bf16_mk_128x96x64_s7_c1x1_t", Kn(512, 4096, 4096)), 1);
  Problem columns = Nk(512, 4096, 4096);
  columns.a.layout = Layout::kColumnMajor;
  EXPECT_EQ(correction("hopper_bf16_mk_128x96x64_s7_c1x1", columns), 1);
}

float Feature(const std::string& row, const Problem& problem, const std::string& name) {
  problem::Normalized normalized;
  EXPECT_TRUE(problem::Normalize(problem, &normalized).ok());
  const dispatch::CostModel& model = *Row(row).family->model;
  std::vector<float> features(model.feature_count);
  model.get_features(Row(row), normalized, H200(), features.data());
  for (std::size_t i = 0; i < model.feature_count; ++i) {
    if (model.feature(i) == name) return features[i];
  }
  ADD_FAILURE() << "no feature is called " << name;
  return 0;
}

TEST(HopperRows, TheCorrectionKnowsWhichOperandOfTheTileIsContiguousAlongMOrN) {
  EXPECT_EQ(Feature("hopper_bf16_kk_128x96x64_s7_c1x1_t", Nk(96, 4096, 4096), "mn_major"), 0);
  EXPECT_EQ(Feature("hopper_bf16_mk_128x96x64_s7_c1x1_t", Kn(96, 4096, 4096), "mn_major"), 1);
  EXPECT_EQ(Feature("hopper_bf16_kn_128x128x64_s6_c1x1", Kn(96, 4096, 4096), "mn_major"), 2);
  EXPECT_EQ(Feature("hopper_bf16_kk_swap_64x32x128_s8", Nk(32, 4096, 4096), "mn_major"), 0);
  EXPECT_EQ(Feature("hopper_bf16_kn_swap_64x32x128_s8", Kn(32, 4096, 4096), "mn_major"), 1);
}

TEST(HopperRows, TheCorrectionFadesWhereItWasNotLearnedWell) {
  const auto correction = [](std::int64_t m, std::int64_t n, std::int64_t k, bool early, const char* device) {
    const KernelRow& row = Row("hopper_bf16_kk_64x64x64_s12_c1x1");
    problem::Normalized problem;
    EXPECT_TRUE(problem::Normalize(Nk(m, n, k), &problem).ok());
    problem.b.readable_early = early;
    const dispatch::Device& on = *dispatch::FindKnownDevice(device);
    std::vector<double> constants(row.family->model->count);
    row.family->model->get(on, constants.data());
    return row.family->predict_us(row, problem, on) /
           row.family->model->predict_us(row, problem, on, constants.data());
  };
  EXPECT_NE(correction(512, 2112, 4096, false, "h200"), 1);
  EXPECT_NE(correction(512, 2112, 4096, false, "h100"), 1);
  EXPECT_NE(correction(16, 4096, 4096, false, "h200"), 1);
  EXPECT_EQ(correction(16, 4096, 4096, false, "h100"), 1);
  EXPECT_NE(correction(17, 4096, 4096, false, "h100"), 1);
  EXPECT_EQ(correction(512, 2112, 4096, true, "h200"), 1);
  for (const char* device : {"h200", "h100"}) {
    EXPECT_EQ(correction(4096, 8192, 8192, false, device), 1) << "many times 160 us";
    EXPECT_NE(correction(4096, 8192, 8200, false, device), 1) << "rows start off lines";
    EXPECT_NE(correction(4096, 8192, 8224, false, device), 1) << "at multiples of 64 bytes";
  }
}

// Skinny tiles pay for the way of a wide operand stored [k, n] where they have more than 64 columns, and no others do.
TEST(HopperRows, WideOperandsStoredKnHaveALongerWayToManyColumns) {
  EXPECT_GT(ByTheModel("hopper_bf16_kn_swap_192x96x64_s5", Kn(640, 4096, 4096)),
            ByTheModel("hopper_bf16_kk_swap_192x96x64_s5", Nk(640, 4096, 4096)));
  EXPECT_EQ(ByTheModel("hopper_bf16_kn_swap_128x64x64_s7", Kn(256, 4096, 14336)),
            ByTheModel("hopper_bf16_kk_swap_128x64x64_s7", Nk(256, 4096, 14336)));
}

TEST(HopperRows, LargeProductsGoToTiledKernels) {
  // Commit 7acc843 predicted skinny rows to be faster. Those that were timed took 2% to 10% longer (H200, 2026-11-23, docs/perf/hopper/tiles.md).
  const struct {
    std::int64_t m, n, k;
  } products[] = {{2048, 6144, 4096},  {2048, 57344, 8192}, {4096, 8192, 28672},  {8192, 4096, 4096},
                  {8192, 7168, 16384}, {8192, 8192, 8192},  {16384, 16384, 16384}};
  const dispatch::KernelTable table = dispatch::HopperKernels();
  for (const auto& product : products) {
    problem::Normalized normalized;
    ASSERT_TRUE(problem::Normalize(Nk(product.m, product.n, product.k), &normalized).ok());
    std::string fastest;
    double least = INFINITY;
    for (std::size_t i = 0; i < table.count; ++i) {
      const KernelRow& row = table.rows[i];
      if (row.family->reject(row, normalized, H200()).has_value()) continue;
      const double us = row.family->predict_us(row, normalized, H200());
      if (us < least) least = us, fastest = row.name;
    }
    EXPECT_EQ(fastest.find("_swap_"), std::string::npos) << fastest << " for " << product.m << " rows";
  }
}

}  // namespace
}  // namespace gemm
