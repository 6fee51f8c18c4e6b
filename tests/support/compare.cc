#include "tests/support/compare.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <vector>

#include "tests/support/numerics.h"
#include "tests/support/parallel.h"

namespace gemm::tests {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Element {
  bool judged = true;
  double ratio = 0;  // error in units of the bound
  double bound = 0;
};

Element JudgeBound(double value, double magnitude, const Expected& expected, double got, DataType type,
                   double constant) {
  if (std::isnan(value)) return {.ratio = std::isnan(got) ? 0.0 : kInfinity};
  if (std::isinf(value)) return {.ratio = got == value ? 0.0 : kInfinity};
  if (magnitude > std::numeric_limits<float>::max()) return {.judged = false};
  const double bound = ErrorBound(value, magnitude, expected.k, type, expected.operand_error, constant);
  if (std::isnan(got)) return {.ratio = kInfinity, .bound = bound};
  if (std::isinf(got)) {
    // Right where the value, with the error it may have, rounds past the largest number.
    const double reach = std::copysign(value, got) == value ? std::abs(value) + bound : 0;
    return {.ratio = reach > MaxFinite(type) ? 0.0 : kInfinity, .bound = bound};
  }
  const double error = std::abs(got - value);
  return {.ratio = error == 0 ? 0.0 : error / bound, .bound = bound};
}

Element JudgeExact(double value, double got, DataType type) {
  const double rounded = RoundTo(type, value);
  const bool same = std::isnan(rounded) ? std::isnan(got) : rounded == got;
  return {.ratio = same ? 0.0 : kInfinity};
}

// Lines [first, last) of all batches, a line being one row of D.
template <typename Judge>
CheckReport CheckLines(const Expected& expected, const View& d, const Judge& judge, std::int64_t first,
                       std::int64_t last) {
  CheckReport report;
  const std::uint32_t poison = PoisonBits(d.type);
  const auto rows = static_cast<std::int64_t>(expected.rows.size());
  for (std::int64_t line = first; line < last; ++line) {
    const std::int64_t b = line / rows;
    const std::int64_t row = expected.rows[static_cast<std::size_t>(line % rows)];
    for (std::int64_t col = 0; col < expected.n; ++col) {
      const auto index = static_cast<std::size_t>(line * expected.n + col);
      const std::int64_t at = d.Index(b, row, col);
      const double got = Load(d.type, d.data, at);
      const double value = expected.value[index];
      Element element = judge(value, expected.magnitude[index], got);
      const bool unwritten = LoadBits(d.type, d.data, at) == poison;
      if (unwritten) element.ratio = kInfinity;
      ++report.checked;
      report.judged += element.judged ? 1 : 0;
      report.wrong += element.ratio > 1 ? 1 : 0;
      report.unwritten += unwritten ? 1 : 0;
      if (element.judged && std::isfinite(got) && std::isfinite(value)) {
        report.max_error = std::max(report.max_error, std::abs(got - value));
      }
      if (element.ratio > report.worst_ratio || report.checked == 1) {
        report.worst_ratio = element.ratio;
        report.worst_batch = b;
        report.worst_row = row;
        report.worst_col = col;
        report.worst_got = got;
        report.worst_expected = value;
        report.worst_bound = element.bound;
      }
    }
  }
  return report;
}

void Merge(const CheckReport& part, CheckReport* whole) {
  CheckReport merged = part.worst_ratio > whole->worst_ratio || whole->checked == 0 ? part : *whole;
  merged.checked = whole->checked + part.checked;
  merged.judged = whole->judged + part.judged;
  merged.wrong = whole->wrong + part.wrong;
  merged.unwritten = whole->unwritten + part.unwritten;
  merged.max_error = std::max(whole->max_error, part.max_error);
  *whole = merged;
}

template <typename Judge>
CheckReport Check(const Expected& expected, const View& d, const Judge& judge) {
  const std::int64_t lines = expected.batch * static_cast<std::int64_t>(expected.rows.size());
  if (lines == 0 || expected.n == 0) return {};
  // Small enough to share out, large enough to be worth a thread.
  const std::int64_t per_task = std::max<std::int64_t>(1, (1 << 17) / expected.n);
  std::vector<CheckReport> parts(static_cast<std::size_t>((lines + per_task - 1) / per_task));
  ParallelFor(static_cast<std::int64_t>(parts.size()), 0, [&](std::int64_t task) {
    const std::int64_t first = task * per_task;
    parts[static_cast<std::size_t>(task)] =
        CheckLines(expected, d, judge, first, std::min(lines, first + per_task));
  });
  CheckReport whole;
  for (const CheckReport& part : parts) Merge(part, &whole);
  return whole;
}

}  // namespace

double ErrorBound(double value, double magnitude, std::int64_t k, DataType output, double operand_error,
                  double error_constant) {
  const double terms = static_cast<double>(k + 2);
  const double computed = (error_constant * terms * UnitRoundoff(DataType::kFP32) + operand_error) * magnitude +
                          terms * SmallestSubnormal(DataType::kFP32);
  // The rounding is relative to the computed element, which is off by `computed` already.
  return computed + UnitRoundoff(output) * (std::abs(value) + computed) + SmallestSubnormal(output) / 2;
}

CheckReport CheckBound(const Expected& expected, const View& d, double error_constant) {
  return Check(expected, d, [&](double value, double magnitude, double got) {
    return JudgeBound(value, magnitude, expected, got, d.type, error_constant);
  });
}

CheckReport CheckExact(const Expected& expected, const View& d) {
  return Check(expected, d, [&](double value, double, double got) { return JudgeExact(value, got, d.type); });
}

std::string CheckReport::ToString() const {
  if (checked == 0) return "no element was checked";
  if (judged == 0 && wrong == 0)
    return "no element was judged: the sum of magnitudes of each passes FP32's range";
  char text[320];
  std::snprintf(
      text, sizeof text,
      "%lld of %lld elements wrong (%lld unwritten); %s D[%lld][%lld, %lld] = %.9g, expected %.9g, bound %.3g "
      "(%.3g of it)",
      static_cast<long long>(wrong), static_cast<long long>(checked), static_cast<long long>(unwritten),
      wrong > 0 ? "first of the worst" : "largest error at", static_cast<long long>(worst_batch),
      static_cast<long long>(worst_row), static_cast<long long>(worst_col), worst_got, worst_expected,
      worst_bound, worst_ratio);
  return text;
}

}  // namespace gemm::tests
