#include "tests/support/matrix.h"

#include "common/base/data_type.h"

namespace gemm::tests {
namespace {

View MakeView(const Matrix& matrix, std::int64_t rows, std::int64_t cols, std::int64_t batch,
              const void* data) {
  const bool row_major = matrix.layout == Layout::kRowMajor;
  const std::int64_t inner = row_major ? cols : rows;
  const std::int64_t outer = row_major ? rows : cols;
  const std::int64_t ld = matrix.ld != 0 ? matrix.ld : inner;
  View view;
  view.type = matrix.type;
  view.rows = rows;
  view.cols = cols;
  view.batch = batch;
  view.row_stride = row_major ? ld : 1;
  view.col_stride = row_major ? 1 : ld;
  view.batch_stride = matrix.batch_stride;
  if (matrix.batch_stride == kPacked) view.batch_stride = outer * ld;
  if (batch <= 1) view.batch_stride = 0;
  view.data = const_cast<void*>(data);
  return view;
}

}  // namespace

View ViewOfA(const Problem& problem, const void* data) {
  return MakeView(problem.a, problem.m, problem.k, problem.batch, data);
}

View ViewOfB(const Problem& problem, const void* data) {
  return MakeView(problem.b, problem.k, problem.n, problem.batch, data);
}

View ViewOfC(const Problem& problem, const void* data) {
  return MakeView(problem.c, problem.m, problem.n, problem.batch, data);
}

View ViewOfD(const Problem& problem, void* data) {
  return MakeView(problem.d, problem.m, problem.n, problem.batch, data);
}

std::int64_t Extent(const View& view) {
  if (view.rows <= 0 || view.cols <= 0 || view.batch <= 0) return 0;
  return view.Index(view.batch - 1, view.rows - 1, view.cols - 1) + 1;
}

std::size_t ExtentBytes(const View& view) {
  return static_cast<std::size_t>(Extent(view)) * static_cast<std::size_t>(base::ElementBytes(view.type));
}

}  // namespace gemm::tests
