// More than 2^31 elements: products whose indices pass 32 bits, verified on sampled rows.
#include <algorithm>

#include "tests/gpu_api/product.h"

namespace gemm::tests {
namespace {

constexpr std::int64_t kM = 65536 + 136;
constexpr std::int64_t kN = 32768 + 72;  // a multiple of 8: the fast paths take it
constexpr std::int64_t kK = 24;

// One kernel of each backend that runs the problem, the choice first.
std::vector<std::string> KernelsFor(const Problem& problem) {
  Plan plan;
  EXPECT_TRUE(Plan::Create(problem, {}, &plan).ok());
  std::vector<std::string> names = {plan.kernel_name()};
  std::string backends = BackendOf(names[0]) + ";";
  for (const dispatch::KernelRow* row : dispatch::Registry()) {
    if (backends.find(std::string(row->family->backend) + ";") != std::string::npos) continue;
    PlanOptions options;
    options.kernel = row->name;
    if (!Plan::Create(problem, options, &plan).ok()) continue;
    names.push_back(row->name);
    backends += std::string(row->family->backend) + ";";
  }
  return names;
}

class Large : public ::testing::Test {
 protected:
  void SetUp() override {
    std::size_t free = 0, total = 0;
    ASSERT_OK(gpu::MemoryInfo(&free, &total));
    if (free < std::size_t{7} << 30) GTEST_SKIP() << "needs 7 GB of free device memory";
  }

  // Uploads the images of A and B.
  void UploadInputs(HostCase* host, gpu::DeviceBuffer* a, gpu::DeviceBuffer* b) {
    ASSERT_OK(gpu::DeviceBuffer::Create(host->a().size(), a));
    ASSERT_OK(gpu::DeviceBuffer::Create(host->b().size(), b));
    ASSERT_OK(a->CopyFrom(host->a().data(), host->a().size()));
    ASSERT_OK(b->CopyFrom(host->b().data(), host->b().size()));
  }

  // Copies some rows of `row_bytes` each, one behind the other.
  static void FetchRows(const gpu::DeviceBuffer& d, const std::vector<std::int64_t>& rows,
                        std::size_t row_bytes, std::vector<unsigned char>* fetched) {
    fetched->assign(rows.size() * row_bytes, 0);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      ASSERT_OK(
          d.CopyTo(fetched->data() + i * row_bytes, row_bytes, static_cast<std::size_t>(rows[i]) * row_bytes));
    }
  }
};

View CompactView(DataType type, std::int64_t rows, std::int64_t cols, void* data) {
  View view;
  view.type = type;
  view.rows = rows;
  view.cols = cols;
  view.row_stride = cols;
  view.data = data;
  return view;
}

// Rows around the 2^31st element, the ends, and some others.
std::vector<std::int64_t> RowsAroundTheLimit(std::int64_t m, std::int64_t ld) {
  std::vector<std::int64_t> rows = SampleRows(m, 24, 9);
  const std::int64_t limit = (std::int64_t{1} << 31) / ld;
  for (const std::int64_t row : {limit - 1, limit, limit + 1}) {
    const auto at = std::lower_bound(rows.begin(), rows.end(), row);
    if (row < m && (at == rows.end() || *at != row)) rows.insert(at, row);
  }
  return rows;
}

TEST_F(Large, DOfMoreThan2To31Elements) {
  ASSERT_GT(kM * kN, std::int64_t{1} << 31);
  // Not a HostCase, which would keep all of D on the host.
  Problem problem;
  problem.m = kM;
  problem.n = kN;
  problem.k = kK;
  problem.b.layout = Layout::kColumnMajor;
  std::vector<unsigned char> a(static_cast<std::size_t>(kM * kK * 2)), b(static_cast<std::size_t>(kN * kK * 2));
  FillMatrix(ViewOfA(problem, a.data()), Fill::kIntegers, Operand::kA, 5);
  FillMatrix(ViewOfB(problem, b.data()), Fill::kIntegers, Operand::kB, 5);
  gpu::DeviceBuffer device_a, device_b, d;
  ASSERT_OK(gpu::DeviceBuffer::Create(a.size(), &device_a));
  ASSERT_OK(gpu::DeviceBuffer::Create(b.size(), &device_b));
  ASSERT_OK(gpu::DeviceBuffer::Create(static_cast<std::size_t>(kM * kN * 2), &d));
  ASSERT_OK(device_a.CopyFrom(a.data(), a.size()));
  ASSERT_OK(device_b.CopyFrom(b.data(), b.size()));
  const std::vector<std::int64_t> rows = RowsAroundTheLimit(kM, kN);
  OracleOptions options;
  options.rows = rows;
  Expected expected = ComputeOracle(problem, a.data(), b.data(), nullptr, 1.0f, 0.0f, options);
  for (std::size_t i = 0; i < rows.size(); ++i) expected.rows[i] = static_cast<std::int64_t>(i);
  for (const std::string& kernel : KernelsFor(problem)) {
    PlanOptions plan_options;
    plan_options.kernel = kernel;
    Plan plan;
    ASSERT_OK(Plan::Create(problem, plan_options, &plan));
    ASSERT_OK(d.Fill(0xff));
    Arguments arguments;
    arguments.a = device_a.data();
    arguments.b = device_b.data();
    arguments.d = d.data();
    ASSERT_EQ(plan.workspace_size(), 0u) << "give this test a workspace";
    ASSERT_OK(plan.Run(arguments));
    ASSERT_OK(gpu::Synchronize());
    std::vector<unsigned char> fetched;
    FetchRows(d, rows, kN * 2, &fetched);
    const CheckReport report = CheckExact(
        expected, CompactView(DataType::kBF16, static_cast<std::int64_t>(rows.size()), kN, fetched.data()));
    EXPECT_TRUE(report.ok()) << kernel << ": " << report.ToString();
  }
}

// A's rows lie so far apart that row times ld passes 2^31; B, C and D are small.
TEST_F(Large, AnInputWhoseRowsPass2To31Elements) {
  constexpr std::int64_t kWidth = 64;
  const std::string line =
      std::to_string(kM) + " " + std::to_string(kWidth) + " " + std::to_string(kK) + " fill=integers";
  HostCase host(ParseOne(line));
  Problem problem = host.description().problem;
  problem.a.ld = kN;
  gpu::DeviceBuffer a, b, d;
  ASSERT_OK(gpu::DeviceBuffer::Create(static_cast<std::size_t>(((kM - 1) * kN + kK) * 2), &a));
  ASSERT_OK(gpu::DeviceBuffer::Create(host.b().size(), &b));
  ASSERT_OK(gpu::DeviceBuffer::Create(host.d().size(), &d));
  ASSERT_OK(a.Fill(0xff));  // the gaps are NaN
  ASSERT_OK(b.CopyFrom(host.b().data(), host.b().size()));
  const gpu::Api* api = nullptr;
  ASSERT_OK(gpu::Load(&api));
  for (std::int64_t row = 0; row < kM; ++row) {
    ASSERT_OK(driver::Check(api->MemcpyHtoDAsync(a.address() + static_cast<std::size_t>(row * kN * 2),
                                                 host.a().data() + row * kK * 2, kK * 2, nullptr),
                            "cuMemcpyHtoDAsync"));
  }
  ASSERT_OK(gpu::Synchronize());
  for (const std::string& kernel : KernelsFor(problem)) {
    PlanOptions options;
    options.kernel = kernel;
    Plan plan;
    ASSERT_OK(Plan::Create(problem, options, &plan));
    ASSERT_OK(d.CopyFrom(host.d().data(), host.d().size()));
    Arguments arguments;
    arguments.a = a.data();
    arguments.b = b.data();
    arguments.d = d.data();
    ASSERT_OK(plan.Run(arguments));
    ASSERT_OK(gpu::Synchronize());
    std::vector<unsigned char> result(host.d().size());
    ASSERT_OK(d.CopyTo(result.data(), result.size()));
    EXPECT_EQ(host.Complaint(result), "") << kernel;
  }
}

// Two matrices of D more than 2^31 elements apart.
TEST_F(Large, ABatchStrideOfMoreThan2To31Elements) {
  HostCase host(ParseOne("136 264 72 batch=2 fill=integers"));
  Problem problem = host.description().problem;
  const std::int64_t stride = (std::int64_t{1} << 31) + 64;
  problem.d.batch_stride = problem.c.batch_stride = stride;
  const std::size_t matrix_bytes = 136 * 264 * 2;
  gpu::DeviceBuffer a, b, d;
  UploadInputs(&host, &a, &b);
  ASSERT_FALSE(HasFatalFailure());
  ASSERT_OK(gpu::DeviceBuffer::Create(static_cast<std::size_t>(stride) * 2 + matrix_bytes, &d));
  for (const std::string& kernel : KernelsFor(problem)) {
    PlanOptions options;
    options.kernel = kernel;
    Plan plan;
    ASSERT_OK(Plan::Create(problem, options, &plan));
    ASSERT_OK(d.Fill(0xff));
    Arguments arguments;
    arguments.a = a.data();
    arguments.b = b.data();
    arguments.d = d.data();
    ASSERT_OK(plan.Run(arguments));
    ASSERT_OK(gpu::Synchronize());
    std::vector<unsigned char> both(2 * matrix_bytes);
    ASSERT_OK(d.CopyTo(both.data(), matrix_bytes));
    ASSERT_OK(d.CopyTo(both.data() + matrix_bytes, matrix_bytes, static_cast<std::size_t>(stride) * 2));
    EXPECT_EQ(host.Complaint(both), "") << kernel;
  }
}

}  // namespace
}  // namespace gemm::tests
