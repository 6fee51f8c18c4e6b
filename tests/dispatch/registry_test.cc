// What the tables of the real backends must satisfy together.
#include "common/dispatch/registry.h"

#include <cmath>
#include <cstdint>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "common/base/data_type.h"
#include "common/dispatch/select.h"
#include "gtest/gtest.h"
#include "tests/dispatch/random_problem.h"

namespace gemm::dispatch {
namespace {

const char* const kDevices[] = {"h200", "h100", "a100", "rtx3090", "rtx4090", "rtx5070ti", "rtx5060laptop"};

TEST(RegistryTest, NamesAreUniqueAndTellTheBackend) {
  std::set<std::string> names;
  for (const KernelRow* row : Registry()) {
    EXPECT_TRUE(names.insert(row->name).second) << row->name << " is there twice";
    EXPECT_EQ(std::string(row->name).rfind(std::string(row->family->backend) + "_", 0), 0u) << row->name;
  }
}

// A backend's rows stand together, and what is slow but takes everything stands last: ties go to the earlier row.
TEST(RegistryTest, BackendsComeOneAfterTheOther) {
  std::vector<std::string> order;
  for (const KernelRow* row : Registry()) {
    if (order.empty() || order.back() != row->family->backend) order.push_back(row->family->backend);
  }
  EXPECT_EQ(std::set<std::string>(order.begin(), order.end()).size(), order.size());
  EXPECT_GE(order.size(), 3u);
  EXPECT_EQ(order.back(), "simt");
}

// Names are typed by hand or pasted by macros, next to the numbers that they repeat.
TEST(RegistryTest, NamesTellTheTile) {
  for (const KernelRow* row : Registry()) {
    const std::string tile =
        std::to_string(row->tile.m) + "x" + std::to_string(row->tile.n) + "x" + std::to_string(row->tile.k);
    const std::string name = std::string(row->name) + "_";
    EXPECT_NE(name.find("_" + tile + "_"), std::string::npos) << row->name << " computes " << tile;
  }
}

TEST(RegistryTest, SourcesAreInTheImages) {
  for (const KernelRow* row : Registry()) {
    bool found = false;
    for (std::size_t i = 0; i < row->image->count; ++i) {
      found |= std::string(row->image->codes[i].source) == row->source;
    }
    EXPECT_TRUE(found) << row->name << ": " << row->image->name << " has no " << row->source << ".cu";
  }
}

TEST(RegistryTest, RowsAreFilledIn) {
  for (const KernelRow* row : Registry()) {
    EXPECT_NE(row->image, nullptr) << row->name;
    EXPECT_NE(row->source, nullptr) << row->name;
    EXPECT_NE(row->symbol, nullptr) << row->name;
    EXPECT_GT(row->tile.m, 0) << row->name;
    EXPECT_GT(row->tile.n, 0) << row->name;
    EXPECT_GT(row->tile.k, 0) << row->name;
    EXPECT_GE(row->stages, 1) << row->name;
    EXPECT_GE(row->cluster_m, 1) << row->name;
    EXPECT_GE(row->cluster_n, 1) << row->name;
    EXPECT_LE(row->cluster_m * row->cluster_n, 8) << row->name;  // the portable limit
    EXPECT_EQ(row->threads % 32, 0) << row->name;
    EXPECT_LE(row->threads, 1024) << row->name;
    EXPECT_GE(row->shared_bytes, 0) << row->name;
    EXPECT_LE(row->shared_bytes, 232448) << row->name;  // of one CTA on 9.0
  }
}

TEST(RegistryTest, TheLastRowAcceptsEverything) {
  const KernelRow& last = *Registry().back();
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    const problem::Normalized p = fake::RandomNormalized(seed);
    if (p.empty()) continue;
    for (const char* name : kDevices) {
      const Device& device = *FindKnownDevice(name);
      const auto reason = last.family->reject(last, p, device);
      ASSERT_FALSE(reason.has_value()) << "seed " << seed << " on " << name << ": " << *reason;
      ASSERT_EQ(last.family->workspace_bytes(last, p, device), 0u);
    }
  }
}

TEST(RegistryTest, EveryPredictionIsAPositiveNumber) {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    const problem::Normalized p = fake::RandomNormalized(seed);
    if (p.empty()) continue;
    for (const char* name : kDevices) {
      const Device& device = *FindKnownDevice(name);
      for (const KernelRow* row : Registry()) {
        if (row->family->reject(*row, p, device)) continue;
        const double us = row->family->predict_us(*row, p, device);
        ASSERT_TRUE(std::isfinite(us) && us > 0)
            << row->name << ", seed " << seed << " on " << name << ": " << us;
      }
    }
  }
}

// Every row accepts some problem on some device: none is dead.
TEST(RegistryTest, EveryRowCanBeForced) {
  std::set<std::string> unreached;
  for (const KernelRow* row : Registry()) unreached.insert(row->name);
  for (std::uint64_t seed = 0; seed < 5000 && !unreached.empty(); ++seed) {
    const problem::Normalized p = fake::RandomNormalized(seed);
    if (p.empty()) continue;
    for (const KernelRow* row : Registry()) {
      for (const char* name : {"h200", "a100"}) {
        if (unreached.count(row->name) == 0) continue;
        const Device& device = *FindKnownDevice(name);
        // Select would say so too, but predicts all rows first: 23 s for 0.3 in all, and minutes under AddressSanitizer.
        if (row->family->reject(*row, p, device)) continue;
        SelectOptions options;
        options.kernel = row->name;
        Selection selection;
        if (!Select(Registry(), p, device, options, &selection).ok()) continue;
        EXPECT_STREQ(selection.chosen()->row->name, row->name);
        unreached.erase(row->name);
      }
    }
  }
  for (const std::string& name : unreached) ADD_FAILURE() << name << " accepts no problem";
}

struct Expected {
  const char* device;
  DataType type;
  ComputeType compute;
  std::int64_t ld_extra;  // added to the packed leading dimension of A and B
  const char* backend;
};

TEST(RegistryTest, TheBackendFitsTheDeviceAndTheProblem) {
  constexpr auto kTensor = ComputeType::kTensor;
  const Expected expected[] = {
      {"h200", DataType::kBF16, kTensor, 0, "hopper"},
      {"h100", DataType::kFP16, kTensor, 0, "hopper"},
      {"h200", DataType::kBF16, kTensor, 1, "hopper"},
      {"a100", DataType::kBF16, kTensor, 0, "ampere"},
      {"rtx3090", DataType::kFP16, kTensor, 0, "ampere"},
      {"rtx4090", DataType::kBF16, kTensor, 0, "ampere"},
      {"rtx5070ti", DataType::kBF16, kTensor, 0, "ampere"},
      {"rtx5060laptop", DataType::kFP16, kTensor, 0, "ampere"},
      {"h200", DataType::kFP32, kTensor, 0, "simt"},
      {"a100", DataType::kFP32, kTensor, 0, "simt"},
      {"h200", DataType::kBF16, ComputeType::kFP32, 0, "simt"},
      {"h200", DataType::kFP32, ComputeType::kTF32, 0, "ampere"},
      {"a100", DataType::kFP32, ComputeType::kTF32, 0, "ampere"},
      {"h200", DataType::kFP32, ComputeType::kTF32, 1, "simt"},
      {"h200", DataType::kBF16, ComputeType::kTF32, 0, "hopper"},
  };
  for (const Expected& e : expected) {
    // Below, the smallest tile wins, whoever has it.
    for (const std::int64_t size : {std::int64_t{1024}, std::int64_t{4096}, std::int64_t{8192}}) {
      Problem p;
      p.m = p.n = p.k = size;
      p.a.type = p.b.type = p.d.type = e.type;
      p.a.ld = p.b.ld = size + e.ld_extra;
      p.b.layout = Layout::kColumnMajor;
      p.compute = e.compute;
      problem::Normalized normalized;
      ASSERT_TRUE(problem::Normalize(p, &normalized).ok());
      Selection selection;
      const Status status = Select(Registry(), normalized, *FindKnownDevice(e.device), {}, &selection);
      ASSERT_TRUE(status.ok()) << status.message();
      EXPECT_STREQ(selection.chosen()->row->family->backend, e.backend)
          << problem::ToString(normalized) << " on " << e.device;
    }
  }
}

// The chosen kernel's name where `part` is in it, else "".
std::string ChosenWith(const Problem& problem, const std::string& part, std::size_t max_workspace = SIZE_MAX) {
  problem::Normalized normalized;
  Status status = problem::Normalize(problem, &normalized);
  normalized.c = normalized.d;
  SelectOptions options;
  options.max_workspace = max_workspace;
  Selection selection;
  if (status.ok()) status = Select(Registry(), normalized, *FindKnownDevice("h200"), options, &selection);
  if (!status.ok()) return status.message();  // which no test expects
  const std::string name = selection.chosen()->row->name;
  return name.find(part) == std::string::npos ? "" : name;
}

// Kernels that count in 32 bits leave alone what these do not hold. Such a D fits an H200's memory.
TEST(RegistryTest, KernelsRefuseWhatTheyCannotCount) {
  Problem wide;
  wide.m = 1;
  wide.k = 1;
  // 2^28 tiles of 128 columns, of which a band has 2^32.
  for (const std::int64_t n : {std::int64_t{1} << 35, (std::int64_t{1} << 35) + 8}) {
    wide.n = n;
    EXPECT_EQ(ChosenWith(wide, "_128x128x8"), "");
  }
  // Columns of B from 2^30 on, in bytes.
  Problem threads_copy;
  threads_copy.m = 17;
  threads_copy.n = (std::int64_t{1} << 30) + 4127;
  threads_copy.k = 9;
  EXPECT_EQ(ChosenWith(threads_copy, "_anywhere", 0), "");
  threads_copy.n = (std::int64_t{1} << 30) - 1;
  EXPECT_NE(ChosenWith(threads_copy, "_anywhere", 0), "");
}

TEST(RegistryTest, SmallProductsOfRowsThatStartAnywhereAreNotStaged) {
  const auto chosen = [](std::int64_t m, std::int64_t n, std::int64_t k, DataType type, const char* device) {
    Problem p;
    p.m = m;
    p.n = n;
    p.k = k;
    p.a.type = p.b.type = p.d.type = type;
    p.b.layout = Layout::kColumnMajor;
    problem::Normalized normalized;
    EXPECT_TRUE(problem::Normalize(p, &normalized).ok());
    Selection selection;
    EXPECT_TRUE(Select(Registry(), normalized, *FindKnownDevice(device), {}, &selection).ok());
    return std::string(selection.chosen()->row->name);
  };
  for (const char* device : {"h200", "a100", "rtx4090"}) {
    EXPECT_EQ(chosen(3, 5, 7, DataType::kBF16, device), "simt_bf16_kk_1x16x128_dot") << device;
    EXPECT_EQ(chosen(31, 33, 17, DataType::kFP16, device), "simt_fp16_kk_1x16x128_dot") << device;
    EXPECT_EQ(chosen(4, 64, 64, DataType::kFP32, device), "simt_fp32_kk_1x16x128_dot") << device;
    // Several rounds of K are asked for together where there are few CTAs.
    EXPECT_EQ(chosen(1, 300, 301, DataType::kBF16, device), "simt_bf16_kk_1x16x384_dot") << device;
    EXPECT_EQ(chosen(127, 127, 250, DataType::kFP32, device), "simt_fp32_kk_1x16x128_dot") << device;
    // Tensor cores have rows at multiples of 16 bytes, and others what is large or long.
    EXPECT_EQ(chosen(4, 64, 64, DataType::kBF16, device).find("_dot"), std::string::npos) << device;
    EXPECT_EQ(chosen(1000, 1001, 63, DataType::kBF16, device).find("_dot"), std::string::npos) << device;
    EXPECT_EQ(chosen(64, 64, 20001, DataType::kFP32, device).find("_dot"), std::string::npos) << device;
  }
}

// A problem whose description holds for any M up to `most_m`: leading dimensions of lines along M are given, or packed with an alignment that
// holds for all.
Problem OfAnyM(Problem p, std::int64_t most_m) {
  for (Matrix* matrix : {&p.a, &p.c, &p.d}) {
    if (matrix->layout == Layout::kRowMajor) continue;
    if (matrix->ld == 0) {
      matrix->alignment = base::ElementBytes(matrix->type);
    } else {
      matrix->ld += most_m;
    }
  }
  return p;
}

// Row i of D cannot have the same bits whatever M is where another backend computes it.
TEST(RegistryTest, TheBackendOfABatchInvariantProductDoesNotDependOnM) {
  constexpr std::int64_t kSomeM[] = {1, 2, 3, 8, 17, 64, 257, 4096};
  std::map<std::string, int> seen;
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    Problem problem = fake::RandomProblem(seed);
    problem.m = 1;
    problem.batch = 1;
    if (problem.n == 0) continue;
    problem = OfAnyM(problem, kSomeM[std::size(kSomeM) - 1]);
    PlanOptions options;
    options.batch_invariant = true;
    SelectOptions select;
    const std::size_t limits[] = {0, 32 << 20, SIZE_MAX, SIZE_MAX};
    select.max_workspace = limits[seed % 4];
    std::string first;
    for (const std::int64_t m : kSomeM) {
      problem.m = m;
      problem::Normalized normalized;
      Status status = problem::Normalize(problem, options, &normalized);
      ASSERT_TRUE(status.ok()) << status.message();
      if (!normalized.c_status.ok() || seed % 3 == 0) normalized.c = normalized.d;
      Selection selection;
      status =
          Select(Registry(), normalized, *FindKnownDevice(seed % 5 == 0 ? "a100" : "h200"), select, &selection);
      ASSERT_TRUE(status.ok()) << status.message();
      const std::string backend = selection.chosen()->row->family->backend;
      if (first.empty()) first = backend;
      EXPECT_EQ(backend, first) << "seed " << seed << ", " << problem::ToString(normalized) << ", "
                                << selection.chosen()->row->name;
      if (backend != first) break;
    }
    ++seen[first];
  }
  EXPECT_EQ(seen.size(), 3u);
}

}  // namespace
}  // namespace gemm::dispatch
