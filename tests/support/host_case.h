// A case made concrete in host memory: operands with poisoned padding, the expected result, and what to look at
// in D.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tests/support/case.h"
#include "tests/support/compare.h"

namespace gemm::tests {

class HostCase {
 public:
  explicit HostCase(const Case& test_case);

  const Case& description() const { return case_; }

  // Whole extents; elements between and behind the rows hold the poison NaN. D holds poison, or C when that is
  // in place. A's image is empty of meaning but not of bytes when the product reads none of it.
  const std::vector<unsigned char>& a() const { return a_; }
  const std::vector<unsigned char>& b() const { return b_; }
  const std::vector<unsigned char>& c() const { return c_; }  // empty for CMode::kNone and kInPlace
  const std::vector<unsigned char>& d() const { return d_; }

  // Computed on first use.
  const Expected& expected();

  // "" when `d`, an image like d() after the product, is right: every element by the bound (or exactly, for
  // exact fills) and every other byte untouched. Else one line. An image that was right before is right again without
  // being judged: most kernels give the same bits.
  std::string Complaint(std::span<const unsigned char> d);

  // "" when everything in `d` outside the elements is as it was; else the first changed byte.
  std::string PaddingComplaint(std::span<const unsigned char> d) const;

 private:
  bool WasRight(std::span<const unsigned char> d) const;
  std::string Judge(std::span<const unsigned char> d);

  Case case_;
  std::vector<unsigned char> a_, b_, c_, d_;
  std::optional<Expected> expected_;
  std::vector<std::vector<unsigned char>> right_;  // images of D that were right, the first ones
};

}  // namespace gemm::tests
