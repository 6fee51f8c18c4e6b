#include "common/dispatch/tuning.h"

#include <set>
#include <string>

#include "common/dispatch/registry.h"
#include "common/dispatch/select.h"
#include "gtest/gtest.h"
#include "tests/dispatch/random_problem.h"

namespace gemm::dispatch {
namespace {

problem::Normalized Square(std::int64_t size) {
  Problem p;
  p.m = p.n = p.k = size;
  problem::Normalized out;
  EXPECT_TRUE(problem::Normalize(p, &out).ok());
  return out;
}

const Device& H200() { return *FindKnownDevice("h200"); }

std::string FileFor(const problem::Normalized& problem, const std::string& kernel) {
  return TuningHeader(H200()) + "# a comment\n\n" + TuningLine(TuningKey(problem, {}), kernel, 12.5);
}

TEST(Tuning, WhatIsWrittenIsRead) {
  TuningTable table;
  ASSERT_TRUE(ParseTuning(FileFor(Square(512), "simt_fake_any"), &table).ok());
  EXPECT_EQ(table.kernels.size(), 1u);
  EXPECT_EQ(FindTuned(table, H200(), TuningKey(Square(512), {})), "simt_fake_any");
  EXPECT_EQ(FindTuned(table, H200(), TuningKey(Square(513), {})), "");
  EXPECT_EQ(FindTuned(table, *FindKnownDevice("h100"), TuningKey(Square(512), {})), "");
  table.version = "0.0.0";
  EXPECT_EQ(FindTuned(table, H200(), TuningKey(Square(512), {})), "");
}

TEST(Tuning, KeysTellProblemsAndOptionsApart) {
  std::set<std::string> keys;
  std::size_t expected = 0;
  const auto add = [&](const problem::Normalized& p, const PlanOptions& options) {
    const std::string key = TuningKey(p, options);
    EXPECT_EQ(key.find('\t'), std::string::npos) << key;
    EXPECT_TRUE(keys.insert(key).second) << key;
    ++expected;
  };
  const problem::Normalized plain = Square(512);
  add(plain, {});
  PlanOptions options;
  options.programmatic_launch = true;
  add(plain, options);
  options.constant_b = true;
  add(plain, options);
  options.max_sms = 64;
  add(plain, options);
  options.batch_invariant = true;
  add(plain, options);
  problem::Normalized p = plain;
  p.a.ld = 520;
  add(p, {});
  p.a.alignment = 8;
  add(p, {});
  p.a.batch_stride = 1 << 20;
  add(p, {});
  p.b.major = problem::Major::kK;
  add(p, {});
  p.d.row_stride = 1024;
  add(p, {});
  p.c.row_stride = 1024;
  add(p, {});
  p.output_type = DataType::kFP32;
  add(p, {});
  p.scalars = ScalarMode::kDevice;
  add(p, {});
  p.swapped = true;
  add(p, {});
  EXPECT_EQ(keys.size(), expected);
}

TEST(Tuning, RefusesOtherTextWithTheLine) {
  const std::string good = FileFor(Square(512), "simt_fake_any");
  const struct {
    std::string text;
    const char* words;
  } kCases[] = {
      {"", "line 1"},
      {"libgemm-tuning 2\n" + good.substr(good.find('\n') + 1), "line 1"},
      {"libgemm-tuning 1\nnonsense\n", "line 2"},
      {"libgemm-tuning 1\nversion 0.1.0\n", "line 3"},
      {good + "no tab\n", "line 7"},
      {good + "key\tkernel\n", "line 7"},
      {good + "\tkernel\t1\n", "line 7"},
      {good + "key\t\t1\n", "line 7"},
      {good + "key\tkernel\t1\t2\n", "line 7"},
      {good + "key\tkernel\t\n", "line 7"},
      {good + "key\tkernel\tfast\n", "line 7"},
      {good + "key\tkernel\t1 us\n", "line 7"},
      {good + "key\tkernel\t 1\n", "line 7"},
      {good + "key\tkernel\t0\n", "line 7"},
      {good + "key\tkernel\t-1\n", "line 7"},
      {good + "key\tkernel\tinf\n", "line 7"},
      {good + "key\tkernel\tnan\n", "line 7"},
      {good + "key\tkernel\t1e999\n", "line 7"},
      {good + good.substr(good.find("512x")), "line 7"},  // a key twice
  };
  for (const auto& one : kCases) {
    TuningTable table;
    const Status status = ParseTuning(one.text, &table);
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument) << one.text;
    EXPECT_NE(status.message().find(one.words), std::string::npos) << status.message();
  }
  TuningTable table;
  std::string dos;
  for (const char c : good) dos += c == '\n' ? std::string("\r\n") : std::string(1, c);
  EXPECT_TRUE(ParseTuning(dos, &table).ok());
  EXPECT_EQ(table.kernels.size(), 1u);
}

TEST(Tuning, ATunedRowGoesBeforePredictedOnes) {
  SelectOptions options;
  options.tuned = "simt_fake_any";
  Selection s;
  ASSERT_TRUE(Select(Registry(), Square(4096), H200(), options, &s).ok());
  EXPECT_STREQ(s.chosen()->row->name, "simt_fake_any");
  EXPECT_TRUE(s.tuned);
  // One that cannot run, or that is unknown, leaves the choice to the times; so does a forced one.
  for (const char* name : {"hopper_fake_split", "no_such_kernel"}) {
    options.tuned = name;
    ASSERT_TRUE(Select(Registry(), Square(4096), H200(), options, &s).ok());
    EXPECT_STREQ(s.chosen()->row->name, "hopper_fake_128x256");
    EXPECT_FALSE(s.tuned);
  }
  options.tuned = "simt_fake_any";
  options.kernel = "ampere_fake_64x64";
  ASSERT_TRUE(Select(Registry(), Square(4096), H200(), options, &s).ok());
  EXPECT_STREQ(s.chosen()->row->name, "ampere_fake_64x64");
  EXPECT_FALSE(s.tuned);
}

}  // namespace
}  // namespace gemm::dispatch
