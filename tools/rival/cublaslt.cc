#include "tools/rival/cublaslt.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "tools/rival/configuration.h"

namespace gemm::rival {

// A matrix as cuBLASLt describes one: column-major rows x cols, and whether the product wants it transposed.
struct Product::Operand {
  int type = 0;
  std::uint64_t rows = 0;
  std::uint64_t cols = 0;
  std::int64_t ld = 0;
  std::int64_t batch_stride = 0;
  bool transposed = false;
};

namespace {

bool TypeValue(DataType type, int* value) {
  switch (type) {
    case DataType::kFP32:
      *value = abi::kR32F;
      return true;
    case DataType::kFP16:
      *value = abi::kR16F;
      return true;
    case DataType::kBF16:
      *value = abi::kR16BF;
      return true;
    default:
      return false;
  }
}

}  // namespace

Product::~Product() {
  if (library_ == nullptr) return;
  for (abi::MatrixLayout layout : {first_, second_, c_, d_}) {
    if (layout != nullptr) library_->functions_.MatrixLayoutDestroy(layout);
  }
  if (desc_ != nullptr) library_->functions_.MatmulDescDestroy(desc_);
}

Status Product::CreateLayout(const Operand& operand, abi::MatrixLayout* layout) const {
  const CublasLt& lt = *library_;
  const abi::Functions& f = lt.functions_;
  Status status = lt.Check(f.MatrixLayoutCreate(layout, operand.type, operand.rows, operand.cols, operand.ld),
                           "cublasLtMatrixLayoutCreate");
  if (!status.ok() || problem_.batch == 1) return status;
  const std::int32_t batch = static_cast<std::int32_t>(problem_.batch);
  const abi::StatusValue count =
      f.MatrixLayoutSetAttribute(*layout, abi::kLayoutBatchCount, &batch, sizeof batch);
  const abi::StatusValue stride = f.MatrixLayoutSetAttribute(
      *layout, abi::kLayoutStridedBatchOffset, &operand.batch_stride, sizeof operand.batch_stride);
  return lt.Check(count != 0 ? count : stride, "cublasLtMatrixLayoutSetAttribute");
}

Status Product::CreateDesc(const Operand& first, const Operand& second) {
  const CublasLt& lt = *library_;
  const abi::Functions& f = lt.functions_;
  const bool is_fp32 = problem_.a.type == DataType::kFP32;
  const bool rounds = is_fp32 && problem_.compute == ComputeType::kTF32;
  const bool exact = (is_fp32 && !rounds) || problem_.compute == ComputeType::kFP32;
  const int compute = rounds ? abi::kCompute32FFastTF32 : exact ? abi::kCompute32FPedantic : abi::kCompute32F;
  Status status = lt.Check(f.MatmulDescCreate(&desc_, compute, abi::kR32F), "cublasLtMatmulDescCreate");
  const std::int32_t op_a = first.transposed ? abi::kOpT : abi::kOpN;
  const std::int32_t op_b = second.transposed ? abi::kOpT : abi::kOpN;
  if (status.ok()) {
    status = lt.Check(f.MatmulDescSetAttribute(desc_, abi::kDescTransA, &op_a, sizeof op_a),
                      "cublasLtMatmulDescSetAttribute");
  }
  if (status.ok()) {
    status = lt.Check(f.MatmulDescSetAttribute(desc_, abi::kDescTransB, &op_b, sizeof op_b),
                      "cublasLtMatmulDescSetAttribute");
  }
  return status;
}

Status Product::Create(std::shared_ptr<const CublasLt> library, const Problem& problem) {
  library_ = std::move(library);
  problem_ = problem;
  swapped_ = problem.d.layout == Layout::kRowMajor;
  if (problem.c.layout != problem.d.layout) {
    return Status(StatusCode::kUnsupported, "C and D of different layouts are not given to cuBLASLt here");
  }
  if (problem.batch > INT32_MAX) return Status(StatusCode::kUnsupported, "cuBLASLt counts batches in 31 bits");
  int in = 0;
  int out = 0;
  if (!TypeValue(problem.a.type, &in) || !TypeValue(problem.d.type, &out)) {
    return Status(StatusCode::kUnsupported, "a type that is not given to cuBLASLt here");
  }
  const auto make = [&](const Matrix& matrix, int type, std::int64_t rows, std::int64_t cols) {
    // A row-major matrix is the column-major transpose.
    const bool row_major = matrix.layout == Layout::kRowMajor;
    Operand operand;
    operand.type = type;
    operand.rows = static_cast<std::uint64_t>(row_major ? cols : rows);
    operand.cols = static_cast<std::uint64_t>(row_major ? rows : cols);
    operand.ld = matrix.ld != 0 ? matrix.ld : static_cast<std::int64_t>(operand.rows);
    // kPacked counts whole lines, their padding included.
    const std::int64_t extent = operand.ld * static_cast<std::int64_t>(operand.cols);
    operand.batch_stride = matrix.batch_stride == kPacked ? extent : matrix.batch_stride;
    // Without the swap, op(A) must be m x k: row-major A is stored transposed. With it, everything is
    // transposed once more.
    operand.transposed = row_major != swapped_;
    return operand;
  };
  const Operand a = make(problem.a, in, problem.m, problem.k);
  const Operand b = make(problem.b, in, problem.k, problem.n);
  const Operand c = make(problem.c, out, problem.m, problem.n);
  const Operand d = make(problem.d, out, problem.m, problem.n);
  Status status = CreateDesc(swapped_ ? b : a, swapped_ ? a : b);
  if (status.ok()) status = CreateLayout(swapped_ ? b : a, &first_);
  if (status.ok()) status = CreateLayout(swapped_ ? a : b, &second_);
  if (status.ok()) status = CreateLayout(c, &c_);
  if (status.ok()) status = CreateLayout(d, &d_);
  return status;
}

Status Product::SetPreference(abi::Preference preference, std::size_t max_workspace) const {
  const CublasLt& lt = *library_;
  const abi::Functions& f = lt.functions_;
  const auto alignment = [](const Matrix& matrix) {
    return static_cast<std::uint32_t>(std::min(matrix.alignment, 256));
  };
  const std::pair<int, std::uint32_t> alignments[] = {
      {abi::kPrefMinAlignmentABytes, alignment(swapped_ ? problem_.b : problem_.a)},
      {abi::kPrefMinAlignmentBBytes, alignment(swapped_ ? problem_.a : problem_.b)},
      {abi::kPrefMinAlignmentCBytes, alignment(problem_.c)},
      {abi::kPrefMinAlignmentDBytes, alignment(problem_.d)}};
  const char* const call = "cublasLtMatmulPreferenceSetAttribute";
  const std::uint64_t workspace = max_workspace;
  Status status = lt.Check(
      f.MatmulPreferenceSetAttribute(preference, abi::kPrefMaxWorkspaceBytes, &workspace, sizeof workspace),
      call);
  for (const auto& [attribute, bytes] : alignments) {
    if (status.ok())
      status = lt.Check(f.MatmulPreferenceSetAttribute(preference, attribute, &bytes, sizeof bytes), call);
  }
  return status;
}

std::string Product::Describe(const abi::Algo& algo) const {
  const auto get = [&](int attribute, std::size_t bytes) {
    std::uint32_t value = 0;
    std::size_t written = 0;
    library_->functions_.MatmulAlgoConfigGetAttribute(&algo, attribute, &value, bytes, &written);
    return value;
  };
  return fmt::format("algo {} tile {} stages {} cluster {} split-k {}", get(abi::kAlgoId, 4),
                     TileText(get(abi::kAlgoTile, 4), swapped_), StagesText(get(abi::kAlgoStages, 4)),
                     ClusterText(get(abi::kAlgoCluster, 2), swapped_), get(abi::kAlgoSplitK, 4));
}

Status Product::Heuristics(int count, std::size_t max_workspace, std::vector<Algorithm>* algorithms) const {
  const CublasLt& lt = *library_;
  const abi::Functions& f = lt.functions_;
  abi::Preference preference = nullptr;
  Status status = lt.Check(f.MatmulPreferenceCreate(&preference), "cublasLtMatmulPreferenceCreate");
  if (!status.ok()) return status;
  std::vector<abi::HeuristicResult> results(static_cast<std::size_t>(count));
  int returned = 0;
  status = SetPreference(preference, max_workspace);
  if (status.ok()) {
    status = lt.Check(f.MatmulAlgoGetHeuristic(lt.handle_, desc_, first_, second_, c_, d_, preference, count,
                                               results.data(), &returned),
                      "cublasLtMatmulAlgoGetHeuristic");
  }
  f.MatmulPreferenceDestroy(preference);
  if (!status.ok()) return status;
  algorithms->clear();
  for (int i = 0; i < returned; ++i) {
    if (results[i].state != 0) continue;
    algorithms->push_back({results[i].algo, results[i].workspace_size, Describe(results[i].algo)});
  }
  if (algorithms->empty())
    return Status(StatusCode::kUnsupported, "cuBLASLt knows no algorithm for this problem");
  return Status();
}

Status Product::Run(const Arguments& args, const Algorithm* algorithm) const {
  const CublasLt& lt = *library_;
  const abi::Functions& f = lt.functions_;
  // With beta = 0 it reads no C, but wants an address.
  const void* c = args.c != nullptr ? args.c : args.d;
  return lt.Check(
      f.Matmul(lt.handle_, desc_, &args.alpha, swapped_ ? args.b : args.a, first_, swapped_ ? args.a : args.b,
               second_, &args.beta, c, c_, args.d, d_, algorithm != nullptr ? &algorithm->algo : nullptr,
               args.workspace, args.workspace_size, args.stream),
      "cublasLtMatmul");
}

}  // namespace gemm::rival
