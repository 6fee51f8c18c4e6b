// The Ampere rows on the host: what they accept, why they refuse, and the parameters they would be launched
// with.
#include "ampere/plan.h"

#include <climits>
#include <cstdint>
#include <optional>
#include <set>
#include <string>

#include "ampere/config.h"
#include "ampere/row.h"
#include "common/dispatch/device.h"
#include "common/dispatch/kernel.h"
#include "common/problem/problem.h"
#include "gtest/gtest.h"

namespace gemm::ampere {
namespace {

using dispatch::AmpereKernels;
using dispatch::Device;
using dispatch::KernelRow;
using dispatch::KernelTable;

const char* const kDevices[] = {"h200", "h100", "a100", "rtx3090", "rtx4090", "rtx5070ti", "rtx5060laptop"};

problem::Normalized Make(std::int64_t m, std::int64_t n, std::int64_t k, DataType type = DataType::kBF16,
                         problem::Major a = problem::Major::kK, problem::Major b = problem::Major::kK,
                         int alignment = 16) {
  Problem p;
  p.m = m, p.n = n, p.k = k;
  p.a.type = p.b.type = type;
  p.a.layout = a == problem::Major::kK ? Layout::kRowMajor : Layout::kColumnMajor;
  p.b.layout = b == problem::Major::kK ? Layout::kColumnMajor : Layout::kRowMajor;
  p.a.alignment = p.b.alignment = alignment;
  problem::Normalized out;
  EXPECT_TRUE(problem::Normalize(p, &out).ok());
  return out;
}

const KernelRow& Find(const std::string& name) {
  const KernelTable table = AmpereKernels();
  for (std::size_t i = 0; i < table.count; ++i) {
    if (name == table.rows[i].name) return table.rows[i];
  }
  ADD_FAILURE() << "no row " << name;
  return table.rows[0];
}

bool IsTiled(const KernelRow& row) { return row.family == &kFamily || row.family == &kPersistentFamily; }

std::string Why(const KernelRow& row, const problem::Normalized& p, const Device& device) {
  return kFamily.reject(row, p, device).value_or("");
}

TEST(AmperePlan, NamesAreUniqueAndRowsWhole) {
  std::set<std::string> names;
  const KernelTable table = AmpereKernels();
  ASSERT_GT(table.count, 0u);
  for (std::size_t i = 0; i < table.count; ++i) {
    const KernelRow& row = table.rows[i];
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    if (!IsTiled(row)) continue;  // rows for few rows of A or B have a ring for each warp, or none
    EXPECT_EQ(row.threads % 32, 0) << row.name;
    const int element = row.input_type == DataType::kFP32 ? 4 : 2;
    EXPECT_GE(row.shared_bytes, element * row.stages * (row.tile.m + row.tile.n) * row.tile.k) << row.name;
    bool found = false;
    for (std::size_t c = 0; c < row.image->count; ++c)
      found |= std::string(row.image->codes[c].source) == row.source;
    EXPECT_TRUE(found) << row.name << " names the source " << row.source;
  }
}

TEST(AmperePlan, EveryDeviceHasARowForEveryLayoutTypeAndAlignment) {
  for (const char* name : kDevices) {
    const Device& device = *dispatch::FindKnownDevice(name);
    for (DataType type : {DataType::kFP16, DataType::kBF16}) {
      for (problem::Major a : {problem::Major::kK, problem::Major::kMN}) {
        for (problem::Major b : {problem::Major::kK, problem::Major::kMN}) {
          for (int alignment : {2, 4, 8, 16}) {
            const problem::Normalized p = Make(4096, 4096, 4096, type, a, b, alignment);
            int any = 0, aligned = 0;
            for (std::size_t i = 0; i < AmpereKernels().count; ++i) {
              const KernelRow& row = AmpereKernels().rows[i];
              if (!IsTiled(row) || kFamily.reject(row, p, device)) continue;
              EXPECT_GT(kFamily.predict_us(row, p, device), 0);
              const int copy = row.variant & ~(kSplit | kRest | kSeveralTiles);
              (copy == static_cast<int>(Copy::kAny) ? any : aligned) += 1;
            }
            EXPECT_GT(any, 0) << name;
            EXPECT_EQ(aligned > 0, alignment == 16) << name;
          }
        }
      }
    }
  }
}

TEST(AmperePlan, TF32IsForThoseWhoAskForIt) {
  for (const char* name : kDevices) {
    const Device& device = *dispatch::FindKnownDevice(name);
    for (problem::Major a : {problem::Major::kK, problem::Major::kMN}) {
      for (problem::Major b : {problem::Major::kK, problem::Major::kMN}) {
        problem::Normalized p = Make(4096, 4096, 4096, DataType::kFP32, a, b);
        const auto accepted = [&] {
          int count = 0;
          for (std::size_t i = 0; i < AmpereKernels().count; ++i)
            count += AmpereKernels().rows[i].family->reject(AmpereKernels().rows[i], p, device) ? 0 : 1;
          return count;
        };
        EXPECT_EQ(accepted(), 0);
        p.compute = ComputeType::kTF32;
        EXPECT_GT(accepted(), 0) << name;
        p.a.alignment = 8;
        EXPECT_EQ(accepted(), 0);
      }
    }
  }
  const Device& h200 = *dispatch::FindKnownDevice("h200");
  const KernelRow& row = Find("ampere_tf32_kk_128x256x32_s3");
  EXPECT_EQ(Why(row, Make(8, 8, 8, DataType::kFP32), h200), "the compute type is tensor, not tf32");
  problem::Normalized p = Make(8, 8, 1 << 22, DataType::kFP32);
  p.compute = ComputeType::kTF32;
  EXPECT_EQ(Why(row, p, h200), "a leading dimension, 4194304, is above 4194272");
}

// 672.7 us and 322.6 us in one run on one H200, 2026-11-22.
TEST(AmperePlan, TF32TakesTwiceAsLongAsBF16) {
  const Device& h200 = *dispatch::FindKnownDevice("h200");
  problem::Normalized p = Make(4096, 4096, 4096, DataType::kFP32);
  p.compute = ComputeType::kTF32;
  const double rounded = kFamily.predict_us(Find("ampere_tf32_kk_128x256x32_s3"), p, h200);
  const double bf16 = kFamily.predict_us(Find("ampere_bf16_kk_128x256x64_s3"), Make(4096, 4096, 4096), h200);
  EXPECT_NEAR(rounded / bf16, 672.7 / 322.6, 0.12);
}

TEST(AmperePlan, ReasonsNameWhatIsMissing) {
  const Device& h200 = *dispatch::FindKnownDevice("h200");
  const Device& rtx4090 = *dispatch::FindKnownDevice("rtx4090");
  const KernelRow& row = Find("ampere_bf16_kk_128x256x64_s3");
  EXPECT_EQ(Why(row, Make(8, 8, 8), h200), "");
  EXPECT_EQ(Why(row, Make(8, 8, 8), rtx4090), "it needs 163968 bytes of shared memory, the device has 101376");
  EXPECT_EQ(Why(row, Make(8, 8, 8, DataType::kFP16), h200), "A and B are fp16, not bf16");
  EXPECT_EQ(Why(row, Make(8, 8, 8, DataType::kBF16, problem::Major::kK, problem::Major::kMN), h200),
            "A is K-major and B MN-major, not K and K");
  EXPECT_EQ(Why(row, Make(8, 8, 12), h200), "A is aligned to 8 bytes, not 16");
  EXPECT_EQ(Why(Find("ampere_bf16_kk_128x128x64_s3_any"), Make(8, 8, 12), h200), "");
  EXPECT_EQ(Why(row, Make(8, 8, std::int64_t{1} << 23), h200),
            "a leading dimension, 8388608, is above 8388544");
  problem::Normalized p = Make(8, 8, 8);
  p.compute = ComputeType::kFP32;
  EXPECT_NE(Why(row, p, h200), "");
  EXPECT_NE(Why(row, Make(1, 1, std::int64_t{1} << 31), h200), "");
  EXPECT_NE(Why(row, Make(std::int64_t{1} << 40, 8, 8), h200), "");
}

TEST(AmperePlan, ParametersOfALargeBatch) {
  const Device& h200 = *dispatch::FindKnownDevice("h200");
  problem::Normalized p = Make(100, 300, 72);
  p.batch = std::int64_t{1} << 33;
  const KernelRow& row = Find("ampere_bf16_kk_160x256x64_s4");
  const Params params = MakeParams(row, p, h200);
  EXPECT_EQ(params.schedule.tiles_m, 1);
  EXPECT_EQ(params.schedule.tiles_n, 2);
  EXPECT_EQ(params.schedule.tiles, std::int64_t{1} << 34);
  EXPECT_EQ(MakeGrid(row, params, h200).x, static_cast<unsigned>(INT_MAX));
  EXPECT_EQ(MakeGrid(row, params, h200).y, 9u);  // 2^34 tiles are 8 times 2^31 - 1 and 8 more
  const KernelRow& several = Find("ampere_bf16_kk_128x256x64_s3");
  EXPECT_EQ(MakeParams(several, p, h200).schedule.tiles, std::int64_t{1} << 34);
  EXPECT_EQ(MakeGrid(several, MakeParams(several, p, h200), h200).x, 132u);
  EXPECT_EQ(MakeGrid(several, MakeParams(several, p, h200), h200).y, 1u);
  p.batch = std::int64_t{1} << 50;
  EXPECT_NE(Why(Find("ampere_bf16_kk_128x256x64_s3"), p, h200), "");
  EXPECT_EQ(params.k, 72);
  EXPECT_EQ(params.a.copy_bytes, 16);
  EXPECT_EQ(params.d_layout.wide, 0);  // 300 elements are 600 bytes: not a multiple of 16
  EXPECT_EQ(MakeParams(Find("ampere_bf16_kk_128x256x64_s3"), Make(100, 304, 72), h200).d_layout.wide, 1);
}

TEST(AmperePlan, CtasThatComputeSeveralTiles) {
  const Device& h200 = *dispatch::FindKnownDevice("h200");
  const auto ctas = [&](const KernelRow& row, const problem::Normalized& p) {
    return MakeGrid(row, MakeParams(row, p, h200), h200).x;
  };
  const KernelRow& several = Find("ampere_bf16_kk_128x256x64_s3");
  EXPECT_EQ(ctas(several, Make(4096, 4096, 4096)), 132u);
  EXPECT_EQ(ctas(several, Make(512, 512, 4096)), 8u);
  EXPECT_EQ(ctas(Find("ampere_bf16_kk_256x128x64_s3"), Make(4096, 4096, 4096)), 512u);
}

// Those that say so are those whose grid is bounded, whatever the number of multiprocessors.
TEST(AmperePlan, PersistentRowsKeepToTheMultiprocessors) {
  const KernelTable table = AmpereKernels();
  int persistent = 0;
  for (const char* name : {"a100", "h200"}) {
    for (const int sms : {1, 7, 50, 1000}) {
      Device device = *dispatch::FindKnownDevice(name);
      dispatch::LimitSms(sms, &device);
      for (std::size_t i = 0; i < table.count; ++i) {
        const KernelRow& row = table.rows[i];
        if (!IsTiled(row)) continue;
        const problem::Normalized p = Make(8192, 8192, 512, row.input_type, row.a_major, row.b_major);
        const Grid grid = MakeGrid(row, MakeParams(row, p, device), device);
        EXPECT_EQ(row.family->is_persistent, grid.x <= static_cast<unsigned>(device.sm_count) && grid.y == 1)
            << row.name << " on " << device.sm_count << " multiprocessors";
        persistent += row.family->is_persistent ? 1 : 0;
      }
    }
  }
  EXPECT_GT(persistent, 0);
}

TEST(AmperePlan, SplitsKWhereTilesAreFew) {
  const Device& h200 = *dispatch::FindKnownDevice("h200");
  const KernelRow& split = Find("ampere_bf16_kk_16x64x64_s8_split");
  problem::Normalized p = Make(16, 256, 8192);
  const Params params = MakeParams(split, p, h200);
  EXPECT_GE(params.split.parts, 8);
  EXPECT_LE(params.split.parts, 32);
  EXPECT_EQ(params.schedule.tiles, 4);
  EXPECT_EQ(MakeGrid(split, params, h200).x, static_cast<unsigned>(4 * params.split.parts));
  EXPECT_EQ(kFamily.workspace_bytes(split, p, h200), 4u * params.split.parts * 16 * 64 * 4 + 4 * 8);
  EXPECT_LT(kFamily.predict_us(split, p, h200),
            kFamily.predict_us(Find("ampere_bf16_kk_16x64x64_s8"), p, h200));
  EXPECT_EQ(Why(split, Make(16, 256, 64), h200), "K is too short to be split, or the tiles are many");
  EXPECT_EQ(Why(split, Make(4096, 65536, 8192), h200), "K is too short to be split, or the tiles are many");
  p.batch_invariant = true;
  EXPECT_EQ(Why(split, p, h200), "where it splits K depends on M");
  EXPECT_EQ(MakeParams(Find("ampere_bf16_kk_16x64x64_s8"), p, h200).split.parts, 1);
}

TEST(AmperePlan, SplitsOfLargeTilesWhatDoesNotFillARound) {
  const Device& h200 = *dispatch::FindKnownDevice("h200");
  const KernelRow& split = Find("ampere_bf16_kk_160x256x64_s4_split");
  problem::Normalized p = Make(4096, 4096, 4096);
  const Params params = MakeParams(split, p, h200);
  EXPECT_EQ(params.schedule.tiles, 26 * 16);
  EXPECT_EQ(params.split.tiles, 26 * 16 - 3 * 132);
  EXPECT_GE(params.split.parts, 3);
  EXPECT_LE(params.split.parts * params.split.tiles, 132);
  EXPECT_EQ(MakeGrid(split, params, h200).x, 3u * 132);
  EXPECT_EQ(kFamily.workspace_bytes(split, p, h200),
            20u * params.split.parts * 160 * 256 * 4 + 20 * kMostSlices * 8);
  EXPECT_LT(kFamily.predict_us(split, p, h200),
            kFamily.predict_us(Find("ampere_bf16_kk_160x256x64_s4"), p, h200));
  EXPECT_LT(kFamily.predict_us(split, p, h200),
            kFamily.predict_us(Find("ampere_bf16_kk_128x256x64_s3"), p, h200));
  const char* const nothing =
      "no round of tiles is full, or the last one is more than half, or K is too short to be split";
  EXPECT_EQ(Why(split, Make(160 * 11, 256 * 12, 4096), h200), nothing);
  EXPECT_EQ(Why(split, Make(160 * 11, 256 * 11, 4096), h200), nothing);
  EXPECT_EQ(Why(split, Make(4096, 4096, 64), h200), nothing);
  EXPECT_EQ(Why(split, Make(160 * 11, 256 * 13, 4096), h200), "");
  EXPECT_EQ(Why(split, Make(5120, 5120, 5120), h200), nothing);        // 112 tiles of 132
  EXPECT_EQ(Why(split, Make(1 << 20, 1 << 20, 4096), h200), nothing);  // nobody would notice
  p.batch_invariant = true;
  EXPECT_EQ(Why(split, p, h200), "where it splits K depends on M");
}

// The rows' predictions against times measured on one H200, 2026-11-21 and 22 (docs/perf/ampere.md), in microseconds.
TEST(AmperePlan, PredictionsAreNearTheMeasurements) {
  const Device& h200 = *dispatch::FindKnownDevice("h200");
  const struct {
    const char* row;
    std::int64_t m, n, k;
    double us;
  } measured[] = {
      {"ampere_bf16_kk_128x256x64_s3", 64, 4096, 4096, 70.4},
      {"ampere_bf16_kk_128x256x64_s3", 2048, 2048, 2048, 39.5},
      {"ampere_bf16_kk_128x256x64_s3", 4096, 4096, 4096, 281.0},
      {"ampere_bf16_kk_128x256x64_s3", 8192, 8192, 8192, 2180},
      {"ampere_bf16_kk_128x128x64_s3", 64, 4096, 4096, 42.4},
      {"ampere_bf16_kk_128x128x64_s3", 256, 256, 32768, 287.2},
      {"ampere_bf16_kk_128x128x64_s3_split", 64, 4096, 4096, 23.9},
      {"ampere_bf16_kk_128x128x64_s3_split", 256, 256, 32768, 41.2},
      {"ampere_bf16_kk_128x128x64_s3", 4096, 4096, 4096, 303.9},
      {"ampere_bf16_kk_64x128x64_s3", 64, 4096, 4096, 35.7},
      {"ampere_bf16_kk_64x128x64_s3", 4096, 4096, 4096, 367.7},
      {"ampere_bf16_kk_64x64x64_s4", 64, 4096, 4096, 23.6},
      {"ampere_bf16_kk_64x64x64_s4_split", 64, 4096, 4096, 18.5},
      {"ampere_bf16_kk_64x64x64_s4_split", 64, 1280, 8192, 16.5},
      {"ampere_bf16_kk_64x64x64_s4", 512, 512, 512, 6.0},
      {"ampere_bf16_kk_64x64x64_s4", 4096, 4096, 4096, 449.2},
      {"ampere_bf16_kk_32x64x64_s8", 64, 4096, 4096, 16.2},
      {"ampere_bf16_kk_32x64x64_s8_split", 64, 1280, 8192, 15.0},
      {"ampere_bf16_kk_16x64x64_s8_split", 16, 1280, 8192, 12.8},
      {"ampere_bf16_kk_128x128x64_s3_any", 4096, 4096, 4096, 449.1},
      {"ampere_bf16_kk_64x64x32_s4_any", 64, 4096, 4096, 34.4},
      {"ampere_bf16_kk_64x64x32_s4_any", 4096, 4096, 4096, 618.7},
  };
  for (const auto& m : measured) {
    const double predicted = kFamily.predict_us(Find(m.row), Make(m.m, m.n, m.k), h200);
    EXPECT_NEAR(predicted / m.us, 1, 0.12)
        << m.row << ' ' << m.m << 'x' << m.n << 'x' << m.k << ": " << predicted;
  }
}

}  // namespace
}  // namespace gemm::ampere
