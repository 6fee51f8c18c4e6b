#include "tests/support/host_case.h"

#include <algorithm>
#include <cstring>

#include "common/base/data_type.h"
#include "tests/support/bytes.h"
#include "tests/support/numerics.h"

namespace gemm::tests {
namespace {

// Kernels that add in another order give other bits: a few orders, and then many of their own.
constexpr std::size_t kMostRemembered = 8;

std::vector<unsigned char> Poisoned(const View& view) {
  std::vector<unsigned char> image(ExtentBytes(view));
  FillPoison(view.type, image.data(), Extent(view));
  return image;
}

std::vector<unsigned char> Filled(View view, const Case& test_case, Operand operand) {
  std::vector<unsigned char> image = Poisoned(view);
  view.data = image.data();
  FillMatrix(view, test_case.fill, operand, test_case.seed);
  return image;
}

// Copies the elements of `view`, line by line, from one image to another.
void CopyElements(const View& view, const unsigned char* from, unsigned char* to) {
  const std::int64_t bytes = base::ElementBytes(view.type);
  const bool along_row = view.col_stride == 1;
  const std::int64_t outer = along_row ? view.rows : view.cols;
  const std::int64_t inner = along_row ? view.cols : view.rows;
  for (std::int64_t b = 0; b < view.batch; ++b) {
    for (std::int64_t o = 0; o < outer; ++o) {
      const std::int64_t at = bytes * (along_row ? view.Index(b, o, 0) : view.Index(b, 0, o));
      std::memcpy(to + at, from + at, static_cast<std::size_t>(inner * bytes));
    }
  }
}

}  // namespace

HostCase::HostCase(const Case& test_case) : case_(test_case) {
  const Problem& p = case_.problem;
  a_ = Filled(ViewOfA(p), case_, Operand::kA);
  b_ = Filled(ViewOfB(p), case_, Operand::kB);
  if (case_.c_mode == CMode::kInPlace) {
    d_ = Filled(ViewOfD(p), case_, Operand::kC);
  } else {
    d_ = Poisoned(ViewOfD(p));
    if (case_.c_mode == CMode::kDistinct) c_ = Filled(ViewOfC(p), case_, Operand::kC);
    if (case_.c_mode == CMode::kPoisoned) c_ = Poisoned(ViewOfC(p));
  }
}

const Expected& HostCase::expected() {
  if (!expected_) {
    const void* c = case_.c_mode == CMode::kInPlace ? d_.data() : c_.data();
    expected_ = ComputeOracle(case_.problem, a_.data(), b_.data(), c, case_.alpha, case_.beta);
  }
  return *expected_;
}

std::string HostCase::PaddingComplaint(std::span<const unsigned char> d) const {
  std::vector<unsigned char> outside(d.begin(), d.end());
  CopyElements(ViewOfD(case_.problem), d_.data(), outside.data());
  const std::size_t at = FirstDifference(outside.data(), d_.data(), outside.size());
  if (at == outside.size()) return "";
  return "byte " + std::to_string(at) + " of D, which lies between its rows or matrices, was written";
}

bool HostCase::WasRight(std::span<const unsigned char> d) const {
  return std::any_of(right_.begin(), right_.end(), [&](const std::vector<unsigned char>& image) {
    return SameBytes(image.data(), d.data(), d.size());
  });
}

std::string HostCase::Judge(std::span<const unsigned char> d) {
  View view = ViewOfD(case_.problem);
  view.data = const_cast<unsigned char*>(d.data());
  const bool exact = case_.fill == Fill::kIntegers || case_.fill == Fill::kZeros;
  const CheckReport report = exact ? CheckExact(expected(), view) : CheckBound(expected(), view);
  if (!report.ok()) return (exact ? "exact: " : "bound: ") + report.ToString();
  return PaddingComplaint(d);
}

std::string HostCase::Complaint(std::span<const unsigned char> d) {
  if (d.size() != d_.size()) return "D has another size than its problem";
  if (d.empty() || WasRight(d)) return "";
  std::string complaint = Judge(d);
  if (complaint.empty() && right_.size() < kMostRemembered) right_.emplace_back(d.begin(), d.end());
  return complaint;
}

}  // namespace gemm::tests
