// The rows for few rows on the host: what they accept, why they refuse, what is predicted of them and where they are chosen.
#include <climits>
#include <cstdint>
#include <string>
#include <vector>

#include "ampere/few/plan.h"
#include "common/dispatch/cost_model.h"
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

problem::Normalized Nk(std::int64_t m, std::int64_t n, std::int64_t k, DataType type = DataType::kBF16,
                       int alignment = 16) {
  Problem p;
  p.m = m, p.n = n, p.k = k;
  p.a.type = p.b.type = type;
  p.b.layout = Layout::kColumnMajor;
  p.a.alignment = p.b.alignment = alignment;
  problem::Normalized out;
  EXPECT_TRUE(problem::Normalize(p, &out).ok());
  return out;
}

const KernelRow& Find(const std::string& name) {
  const KernelRow* row = dispatch::FindRow(dispatch::Registry(), name);
  EXPECT_NE(row, nullptr) << name;
  return row != nullptr ? *row : *dispatch::Registry().front();
}
const KernelRow& GemvRow() { return Find("ampere_bf16_kk_gemv_1x2x256"); }
const KernelRow& FewRow() { return Find("ampere_bf16_kk_few_8x16x64_s4"); }

std::string Why(const KernelRow& row, const problem::Normalized& p, const Device& device = H200()) {
  return row.family->reject(row, p, device).value_or("");
}

std::string Chosen(const problem::Normalized& p, const Device& device = H200()) {
  dispatch::Selection selection;
  EXPECT_TRUE(dispatch::Select(dispatch::Registry(), p, device, {}, &selection).ok());
  return selection.candidates[selection.index].row->name;
}

TEST(FewRows, RefusalsSayWhy) {
  EXPECT_EQ(Why(GemvRow(), Nk(1, 4096, 4096)), "");
  EXPECT_EQ(Why(GemvRow(), Nk(4096, 1, 4096)), "");
  EXPECT_EQ(Why(FewRow(), Nk(8, 4096, 4096)), "");
  EXPECT_EQ(Why(FewRow(), Nk(4096, 8, 4096)), "");
  EXPECT_EQ(Why(GemvRow(), Nk(2, 4096, 4096)), "M and N, 2 and 4096, are both above 1");
  EXPECT_EQ(Why(FewRow(), Nk(9, 4096, 4096)), "M and N, 9 and 4096, are both above 8");
  EXPECT_EQ(Why(FewRow(), Nk(8, 4096, 4096, DataType::kFP16)), "A and B are fp16, not bf16");
  EXPECT_EQ(Why(FewRow(), Nk(8, 4096, 4092)), "A is aligned to 8 bytes, not 16");
  EXPECT_EQ(Why(FewRow(), Nk(1, 1, std::int64_t{1} << 31)), "M, N or K is above 2147418111");
  problem::Normalized p = Nk(1, 4096, 4096);
  p.k = 4095;
  EXPECT_EQ(Why(GemvRow(), p), "K = 4095 is no multiple of 8");
  EXPECT_EQ(Why(FewRow(), p), "K = 4095 is no multiple of 8");
  p = Nk(1, 4096, 4096);
  p.b.major = problem::Major::kMN;
  EXPECT_EQ(Why(GemvRow(), p), "A and B are not both K-major");
  p = Nk(1, 4096, 4096);
  p.batch = 65536;
  EXPECT_EQ(Why(GemvRow(), p), "the batch, 65536, is above 65535");
  p = Nk(1, 4096, 4096);
  p.batch_invariant = true;
  EXPECT_EQ(Why(GemvRow(), p), "other numbers of rows go to kernels that sum K in another order");
  p = Nk(1, 4096, 4096);
  p.compute = ComputeType::kFP32;
  EXPECT_EQ(Why(GemvRow(), p), "the compute type is fp32, not tensor");
  Device small = H200();
  small.max_shared_bytes_per_block = 64 * 1024;
  EXPECT_EQ(Why(FewRow(), Nk(8, 8, 8), small), "it needs 98304 bytes of shared memory, the device has 65536");
}

const KernelRow& AnyRow(int room, int warps = 8) {
  return Find("ampere_bf16_kk_few_" + std::to_string(room) + (room > 8 ? "x32x64_w" : "x16x64_w") +
              std::to_string(warps) + "_any");
}

problem::Normalized Unaligned(std::int64_t m, std::int64_t n, std::int64_t k) {
  return Nk(m, n, k, DataType::kBF16, 2);
}

TEST(FewRows, SomeTakeRowsThatStartAnywhere) {
  EXPECT_EQ(Why(AnyRow(8), Unaligned(1, 4096, 4097)), "");
  EXPECT_EQ(Why(AnyRow(8), Unaligned(4096, 8, 3)), "");
  EXPECT_EQ(Why(AnyRow(16), Unaligned(16, 4096, 4095)), "");
  EXPECT_EQ(Why(AnyRow(40), Unaligned(33, 4096, 4095)), "");
  EXPECT_EQ(Why(AnyRow(8), Nk(8, 4096, 4096)),
            "A and B are aligned to 16 bytes and K is a multiple of 8, which other kernels ask for");
  EXPECT_EQ(Why(AnyRow(8), Nk(8, 4096, 4096, DataType::kBF16, 8)), "");
  EXPECT_EQ(Why(AnyRow(8), Unaligned(9, 4096, 4095)), "M and N, 9 and 4096, are both above 8");
  EXPECT_EQ(Why(AnyRow(40), Unaligned(41, 4096, 4095)), "M and N, 41 and 4096, are both above 40");
  EXPECT_EQ(Why(FewRow(), Unaligned(8, 4096, 4096)), "A is aligned to 2 bytes, not 16");
  problem::Normalized p = Unaligned(1, 4096, 4097);
  p.b.major = problem::Major::kMN;
  EXPECT_EQ(Why(AnyRow(8), p), "A and B are not both K-major");
  p = Unaligned(1, 4096, 4097);
  p.batch_invariant = true;
  EXPECT_EQ(Why(AnyRow(8), p), "other numbers of rows go to kernels that sum K in another order");
}

problem::Normalized Kn(std::int64_t m, std::int64_t n, std::int64_t k) {
  problem::Normalized p = Nk(m, n, k);
  p.b.major = problem::Major::kMN;
  p.b.ld = n;
  return p;
}

TEST(FewRows, SomeTakeALongerOperandThatLiesByColumns) {
  const KernelRow& eight = Find("ampere_bf16_kn_few_8x32x64_s2");
  const KernelRow& sixteen = Find("ampere_bf16_kn_few_16x16x64_s2");
  EXPECT_EQ(Why(eight, Kn(1, 4096, 4096)), "");
  EXPECT_EQ(Why(eight, Kn(8, 8, 8)), "");
  EXPECT_EQ(Why(sixteen, Kn(16, 4096, 4096)), "");
  problem::Normalized by_a = Nk(4096, 9, 4096);
  by_a.a.major = problem::Major::kMN;
  EXPECT_EQ(Why(sixteen, by_a), "");
  EXPECT_EQ(Why(eight, by_a), "M and N, 4096 and 9, are both above 8");
  EXPECT_EQ(Why(sixteen, Nk(16, 4096, 4096)), "B is K-major");
  EXPECT_EQ(Why(sixteen, Nk(4096, 16, 4096)), "A is K-major");
  problem::Normalized p = Kn(8, 4096, 4096);
  p.a.major = problem::Major::kMN;
  EXPECT_EQ(Why(eight, p), "A is not K-major");
  by_a.b.major = problem::Major::kMN;
  EXPECT_EQ(Why(sixteen, by_a), "B is not K-major");
  EXPECT_EQ(Why(eight, Kn(8, 4100, 4096)), "N = 4100 is no multiple of 8");
  p = Kn(8, 4096, 4096);
  p.k = 4092;
  EXPECT_EQ(Why(eight, p), "K = 4092 is no multiple of 8");
  p = Kn(8, 4096, 4096);
  p.b.alignment = 8;
  EXPECT_EQ(Why(eight, p), "B is aligned to 8 bytes, not 16");
}

TEST(FewRows, HalfOfTheRoomIsNotLeftEmpty) {
  EXPECT_EQ(Why(Find("ampere_bf16_kk_few_16x16x64_s2"), Nk(9, 4096, 4096)), "");
  EXPECT_EQ(Why(Find("ampere_bf16_kk_few_16x16x64_s2"), Nk(8, 4096, 4096)),
            "M and N, 8 and 4096, are not both above 8, and other kernels have room for as many");
  EXPECT_EQ(Why(Find("ampere_bf16_kn_few_16x16x64_s2"), Kn(1, 4096, 4096)),
            "M and N, 1 and 4096, are not both above 8, and other kernels have room for as many");
}

// H200, BF16, between plain graph edges, 2026-11-30, in microseconds.
TEST(FewRows, PredictionsOfRingsAreNearTheMeasurements) {
  const char* const kk = "ampere_bf16_kk_few_16x16x64_s2";
  const char* const narrow = "ampere_bf16_kn_few_8x16x64_s4";
  const char* const wide = "ampere_bf16_kn_few_8x32x64_s2";
  const char* const sixteen = "ampere_bf16_kn_few_16x16x64_s2";
  const struct {
    const char* row;
    std::int64_t m, n, k;
    double us;
  } measured[] = {
      {narrow, 1, 152, 160, 1.85},   {narrow, 6, 792, 272, 2.26},     {narrow, 2, 424, 1056, 3.02},
      {narrow, 8, 2048, 2048, 4.96}, {narrow, 1, 1024, 4096, 5.18},   {wide, 5, 4000, 504, 3.41},
      {wide, 1, 2880, 2880, 6.49},   {wide, 8, 4096, 4096, 10.02},    {wide, 5, 4048, 4608, 11.29},
      {wide, 5, 20672, 4304, 49.97}, {wide, 5, 13760, 28432, 201.82}, {sixteen, 13, 176, 944, 2.92},
      {sixteen, 9, 656, 208, 2.30},  {sixteen, 12, 1064, 656, 3.01},  {sixteen, 16, 2048, 2048, 5.32},
      {kk, 11, 208, 256, 2.10},      {kk, 14, 696, 928, 2.82},        {kk, 16, 2048, 2048, 4.94},
      {kk, 16, 4096, 4096, 10.66},   {kk, 16, 2112, 7168, 10.60},
  };
  for (const auto& m : measured) {
    const KernelRow& row = Find(m.row);
    const problem::Normalized p = std::string(m.row) == kk ? Nk(m.m, m.n, m.k) : Kn(m.m, m.n, m.k);
    EXPECT_NEAR(row.family->predict_us(row, p, H200()) / m.us, 1, 0.17)
        << m.row << ' ' << m.m << 'x' << m.n << 'x' << m.k;
  }
}

// 4096x4096 takes 9.9 us between plain edges and 11.0 in chains, 4000x504 3.4 and 2.5 (H200, 2026-11-30).
TEST(FewRows, InChainsRingsWinWhereAllIsAskedForAtOnce) {
  const KernelRow& row = Find("ampere_bf16_kn_few_8x32x64_s2");
  const struct {
    std::int64_t n, k;
    double won;
  } cases[] = {{4096, 1024, 0.7}, {4096, 4096, -1}, {2048, 4096, 0.7}, {16384, 1024, 0}};
  for (const auto& c : cases) {
    problem::Normalized p = Kn(8, c.n, c.k);
    const double plain = row.family->predict_us(row, p, H200());
    p.b.readable_early = true;
    EXPECT_NEAR(plain - row.family->predict_us(row, p, H200()), c.won, 1e-9) << c.n << 'x' << c.k;
  }
}

TEST(FewRows, EveryKnownDeviceHoldsThem) {
  for (const char* name : {"h200", "h100", "a100", "rtx3090", "rtx4090", "rtx5070ti", "rtx5060laptop"}) {
    EXPECT_EQ(Why(FewRow(), Nk(8, 4096, 4096), *dispatch::FindKnownDevice(name)), "") << name;
    EXPECT_EQ(Why(GemvRow(), Nk(1, 4096, 4096), *dispatch::FindKnownDevice(name)), "") << name;
    for (const char* row : {"8x16x64_s4", "8x32x64_s2", "16x16x64_s2"}) {
      const int rows = row[0] == '8' ? 8 : 16;
      EXPECT_EQ(Why(Find("ampere_bf16_kn_few_" + std::string(row)), Kn(rows, 4096, 4096),
                    *dispatch::FindKnownDevice(name)),
                "")
          << name << ' ' << row;
    }
    for (int room : {8, 16, 40}) {
      EXPECT_EQ(Why(AnyRow(room), Unaligned(8, 4096, 4095), *dispatch::FindKnownDevice(name)), "")
          << name << ' ' << room;
    }
  }
}

// H200, BF16, between plain graph edges, 2026-11-23 (docs/perf/decode.md), in microseconds.
TEST(FewRows, PredictionsAreNearTheMeasurements) {
  const char* const gemv = "ampere_bf16_kk_gemv_1x2x256";
  const char* const s3 = "ampere_bf16_kk_few_8x16x64_s3";
  const char* const s4 = "ampere_bf16_kk_few_8x16x64_s4";
  const struct {
    const char* row;
    std::int64_t m, n, k;
    double us;
  } measured[] = {
      {gemv, 1, 1280, 8192, 6.73},   {gemv, 1, 8192, 1024, 5.58},   {gemv, 1, 4096, 4096, 9.56},
      {gemv, 1, 28672, 4096, 54.30}, {gemv, 1, 24576, 1536, 19.28}, {gemv, 1, 512, 7168, 4.18},
      {gemv, 1, 320, 320, 1.86},     {gemv, 1, 1016, 1792, 2.70},   {gemv, 1, 2048, 2048, 3.77},
      {gemv, 1, 19616, 8872, 80.90}, {s3, 4, 8192, 1024, 6.17},     {s3, 4, 24576, 1536, 19.53},
      {s4, 4, 4096, 4096, 10.04},    {s4, 8, 4096, 14336, 29.33},   {s4, 4, 28672, 4096, 55.67},
      {s4, 4, 2112, 7168, 9.68},     {s4, 6, 5000, 5000, 17.50},    {s4, 4, 5120, 13824, 36.56},
      {s4, 4, 512, 7168, 6.13},      {s3, 4, 200, 296, 2.14},       {s4, 4, 7168, 2048, 9.70},
      {s4, 3, 400, 1824, 3.11},
  };
  for (const auto& m : measured) {
    const KernelRow& row = Find(m.row);
    EXPECT_NEAR(row.family->predict_us(row, Nk(m.m, m.n, m.k), H200()) / m.us, 1, 0.12)
        << m.row << ' ' << m.m << 'x' << m.n << 'x' << m.k;
  }
}

// H200, BF16, 2026-11-29 (docs/perf/unaligned.md).
TEST(FewRows, PredictionsOfRowsThatStartAnywhereAreNearTheMeasurements) {
  const struct {
    int room, warps;
    std::int64_t m, n, k;
    double us;
  } measured[] = {{8, 8, 1, 4096, 4097, 11.6},    {8, 8, 6, 4096, 4097, 12.6},    {8, 8, 1, 28672, 4097, 61.1},
                  {8, 8, 8, 14336, 4100, 33.1},   {8, 8, 6, 1280, 8191, 13.5},    {8, 8, 1, 512, 7167, 9.9},
                  {8, 8, 8, 1000, 1001, 5.2},     {8, 8, 1, 300, 4097, 7.2},      {8, 8, 2, 5120, 13825, 37.7},
                  {8, 8, 4096, 8, 4095, 12.5},    {8, 16, 1, 512, 7167, 7.9},     {8, 16, 1, 300, 4097, 6.1},
                  {8, 16, 6, 4096, 4097, 12.2},   {8, 16, 1, 2048, 5119, 9.0},    {16, 8, 16, 4096, 4097, 15.1},
                  {16, 8, 16, 8192, 2047, 15.3},  {16, 8, 16, 6144, 4099, 20.4},  {16, 8, 9, 11008, 4098, 35.6},
                  {16, 8, 12, 5120, 13825, 48.6}, {40, 8, 32, 4096, 4097, 20.5},  {40, 8, 20, 8192, 2047, 23.1},
                  {40, 8, 40, 1280, 8191, 28.4},  {40, 8, 40, 50257, 1025, 107.9}};
  for (const auto& m : measured) {
    const KernelRow& row = AnyRow(m.room, m.warps);
    EXPECT_NEAR(row.family->predict_us(row, Unaligned(m.m, m.n, m.k), H200()) / m.us, 1, 0.2)
        << row.name << ' ' << m.m << 'x' << m.n << 'x' << m.k;
  }
}

// H100s, BF16, 2026-11-25 (docs/perf/hopper/alone.md): rows at multiples of 128, 32 and 16 bytes. With an H200's constants the last
// five are predicted 10% to 15% longer.
TEST(FewRows, OnAnH100RowsOffLinesAreHardlySlower) {
  const char* const s3 = "ampere_bf16_kk_few_8x16x64_s3";
  const char* const s4 = "ampere_bf16_kk_few_8x16x64_s4";
  const struct {
    const char* row;
    std::int64_t m, n, k;
    double us;
  } measured[] = {
      {s3, 4, 4096, 14336, 40.74},  {s4, 4, 4096, 14336, 41.07}, {s4, 4, 10240, 8192, 57.66},
      {s4, 7, 19984, 17432, 245.1}, {s3, 4, 6144, 4096, 18.56},  {s3, 2, 15800, 2656, 29.38},
      {s4, 1, 8360, 4696, 28.79},   {s3, 2, 25624, 584, 12.30},  {s3, 3, 18400, 3000, 39.62},
      {s4, 3, 8744, 3184, 20.87},
  };
  for (const auto& m : measured) {
    const KernelRow& row = Find(m.row);
    EXPECT_NEAR(row.family->predict_us(row, Nk(m.m, m.n, m.k), *dispatch::FindKnownDevice("h100")) / m.us, 1,
                0.08)
        << m.row << ' ' << m.m << 'x' << m.n << 'x' << m.k;
  }
}

TEST(FewRows, AreChosenWhereTheyAreFaster) {
  EXPECT_EQ(Chosen(Nk(1, 4096, 4096)), "ampere_bf16_kk_gemv_1x2x256");
  EXPECT_EQ(Chosen(Nk(1, 320, 320)), "ampere_bf16_kk_gemv_1x2x256");
  EXPECT_EQ(Chosen(Nk(4096, 1, 4096)), "ampere_bf16_kk_gemv_1x2x256");
  EXPECT_EQ(Chosen(Nk(1, 4096, 4096, DataType::kFP16)), "ampere_fp16_kk_gemv_1x2x256");
  EXPECT_EQ(Chosen(Nk(8, 4096, 4096)), "ampere_bf16_kk_few_8x16x64_s4");
  EXPECT_EQ(Chosen(Nk(4, 6144, 4096)), "ampere_bf16_kk_few_8x16x64_s3");
  EXPECT_EQ(Chosen(Nk(12, 520, 296)), "ampere_bf16_kk_few_16x16x64_s2");
  EXPECT_EQ(Chosen(Kn(1, 1312, 488)), "ampere_bf16_kn_few_8x16x64_s4");
  EXPECT_EQ(Chosen(Kn(8, 4096, 4096)), "ampere_bf16_kn_few_8x32x64_s2");
  EXPECT_EQ(Chosen(Kn(9, 536, 360)), "ampere_bf16_kn_few_16x16x64_s2");
  // 43.0 us for 50.0, and 174 for 202: CTAs in three rounds.
  EXPECT_EQ(Chosen(Kn(5, 20672, 4304)).find("hopper_"), 0u);
  EXPECT_EQ(Chosen(Kn(5, 13760, 28432)).find("hopper_"), 0u);
  EXPECT_EQ(Chosen(Nk(1, 8192, 8192), *dispatch::FindKnownDevice("rtx4090")), "ampere_bf16_kk_gemv_1x2x256");
  // K that many warps have to go through one after the other is shared by CTAs elsewhere.
  EXPECT_EQ(Chosen(Nk(4, 512, 7168)).find("hopper_bf16_kk_swap_"), 0u);
  // 448 CTAs: 3 SMs of 8 get one more than the others. Skinny and tiled kernels are level there (9.15 and 9.17 us on an H200, 2026-11-28).
  const problem::Normalized uneven = Nk(4, 7168, 2048);
  EXPECT_EQ(Chosen(uneven).find("hopper_bf16_kk_"), 0u);
  const KernelRow& chosen = Find(Chosen(uneven));
  for (const char* few : {"ampere_bf16_kk_few_8x16x64_s3", "ampere_bf16_kk_few_8x16x64_s4"}) {
    EXPECT_GT(FewRow().family->predict_us(Find(few), uneven, H200()),
              1.05 * chosen.family->predict_us(chosen, uneven, H200()))
        << few;
  }
  problem::Normalized p = Nk(1, 4096, 4096);
  p.batch_invariant = true;
  EXPECT_EQ(Chosen(p).find("hopper_"), 0u);
  for (std::int64_t m : {1, 8}) EXPECT_EQ(Chosen(Unaligned(m, 8192, 4095)), AnyRow(8).name) << m;
  EXPECT_EQ(Chosen(Unaligned(8192, 8, 4095)), AnyRow(8).name);
  EXPECT_EQ(Chosen(Unaligned(16, 8192, 2047)), AnyRow(16).name);
  // So few CTAs that more warps hide more of K.
  EXPECT_EQ(Chosen(Unaligned(1, 512, 7167)), AnyRow(8, 16).name);
  // N is no multiple of 8, and B's rows in no classes of equal size.
  EXPECT_EQ(Chosen(Unaligned(24, 11009, 4097)), AnyRow(40).name);
  // 24x4096x4097 takes 15.6 us by such classes and 18.6 by AnyRow(40) (H200, 2026-11-30).
  EXPECT_NE(Chosen(Unaligned(24, 4096, 4095)).find("_classes"), std::string::npos);
  // From some 30 rows on by wgmma: 40x4096x4097 21.4 us for 22.4, 24x4096x4097 19.7 for 18.6 (H200, 2026-11-29).
  EXPECT_EQ(Chosen(Unaligned(33, 4097, 4095)), "hopper_bf16_kk_64x128x64_s4_pk_anywhere");
}

// Without the correction.
double ByTheModel(const KernelRow& row, const problem::Normalized& p, const Device& device = H200()) {
  const dispatch::CostModel& model = *row.family->model;
  std::vector<double> constants(model.count);
  model.get(device, constants.data());
  return model.predict_us(row, p, device, constants.data());
}

double Corrected(const KernelRow& row, const problem::Normalized& p, const Device& device = H200()) {
  return row.family->predict_us(row, p, device) / ByTheModel(row, p, device);
}

// The correction was learned without them.
TEST(FewRows, TheCorrectionIsNotOfRowsThatStartAnywhere) {
  EXPECT_EQ(Corrected(AnyRow(8), Unaligned(1, 4096, 4097)), 1);
}

TEST(FewRows, TheCorrectionIsOfProductsOnHopper) {
  for (const KernelRow* row : {&GemvRow(), &FewRow()}) {
    const problem::Normalized single = Nk(1, 4096, 4096);
    EXPECT_NE(Corrected(*row, single), 1) << row->name;
    EXPECT_NE(Corrected(*row, single, *dispatch::FindKnownDevice("h100")), 1) << row->name;
    EXPECT_EQ(Corrected(*row, single, *dispatch::FindKnownDevice("a100")), 1) << row->name;
    problem::Normalized batched = single;
    batched.batch = 2;
    EXPECT_NE(Corrected(*row, batched), 1) << row->name;
    problem::Normalized early = single;
    early.b.readable_early = true;
    EXPECT_NE(Corrected(*row, early), 1) << row->name;
    problem::Normalized early_a = single;
    early_a.a.readable_early = true;
    EXPECT_EQ(Corrected(*row, early_a), 1) << row->name;
  }
}

TEST(FewRows, PredictionsAreAlikeWhicheverOperandIsLonger) {
  for (const KernelRow* row : {&GemvRow(), &FewRow(), &AnyRow(16)}) {
    EXPECT_EQ(row->family->predict_us(*row, Nk(1, 6144, 4096), H200()),
              row->family->predict_us(*row, Nk(6144, 1, 4096), H200()))
        << row->name;
  }
}

double Early(const KernelRow& row, std::int64_t n, std::int64_t k, const Device& device = H200()) {
  problem::Normalized p = Nk(1, n, k);
  const double late = ByTheModel(row, p, device);
  p.b.readable_early = true;
  return late - ByTheModel(row, p, device);
}

// The numbers of CTAs beside those that run at a time decide (predict.cc).
TEST(FewRows, AnEarlyOperandIsPredictedToWin) {
  EXPECT_GT(Early(GemvRow(), 512, 4096), 0.3);
  EXPECT_GT(Early(GemvRow(), 28672, 4096), 0.3);
  EXPECT_LT(Early(GemvRow(), 1280, 8192), 0);  // 640 of 1056
  EXPECT_GT(Early(FewRow(), 4096, 4096), 0.3);
  EXPECT_EQ(Early(FewRow(), 28672, 4096), 0);
  // Code for 8.0 has no griddepcontrol.
  EXPECT_EQ(Early(GemvRow(), 4096, 4096, *dispatch::FindKnownDevice("a100")), 0);
  EXPECT_EQ(Early(FewRow(), 2048, 4096, *dispatch::FindKnownDevice("a100")), 0);
}

// Their epilogue would multiply the sum of nothing by alpha, which may be infinite.
TEST(FewRows, NothingAlongKIsForOthers) {
  for (const KernelRow* row : {&GemvRow(), &FewRow(), &AnyRow(8)}) {
    problem::Normalized nothing = Nk(1, 8, 8);
    nothing.k = 0;
    EXPECT_EQ(row->family->reject(*row, nothing, H200()), "K = 0 leaves nothing to multiply") << row->name;
  }
}

TEST(FewRows, PredictionsOfExtremesArePositive) {
  for (const KernelRow* row : {&GemvRow(), &FewRow(), &AnyRow(8)}) {
    problem::Normalized nothing = Nk(1, 8, 8);
    nothing.k = 0;
    EXPECT_GT(row->family->predict_us(*row, nothing, H200()), 0);
    problem::Normalized batch = Nk(1, 4096, 16384);
    const double one = row->family->predict_us(*row, batch, H200());
    batch.batch = 1000;
    batch.a.batch_stride = 16384;  // one B, which the L2 cannot hold
    EXPECT_GT(row->family->predict_us(*row, batch, H200()), 500 * one);
  }
}

}  // namespace
}  // namespace gemm::ampere::few
