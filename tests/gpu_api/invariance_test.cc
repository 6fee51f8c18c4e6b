// PlanOptions::batch_invariant: row i of D has the same bits whatever M is.
#include <algorithm>
#include <cstring>
#include <random>
#include <set>

#include "tests/gpu_api/product.h"

namespace gemm::tests {
namespace {

constexpr std::int64_t kMostRows = 4096;

struct Weights {
  std::int64_t n, k;
  DataType type;
  Layout layout;  // of B
};

std::ostream& operator<<(std::ostream& out, const Weights& w) {
  return out << w.n << "x" << w.k << (w.type == DataType::kBF16 ? " bf16" : " fp16")
             << (w.layout == Layout::kColumnMajor ? " nk" : " kn");
}

// Few columns and a long K, where a split of K would pay most; many columns; sizes that no tile divides.
const Weights kWeights[] = {
    {512, 8192, DataType::kBF16, Layout::kColumnMajor},  {1536, 8192, DataType::kFP16, Layout::kRowMajor},
    {2112, 1032, DataType::kBF16, Layout::kColumnMajor}, {520, 3000, DataType::kBF16, Layout::kRowMajor},
    {4096, 512, DataType::kFP16, Layout::kColumnMajor},
};

class Invariance : public ::testing::TestWithParam<Weights> {
 protected:
  // 16-bit patterns of numbers between 2^-4 and 2, of both signs and of either type: their sums round differently in each
  // order.
  static void FillRandom(std::int64_t count, DataType type, unsigned seed, gpu::DeviceBuffer* out) {
    std::mt19937 random(seed);
    const unsigned mantissa = type == DataType::kBF16 ? 7 : 10;
    const unsigned bias = type == DataType::kBF16 ? 127 : 15;
    std::vector<std::uint16_t> values(static_cast<std::size_t>(count));
    for (auto& value : values) {
      const unsigned bits = random();
      const unsigned exponent = bias - 4 + bits % 5;
      value = static_cast<std::uint16_t>((bits >> 16 & 0x8000) | exponent << mantissa |
                                         (bits >> 8 & ((1u << mantissa) - 1)));
    }
    ASSERT_OK(gpu::DeviceBuffer::Create(values.size() * 2, out));
    ASSERT_OK(out->CopyFrom(values.data(), values.size() * 2));
  }

  void SetUp() override {
    const Weights& w = GetParam();
    FillRandom(kMostRows * w.k, w.type, 1, &a_);
    FillRandom(w.n * w.k, w.type, 2, &b_);
    ASSERT_OK(gpu::DeviceBuffer::Create(static_cast<std::size_t>(kMostRows * w.n) * 4, &d_));
  }

  // The bytes of D, FP32, and in *kernel who made them.
  void Multiply(std::int64_t m, std::vector<unsigned char>* out, std::string* kernel) {
    const Weights& w = GetParam();
    Problem problem;
    problem.m = m;
    problem.n = w.n;
    problem.k = w.k;
    problem.a.type = problem.b.type = w.type;
    problem.c.type = problem.d.type = DataType::kFP32;
    problem.b.layout = w.layout;
    PlanOptions options;
    options.batch_invariant = true;
    Plan plan;
    ASSERT_OK(Plan::Create(problem, options, &plan));
    gpu::DeviceBuffer workspace;
    ASSERT_OK(gpu::DeviceBuffer::Create(plan.workspace_size(), &workspace));
    Arguments arguments;
    arguments.a = a_.data();
    arguments.b = b_.data();
    arguments.d = d_.data();
    arguments.workspace = workspace.data();
    arguments.workspace_size = workspace.size();
    ASSERT_OK(plan.Run(arguments));
    out->resize(static_cast<std::size_t>(m * w.n) * 4);
    ASSERT_OK(d_.CopyTo(out->data(), out->size()));
    *kernel = plan.kernel_name();
  }

 private:
  gpu::DeviceBuffer a_, b_, d_;
};

TEST_P(Invariance, RowsHaveTheSameBitsWhateverMIs) {
  std::vector<unsigned char> all, some;
  std::string kernel;
  std::set<std::string> kernels;
  Multiply(kMostRows, &all, &kernel);
  if (HasFatalFailure()) return;
  for (std::int64_t m = 1; m <= 512; ++m) {
    Multiply(m, &some, &kernel);
    if (HasFatalFailure()) return;
    kernels.insert(kernel);
    ASSERT_EQ(std::memcmp(some.data(), all.data(), some.size()), 0) << "m = " << m << ", " << kernel;
  }
  // Not because there is but one kernel.
  EXPECT_TRUE(TheDevice().compute_capability() != 90 || kernels.size() > 1);
}

INSTANTIATE_TEST_SUITE_P(Lines, Invariance, ::testing::ValuesIn(kWeights));

// A single row is described to kernels as several are (problem::Normalize), in layouts that they meet nowhere else.
TEST(InvarianceOfOneRow, RightInEveryLayout) {
  PlanOptions options;
  options.batch_invariant = true;
  const std::vector<std::string> layouts = {"r", "c"};
  for (const std::string& a : layouts) {
    for (const std::string& b : layouts) {
      for (const std::string& c : layouts) {
        for (const std::string& d : layouts) {
          for (const char* sizes : {"1 40 97", "1 264 96", "1 33 1", "1 1 9"}) {
            for (const char* types : {"in=bf16", "in=fp16 out=fp32", "in=fp32 compute=tf32"}) {
              Product product(std::string(sizes) + " " + types + " a=" + a + " b=" + b + " c=" + c + " d=" + d +
                                  " beta=-1.5 cmode=distinct fill=integers",
                              options);
              if (!product.good()) continue;
              EXPECT_EQ(product.device().RunOnceAndCheck(product.plan()), "")
                  << product.plan().kernel_name_with_c();
            }
          }
        }
      }
    }
  }
}

// Sums of products too small for FP32 are -0, to which the zeros add that fill a kernel's last columns of K: in some kernels, for those of
// others divide K, and M decides which one runs.
TEST(InvarianceOfZeros, OneSignInEveryPortableKernel) {
  constexpr std::int64_t kSize = 40;
  constexpr std::size_t kCount = kSize * kSize;
  const std::vector<float> a(kCount, -1e-30f), b(kCount, 1e-30f);
  gpu::DeviceBuffer a_buffer, b_buffer, d_buffer;
  ASSERT_OK(gpu::DeviceBuffer::Create(kCount * sizeof(float), &a_buffer));
  ASSERT_OK(gpu::DeviceBuffer::Create(kCount * sizeof(float), &b_buffer));
  ASSERT_OK(gpu::DeviceBuffer::Create(kCount * sizeof(float), &d_buffer));
  ASSERT_OK(a_buffer.CopyFrom(a.data(), kCount * sizeof(float)));
  ASSERT_OK(b_buffer.CopyFrom(b.data(), kCount * sizeof(float)));
  Problem problem;
  problem.m = problem.n = problem.k = kSize;
  problem.a.type = problem.b.type = problem.c.type = problem.d.type = DataType::kFP32;
  problem.b.layout = Layout::kColumnMajor;
  int kernels = 0;
  for (const dispatch::KernelRow* row : dispatch::Registry()) {
    if (BackendOf(row->name) != "simt") continue;
    PlanOptions options;
    options.batch_invariant = true;
    options.kernel = row->name;
    Plan plan;
    const Status status = Plan::Create(problem, options, &plan);
    if (status.code() == StatusCode::kUnsupported) continue;
    ASSERT_OK(status);
    ASSERT_OK(d_buffer.CopyFrom(a.data(), kCount * sizeof(float)));
    Arguments arguments;
    arguments.a = a_buffer.data();
    arguments.b = b_buffer.data();
    arguments.d = d_buffer.data();
    ASSERT_OK(plan.Run(arguments));
    std::vector<std::uint32_t> bits(kCount);
    ASSERT_OK(d_buffer.CopyTo(bits.data(), kCount * sizeof(float)));
    EXPECT_EQ(std::count(bits.begin(), bits.end(), 0u), static_cast<std::ptrdiff_t>(kCount)) << row->name;
    ++kernels;
  }
  EXPECT_GE(kernels, 4);
}

}  // namespace
}  // namespace gemm::tests
