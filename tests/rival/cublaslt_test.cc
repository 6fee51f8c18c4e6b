// The rival against a stand-in for cuBLASLt that multiplies on the host.
#include "tools/rival/cublaslt.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <vector>

#include "tests/support/compare.h"
#include "tests/support/fills.h"
#include "tests/support/oracle.h"
#include "tools/rival/configuration.h"

namespace gemm::rival {
namespace {

using testing::HasSubstr;

std::string FakeFolder() {
  return std::string(std::getenv("TEST_SRCDIR")) + "/" + std::getenv("TEST_WORKSPACE") + "/tests/rival";
}

std::shared_ptr<CublasLt> LoadFake() {
  std::shared_ptr<CublasLt> library;
  Status status = CublasLt::Load(FakeFolder() + "/libcublasLt.so.13", &library);
  if (status.ok()) status = library->CreateHandle();
  EXPECT_TRUE(status.ok()) << status.message();
  return library;
}

TEST(CublasLt, SaysWhichAndFromWhere) {
  const auto library = LoadFake();
  EXPECT_EQ(library->version(), "13.2.3");
  EXPECT_THAT(library->path(), HasSubstr("tests/rival/libcublasLt.so.13"));
}

TEST(CublasLt, SearchesFolders) {
  std::shared_ptr<CublasLt> library;
  EXPECT_TRUE(CublasLt::Load(FakeFolder(), &library).ok());
  // As PyTorch's wheels lie in a site-packages folder.
  const std::filesystem::path site = std::filesystem::path(testing::TempDir()) / "site-packages";
  std::filesystem::create_directories(site / "nvidia/cu13/lib");
  std::filesystem::remove(site / "nvidia/cu13/lib/libcublasLt.so.13");
  std::filesystem::create_symlink(FakeFolder() + "/libcublasLt.so.13",
                                  site / "nvidia/cu13/lib/libcublasLt.so.13");
  const Status status = CublasLt::Load(site.string(), &library);
  EXPECT_TRUE(status.ok()) << status.message();
}

TEST(CublasLt, SaysWhyItIsNotThere) {
  std::shared_ptr<CublasLt> library;
  Status status = CublasLt::Load("/nowhere/libcublasLt.so.13", &library);
  EXPECT_EQ(status.code(), StatusCode::kUnsupported);
  EXPECT_THAT(status.message(), HasSubstr("/nowhere/libcublasLt.so.13: cannot open"));
  status = CublasLt::Load(testing::TempDir(), &library);
  EXPECT_THAT(status.message(), HasSubstr("no libcublasLt.so.13 or .12 in"));
  // A library that is another.
  status = CublasLt::Load("libc.so.6", &library);
  EXPECT_THAT(status.message(), HasSubstr("cuBLASLt lacks cublasLt"));
  EXPECT_EQ(library, nullptr);
}

Problem MakeProblem(Layout a, Layout b, Layout d, DataType in, DataType out, std::int64_t batch) {
  Problem problem;
  problem.m = 5;
  problem.n = 7;
  problem.k = 11;
  problem.batch = batch;
  problem.a.layout = a;
  problem.b.layout = b;
  problem.c.layout = problem.d.layout = d;
  problem.a.type = problem.b.type = in;
  problem.c.type = problem.d.type = out;
  return problem;
}

void ExpectRight(const std::shared_ptr<CublasLt>& library, const Problem& problem, float beta) {
  std::vector<char> a(tests::ExtentBytes(tests::ViewOfA(problem)));
  std::vector<char> b(tests::ExtentBytes(tests::ViewOfB(problem)));
  std::vector<char> c(tests::ExtentBytes(tests::ViewOfC(problem)));
  std::vector<char> d(tests::ExtentBytes(tests::ViewOfD(problem)));
  tests::FillMatrix(tests::ViewOfA(problem, a.data()), tests::Fill::kNormal, tests::Operand::kA, 1);
  tests::FillMatrix(tests::ViewOfB(problem, b.data()), tests::Fill::kNormal, tests::Operand::kB, 2);
  tests::FillMatrix(tests::ViewOfC(problem, c.data()), tests::Fill::kNormal, tests::Operand::kC, 3);
  tests::FillPoison(problem.d.type, d.data(), tests::Extent(tests::ViewOfD(problem)));
  Product product;
  Status status = product.Create(library, problem);
  std::vector<Algorithm> algorithms;
  if (status.ok()) status = product.Heuristics(8, 1 << 20, &algorithms);
  ASSERT_TRUE(status.ok()) << status.message();
  Arguments args;
  args.a = a.data();
  args.b = b.data();
  args.c = beta == 0 ? nullptr : c.data();
  args.d = d.data();
  args.alpha = 0.5f;
  args.beta = beta;
  status = product.Run(args, &algorithms.front());
  ASSERT_TRUE(status.ok()) << status.message();
  const auto expected = tests::ComputeOracle(problem, a.data(), b.data(), args.c, args.alpha, args.beta);
  const tests::CheckReport report = tests::CheckBound(expected, tests::ViewOfD(problem, d.data()));
  EXPECT_TRUE(report.ok()) << report.ToString();
}

TEST(Product, EveryLayoutMeansWhatItSays) {
  const auto library = LoadFake();
  const Layout layouts[] = {Layout::kRowMajor, Layout::kColumnMajor};
  for (const Layout a : layouts) {
    for (const Layout b : layouts) {
      for (const Layout d : layouts) {
        for (const std::int64_t batch : {1, 3}) {
          for (const float beta : {0.0f, 2.0f}) {
            SCOPED_TRACE(testing::Message() << "A " << Name(a) << ", B " << Name(b) << ", D " << Name(d)
                                            << ", batch " << batch << ", beta " << beta);
            ExpectRight(library, MakeProblem(a, b, d, DataType::kBF16, DataType::kBF16, batch), beta);
          }
        }
      }
    }
  }
}

TEST(Product, RoundsToTF32OnlyWhereAsked) {
  const auto library = LoadFake();
  for (const DataType type : {DataType::kFP32, DataType::kBF16}) {
    for (const ComputeType compute : {ComputeType::kTensor, ComputeType::kTF32}) {
      Problem problem = MakeProblem(Layout::kRowMajor, Layout::kColumnMajor, Layout::kRowMajor, type, type, 1);
      problem.compute = compute;
      Product product;
      std::vector<Algorithm> algorithms;
      ASSERT_TRUE(product.Create(library, problem).ok());
      ASSERT_TRUE(product.Heuristics(8, 1 << 20, &algorithms).ok());
      const bool rounds = type == DataType::kFP32 && compute == ComputeType::kTF32;
      EXPECT_EQ(algorithms.size() == 1, rounds) << Name(type) << ' ' << Name(compute);
    }
  }
}

TEST(Product, TypesLeadingDimensionsAndBroadcast) {
  const auto library = LoadFake();
  const Layout row = Layout::kRowMajor;
  const Layout column = Layout::kColumnMajor;
  ExpectRight(library, MakeProblem(row, column, row, DataType::kFP32, DataType::kFP32, 1), 0);
  ExpectRight(library, MakeProblem(row, column, row, DataType::kFP16, DataType::kFP32, 1), 1);
  Problem problem = MakeProblem(row, column, row, DataType::kFP16, DataType::kFP16, 2);
  problem.a.ld = 13;
  problem.b.ld = 17;
  problem.c.ld = 9;
  problem.d.ld = 8;
  problem.b.batch_stride = 0;
  ExpectRight(library, problem, 1);
}

// Numbers of cublasLt.h 13.0.
TEST(Configuration, NumbersAreToldAsExtents) {
  EXPECT_EQ(TileText(1, false), "8x8");
  EXPECT_EQ(TileText(24, false), "256x128");
  EXPECT_EQ(TileText(24, true), "128x256");
  EXPECT_EQ(TileText(634, false), "512x1024");
  EXPECT_EQ(ClusterText(0, true), "auto");
  EXPECT_EQ(ClusterText(2, false), "1x1");
  EXPECT_EQ(ClusterText(7, false), "4x2");
  EXPECT_EQ(ClusterText(7, true), "2x4");
  EXPECT_EQ(ClusterText(51, false), "1x15");
  EXPECT_EQ(StagesText(35), "64xauto");
  EXPECT_EQ(StagesText(16), "64x4");
  EXPECT_EQ(StagesText(31), "8x3");
}

TEST(Configuration, OtherNumbersStayNumbers) {
  EXPECT_EQ(TileText(0, false), "id 0");
  EXPECT_EQ(TileText(635, true), "id 635");
  EXPECT_EQ(ClusterText(1, false), "id 1");
  EXPECT_EQ(ClusterText(52, false), "id 52");
  EXPECT_EQ(StagesText(30), "id 30");
}

TEST(Product, LeavesOutAlgorithmsThatDoNotFit) {
  const auto library = LoadFake();
  Product product;
  ASSERT_TRUE(product
                  .Create(library, MakeProblem(Layout::kRowMajor, Layout::kColumnMajor, Layout::kRowMajor,
                                               DataType::kBF16, DataType::kBF16, 1))
                  .ok());
  std::vector<Algorithm> algorithms;
  ASSERT_TRUE(product.Heuristics(8, 1 << 20, &algorithms).ok());
  ASSERT_EQ(algorithms.size(), 2u);
  EXPECT_EQ(algorithms[1].description, "algo 2 tile 704x48 stages id 602 cluster id 802 split-k 202");
  EXPECT_EQ(algorithms[1].workspace_bytes, 1024u);
}

TEST(Product, RefusesWhatTheRivalDoesNotKnow) {
  const auto library = LoadFake();
  Product product;
  ASSERT_TRUE(product
                  .Create(library, MakeProblem(Layout::kRowMajor, Layout::kColumnMajor, Layout::kRowMajor,
                                               DataType::kFP16, DataType::kBF16, 1))
                  .ok());
  std::vector<Algorithm> algorithms;
  const Status status = product.Heuristics(8, 0, &algorithms);
  EXPECT_EQ(status.code(), StatusCode::kUnsupported);
  EXPECT_THAT(status.message(),
              HasSubstr("cublasLtMatmulAlgoGetHeuristic failed: CUBLAS_STATUS_NOT_SUPPORTED"));
  Product eight;
  EXPECT_EQ(eight
                .Create(library, MakeProblem(Layout::kRowMajor, Layout::kColumnMajor, Layout::kRowMajor,
                                             DataType::kFP8E4M3, DataType::kBF16, 1))
                .code(),
            StatusCode::kUnsupported);
}

}  // namespace
}  // namespace gemm::rival
