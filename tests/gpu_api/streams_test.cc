// Streams, threads, graphs, and launches that overlap their predecessors.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <thread>

#include "tests/gpu_api/product.h"

namespace gemm::tests {
namespace {

TEST(Streams, AGraphOfKernelsAloneReplays) {
  for (const std::string& line : LinesOfAllBackends()) {
    Product product(line);
    ASSERT_TRUE(product.good());
    gpu::Stream stream;
    gpu::Graph graph;
    ASSERT_OK(gpu::Stream::Create(&stream));
    ASSERT_EQ(product.device().ResetD(), "");
    // The plan's first run of all is the captured one.
    ASSERT_OK(stream.BeginCapture());
    ASSERT_OK(product.plan().Run(product.ArgumentsOn(stream.handle())));
    ASSERT_OK(stream.EndCapture(&graph));
    ASSERT_OK(gpu::Synchronize());
    EXPECT_EQ(product.device().DUntouched(), "") << "a captured run must not run";
    EXPECT_EQ(graph.node_count(), graph.kernel_count()) << "no memset, no copy";
    // A second kernel leaves what it makes in the workspace.
    EXPECT_LE(graph.kernel_count(), product.plan().workspace_size() == 0 ? 1u : 2u) << line;
    for (int replay = 0; replay < 3; ++replay) {
      ASSERT_EQ(product.device().ResetD(), "");
      ASSERT_OK(graph.Launch(stream.handle()));
      ASSERT_OK(stream.Synchronize());
      EXPECT_EQ(product.device().CheckResult(), "") << line << " replay " << replay;
    }
  }
}

TEST(Streams, AReplayReadsTheScalarsAnew) {
  for (const std::string& line : LinesOfAllBackends()) {
    const std::string common = line + " scalars=device cmode=distinct fill=integers";
    Product product(common + " alpha=2 beta=-0.5");
    ASSERT_TRUE(product.good());
    gpu::Stream stream;
    gpu::Graph graph;
    ASSERT_OK(gpu::Stream::Create(&stream));
    ASSERT_OK(stream.BeginCapture());
    ASSERT_OK(product.plan().Run(product.ArgumentsOn(stream.handle())));
    ASSERT_OK(stream.EndCapture(&graph));
    for (const float factor : {2.0f, 0.0f, -1.0f}) {
      // Only the scalars' memory changes; the graph is the same.
      const float scalars[2] = {factor, 3.0f};
      gpu::DeviceBuffer staged;
      ASSERT_OK(gpu::DeviceBuffer::Create(sizeof scalars, &staged));
      ASSERT_OK(staged.CopyFrom(scalars, sizeof scalars));
      ASSERT_OK(gpu::Copy(const_cast<float*>(product.arguments().alpha_device), staged.data(), sizeof scalars,
                          nullptr));
      ASSERT_OK(gpu::Synchronize());
      ASSERT_EQ(product.device().ResetD(), "");
      ASSERT_OK(graph.Launch(stream.handle()));
      ASSERT_OK(stream.Synchronize());
      std::vector<unsigned char> got;
      ASSERT_EQ(product.device().DownloadD(&got), "");
      HostCase judge(ParseOne(common + " beta=3 alpha=" + std::to_string(factor)));
      EXPECT_EQ(judge.Complaint(got), "") << line << " alpha " << factor;
    }
  }
}

TEST(Streams, ManyThreadsRunOnePlanOnTheirOwnStreams) {
  constexpr int kThreads = 8;
  constexpr int kRuns = 40;
  for (const std::string& line : LinesOfAllBackends()) {
    Product product(line);
    ASSERT_TRUE(product.good());
    const std::size_t bytes = product.host().d().size();
    std::vector<gpu::DeviceBuffer> results(kThreads);
    std::vector<gpu::DeviceBuffer> workspaces(kThreads);
    for (int i = 0; i < kThreads; ++i) {
      ASSERT_OK(gpu::DeviceBuffer::Create(bytes, &results[i]));
      ASSERT_OK(results[i].Fill(0xff));
      ASSERT_OK(gpu::DeviceBuffer::Create(product.plan().workspace_size(), &workspaces[i]));
    }
    ASSERT_OK(gpu::Synchronize());
    std::vector<std::string> complaints(kThreads);
    const auto work = [&](int i) {
      gpu::Context context;
      gpu::Stream stream;
      Status status = gpu::Context::Primary(0, &context);
      if (status.ok()) status = gpu::Stream::Create(&stream);
      Arguments arguments = product.ArgumentsOn(stream.handle());
      arguments.d = results[i].data();
      arguments.workspace = workspaces[i].data();
      for (int run = 0; run < kRuns && status.ok(); ++run) status = product.plan().Run(arguments);
      if (status.ok()) status = stream.Synchronize();
      complaints[i] = status.message();
    };
    std::vector<std::thread> threads;
    for (int i = 0; i < kThreads; ++i) threads.emplace_back(work, i);
    for (std::thread& thread : threads) thread.join();
    std::vector<unsigned char> first(bytes), other(bytes);
    for (int i = 0; i < kThreads; ++i) {
      EXPECT_EQ(complaints[i], "");
      ASSERT_OK(results[i].CopyTo(other.data(), bytes));
      if (i == 0) first = other;
      EXPECT_EQ(other, first) << line << " thread " << i;
    }
    EXPECT_EQ(product.host().Complaint(first), "") << line;
  }
}

TEST(Streams, ThreadsPlanAtOnce) {
  const std::vector<std::string> lines = LinesOfAllBackends();
  std::vector<std::string> complaints(24);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < complaints.size(); ++i) {
    threads.emplace_back([&, i] {
      Plan plan;
      complaints[i] = Plan::Create(ParseOne(lines[i % lines.size()]).problem, {}, &plan).message();
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::string& complaint : complaints) EXPECT_EQ(complaint, "");
}

TEST(Streams, APlanMayEndBeforeItsProduct) {
  Product product("1024 1024 512");
  ASSERT_TRUE(product.good());
  ASSERT_EQ(product.device().ResetD(), "");
  {
    Plan plan;
    ASSERT_OK(Plan::Create(product.problem(), {}, &plan));
    ASSERT_OK(plan.Run(product.arguments()));
  }
  ASSERT_OK(gpu::Synchronize());
  EXPECT_EQ(product.device().CheckResult(), "");
}

// Products that each read what the one before wrote and write what it read: x -> y -> x -> ... With
// programmatic launch a kernel starts while its predecessor still runs, and must wait before it reads or
// writes.
struct ChainOf {
  const char* line;
  const char* kernel;  // "": the library's choice
};

class Chain : public ::testing::TestWithParam<ChainOf> {
 protected:
  static constexpr int kLength = 24;

  void RunChain(const Problem& problem, bool programmatic, bool in_graph, const std::vector<unsigned char>& x0,
                const gpu::DeviceBuffer& weights, std::vector<unsigned char>* result) {
    PlanOptions options;
    options.programmatic_launch = programmatic;
    options.constant_b = programmatic;
    options.kernel = GetParam().kernel;
    Plan plan;
    ASSERT_OK(Plan::Create(problem, options, &plan));
    gpu::DeviceBuffer x, y, workspace;
    gpu::Stream stream;
    gpu::Graph graph;
    ASSERT_OK(gpu::DeviceBuffer::Create(x0.size(), &x));
    ASSERT_OK(gpu::DeviceBuffer::Create(x0.size(), &y));
    ASSERT_OK(gpu::DeviceBuffer::Create(plan.workspace_size(), &workspace));
    ASSERT_OK(gpu::Stream::Create(&stream));
    ASSERT_OK(x.CopyFrom(x0.data(), x0.size()));
    ASSERT_OK(y.Fill(0xff));
    ASSERT_OK(gpu::Synchronize());
    if (in_graph) ASSERT_OK(stream.BeginCapture());
    for (int i = 0; i < kLength; ++i) {
      Arguments arguments;
      arguments.a = i % 2 == 0 ? x.data() : y.data();
      arguments.b = weights.data();
      arguments.d = i % 2 == 0 ? y.data() : x.data();
      arguments.alpha = 1 / std::sqrt(static_cast<float>(problem.k));  // keeps the numbers where they started
      arguments.workspace = workspace.data();
      arguments.workspace_size = workspace.size();
      arguments.stream = stream.handle();
      ASSERT_OK(plan.Run(arguments));
    }
    if (in_graph) {
      ASSERT_OK(stream.EndCapture(&graph));
      ASSERT_OK(graph.Launch(stream.handle()));
    }
    ASSERT_OK(stream.Synchronize());
    result->resize(x0.size());
    ASSERT_OK((kLength % 2 == 0 ? x : y).CopyTo(result->data(), result->size()));
  }
};

TEST_P(Chain, ProgrammaticLaunchGivesTheSameBits) {
  if (BackendOf(GetParam().kernel) == "hopper" && TheDevice().compute_capability() != 90)
    GTEST_SKIP() << "this kernel needs compute capability 9.0";
  HostCase host(ParseOne(GetParam().line));
  const Problem& problem = host.description().problem;
  gpu::DeviceBuffer weights;
  ASSERT_OK(gpu::DeviceBuffer::Create(host.b().size(), &weights));
  ASSERT_OK(weights.CopyFrom(host.b().data(), host.b().size()));
  std::vector<unsigned char> plain;
  RunChain(problem, false, false, host.a(), weights, &plain);
  ASSERT_FALSE(HasFatalFailure());
  EXPECT_NE(plain, host.a());
  for (int round = 0; round < 10; ++round) {
    for (const bool in_graph : {false, true}) {
      std::vector<unsigned char> chained;
      RunChain(problem, true, in_graph, host.a(), weights, &chained);
      ASSERT_FALSE(HasFatalFailure());
      ASSERT_EQ(chained, plain) << "round " << round << (in_graph ? ", in a graph" : "");
    }
  }
}

// N = K, so that D has the shape of A; the padded one keeps rows off the 16-byte grid: each run packs what the one before stored. Hopper's
// transposed kernels ask early for an operand that is A to them and B to others: one of each schedule, alone and in clusters, with a K
// that fills their rings, which may end within a step.
INSTANTIATE_TEST_SUITE_P(
    Lines, Chain,
    ::testing::Values(ChainOf{"64 256 256 in=bf16", ""}, ChainOf{"2048 256 256 in=fp16", ""},
                      ChainOf{"1 256 256 in=bf16", "ampere_bf16_kk_gemv_1x2x256"},
                      ChainOf{"1 256 256 in=fp16", "ampere_fp16_kk_gemv_1x2x256"},
                      ChainOf{"8 256 256 in=bf16", "ampere_bf16_kk_few_8x16x64_s3"},
                      ChainOf{"4 256 256 in=fp16", "ampere_fp16_kk_few_8x16x64_s4"},
                      ChainOf{"512 256 256 in=bf16 lda=+1 ldd=+1", ""}, ChainOf{"512 256 256 in=fp32", ""},
                      ChainOf{"200 1000 1000 in=bf16", "hopper_bf16_kk_64x64x64_s12_c1x1"},
                      ChainOf{"200 1000 1000 in=bf16", "hopper_bf16_kk_64x64x64_s12_c1x1_t"},
                      ChainOf{"200 1000 1000 in=fp16", "hopper_fp16_kk_64x88x64_s11_c4x1_t"},
                      ChainOf{"256 1024 1024 in=bf16", "hopper_bf16_kk_128x128x64_s6_c1x1_pp_t"},
                      ChainOf{"256 1024 1024 in=bf16", "hopper_bf16_kk_128x80x64_s8_c2x2_sk_t"},
                      ChainOf{"200 1000 1000 in=bf16", "hopper_bf16_kk_64x112x64_s9_c2x1_ck_t"},
                      ChainOf{"256 1024 1024 in=bf16", "hopper_bf16_kk_64x80x64_s12_c1x1_pk_t"}));

TEST(Latency, OfRunOnTheHostIsMicroseconds) {
  Product product("1 4096 4096 in=bf16");
  ASSERT_TRUE(product.good());
  gpu::Stream stream;
  ASSERT_OK(gpu::Stream::Create(&stream));
  const Arguments arguments = product.ArgumentsOn(stream.handle());
  constexpr int kCalls = 10000;
  constexpr int kInFlight = 128;  // well below where the driver's queue makes a launch wait
  std::vector<double> microseconds;
  for (int call = 0; call < kCalls; ++call) {
    if (call % kInFlight == 0) ASSERT_OK(stream.Synchronize());
    const auto start = std::chrono::steady_clock::now();
    const Status status = product.plan().Run(arguments);
    const std::chrono::duration<double, std::micro> taken = std::chrono::steady_clock::now() - start;
    ASSERT_OK(status);
    microseconds.push_back(taken.count());
  }
  ASSERT_OK(stream.Synchronize());
  std::sort(microseconds.begin(), microseconds.end());
  const double median = microseconds[kCalls / 2];
  std::printf("Plan::Run on the host at M = 1 (%s): median %.2f us, 90%% below %.2f us, of %d calls\n",
              product.plan().kernel_name(), median, microseconds[kCalls * 9 / 10], kCalls);
  RecordProperty("median_us", std::to_string(median));
  EXPECT_LT(median, 20.0) << "something allocates, locks or synchronises";
  EXPECT_EQ(product.device().CheckResult(), "");
}

}  // namespace
}  // namespace gemm::tests
