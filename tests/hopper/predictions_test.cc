// Predicted times of Hopper rows, beside what was measured.
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>

#include "common/dispatch/device.h"
#include "common/dispatch/kernel.h"
#include "common/problem/problem.h"
#include "tests/hopper/backend.h"

namespace gemm {
namespace {

using dispatch::KernelRow;

TEST(HopperPredictions, EmptyProblemsAreNoTrouble) {
  for (const Problem& empty : {Nk(0, 64, 64), Nk(64, 0, 64)}) {
    problem::Normalized normalized;
    ASSERT_TRUE(problem::Normalize(empty, &normalized).ok());
    const KernelRow& row = BF16();
    if (!row.family->reject(row, normalized, H200())) {
      EXPECT_TRUE(std::isfinite(row.family->predict_us(row, normalized, H200())));
    }
  }
}

TEST(HopperPredictions, OnlyABoxOverTheEdgeMakesFewerRowsSlower) {
  const auto predict = [](const char* name, std::int64_t m, Layout a = Layout::kRowMajor) {
    Problem problem = Nk(m, 8192, 8192);
    problem.a.layout = a;
    return Predict(name, problem);
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

TEST(HopperPredictions, ARoundHasAsManyClustersAsFitTheGpcs) {
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

TEST(HopperPredictions, PredictionsAreNearWhatWasMeasured) {
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
    const double ratio = Predict(point.row, Nk(point.m, point.n, point.k)) / point.us;
    EXPECT_GT(ratio, 0.75) << point.row << " at " << point.m;
    EXPECT_LT(ratio, 1.33) << point.row << " at " << point.m;
  }
}

TEST(HopperPredictions, ManyRoundsOfTilesThatReadTheSameColumnsTakeLongerOnAnH100) {
  const std::string row = "hopper_bf16_kk_64x144x64_s8_c1x1";
  const double on_h200 = Predict(row, Nk(320, 27648, 5120));
  const double on_h100 = Predict(row, Nk(320, 27648, 5120), *dispatch::FindKnownDevice("h100"));
  EXPECT_NEAR(on_h200, 162.6, 0.1 * 162.6);  // as measured, 2026-11-23
  EXPECT_NEAR(on_h100, 211.7, 0.2 * 211.7);
}

TEST(HopperPredictions, RoundsOfCtasWithoutClustersArePredictedAsMeasuredOnAnH100) {
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
  for (const auto& point : measured) {
    const Problem problem = Nk(point.m, point.n, point.k);
    const double us = Predict(point.row, problem, h100);
    EXPECT_NEAR(us, point.us, 0.2 * point.us) << point.row;
    EXPECT_LT(us, Predict(point.before, problem, h100)) << point.row;
  }
}

TEST(HopperPredictions, ATransposesStoresCostLittleBesideALongKOnAnH100) {
  // Of the 182 products of more than 25 us in docs/perf/calibrate that both were timed for on H100s the transpose takes 0.995 of the time in
  // the mean (with a deviation of 0.005; 2026-11-26 to 28), of single ones 0.9 to 1.1, of which the correction knows a part.
  const dispatch::Device& h100 = *dispatch::FindKnownDevice("h100");
  const std::string row = "hopper_bf16_kk_128x144x64_s6_c1x1_pp";
  const Problem products[] = {Nk(1024, 3840, 5120), Nk(1024, 4096, 4096), Nk(2048, 2048, 5120),
                              Nk(2048, 4096, 4096), Nk(1024, 5120, 5120), Nk(1536, 3072, 8192),
                              Nk(4096, 2048, 2048), Nk(1024, 3584, 7168), Nk(2048, 6144, 4096),
                              Nk(512, 7168, 7168)};
  double sum = 0;
  for (const Problem& product : products) {
    const double transpose = Predict(row + "_t", product, h100) / Predict(row, product, h100);
    EXPECT_NEAR(transpose, 0.995, 0.03);
    sum += transpose;
  }
  EXPECT_NEAR(sum / static_cast<double>(std::size(products)), 0.995, 0.01);
}

TEST(HopperPredictions, ATransposesStoresCostNothingInPanelsAndTheirTimeElsewhere) {
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

TEST(HopperPredictions, AtShortKPingPongTilesOfOneBufferAWarpWaitForTheirOwnEpilogues) {
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

TEST(HopperPredictions, RowsOfDThatStartWithinSectorsTakeLongerAndLessSoInTilesThatStoreWholeOnes) {
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

TEST(HopperPredictions, PredictionsOfKnAreNearWhatWasMeasured) {
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

// Skinny tiles pay for the way of a wide operand stored [k, n] where they have more than 64 columns, and no others do.
TEST(HopperPredictions, WideOperandsStoredKnHaveALongerWayToManyColumns) {
  EXPECT_GT(ByTheModel("hopper_bf16_kn_swap_192x96x64_s5", Kn(640, 4096, 4096)),
            ByTheModel("hopper_bf16_kk_swap_192x96x64_s5", Nk(640, 4096, 4096)));
  EXPECT_EQ(ByTheModel("hopper_bf16_kn_swap_128x64x64_s7", Kn(256, 4096, 14336)),
            ByTheModel("hopper_bf16_kk_swap_128x64x64_s7", Nk(256, 4096, 14336)));
}

TEST(HopperPredictions, LargeProductsGoToTiledKernels) {
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

TEST(HopperPredictions, WeightsThatMayBeReadEarlyAreAWinOnEitherSide) {
  // B, and A of a kernel that computes D's transpose.
  for (const char* name : {"hopper_bf16_kk_64x128x64_s9_c1x1", "hopper_bf16_kk_64x128x64_s9_c1x1_t"}) {
    problem::Normalized p;
    ASSERT_TRUE(problem::Normalize(Nk(256, 4096, 4096), &p).ok());
    const double late = ByTheModel(Row(name), p, H200());
    p.b.readable_early = true;
    EXPECT_LT(ByTheModel(Row(name), p, H200()), late - 0.3) << name;
    EXPECT_GT(ByTheModel(Row(name), p, H200()), late - 1.0) << name;
  }
  // Parallel split K in clusters asks for nothing early.
  problem::Normalized p;
  ASSERT_TRUE(problem::Normalize(Nk(256, 512, 8192), &p).ok());
  const char* const split = "hopper_bf16_kk_64x80x64_s12_c2x2_pk";
  const double in_clusters = ByTheModel(Row(split), p, H200());
  p.b.readable_early = true;
  EXPECT_EQ(ByTheModel(Row(split), p, H200()), in_clusters);
  // A kernel whose B is MN-major asks for B alone.
  const char* const columns = "hopper_bf16_kn_64x64x64_s12_c1x1";
  ASSERT_TRUE(problem::Normalize(Kn(256, 4096, 4096), &p).ok());
  const double late = ByTheModel(Row(columns), p, H200());
  p.a.readable_early = true;
  EXPECT_EQ(ByTheModel(Row(columns), p, H200()), late);
  p.a.readable_early = false;
  p.b.readable_early = true;
  EXPECT_LT(ByTheModel(Row(columns), p, H200()), late);
}

}  // namespace
}  // namespace gemm
