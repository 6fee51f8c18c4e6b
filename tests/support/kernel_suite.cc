#include "tests/support/kernel_suite.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <map>
#include <memory>
#include <numeric>
#include <set>
#include <sstream>

#include "common/dispatch/registry.h"
#include "tests/support/device_case.h"
#include "tests/support/dynamic_test.h"
#include "tests/support/gpu_environment.h"

namespace gemm::tests {
namespace {

constexpr std::uint64_t kDefaultSeed = 20261121;
constexpr long long kDefaultRandomCases = 200;
constexpr std::size_t kRandomCasesPerTest = 25;
// A row that ran fewer cases of either kind was not tested.
constexpr int kLeastRuns = 8;

// `wanted` is a part of the name, or PART-OTHER-...: with PART and without any OTHER in it.
bool IsWanted(const std::string& name, const std::string& wanted) {
  std::istringstream parts(wanted);
  std::string part;
  std::getline(parts, part, '-');
  if (name.find(part) == std::string::npos) return false;
  while (std::getline(parts, part, '-')) {
    if (name.find(part) != std::string::npos) return false;
  }
  return true;
}

// Makes the emulated GPU's choices those of a new process with this seed. False on any other GPU.
bool RestartEmulatedGpu(std::uint64_t seed) {
  static const auto restart = [] {
    void* driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
    void* symbol = driver == nullptr ? nullptr : dlsym(driver, "emulator_restart");
    return reinterpret_cast<bool (*)(std::uint64_t)>(symbol);
  }();
  return restart != nullptr && restart(seed);
}

struct RowRuns {
  int exact = 0;
  int bound = 0;
};

GuardMode GuardModeFromEnvironment() {
  const std::string mode = FromEnvironment("GEMM_GUARD", "pages");
  return mode == "zones" ? GuardMode::kZones : mode == "exact" ? GuardMode::kExact : GuardMode::kPages;
}

// The suite at work.
class Suite {
 public:
  Suite(const KernelSuite& description, const std::string& program)
      : description_(description),
        program_(program),
        gpu_(OpenGpu()),
        device_case_(GuardModeFromEnvironment()) {
    const std::string wanted = FromEnvironment("GEMM_ROW", "");
    for (const dispatch::KernelRow* row : dispatch::Collect({description.kernels()})) {
      if (IsWanted(row->name, wanted)) rows_.push_back(row);
    }
    all_rows_ = wanted.empty();
    seeds_ = static_cast<std::uint64_t>(NumberFromEnvironment("GEMM_SEEDS", 0));
    only_counts_ = FromEnvironment("GEMM_ONLY_COUNT", "") == "1";
    once_ = FromEnvironment("GEMM_ONCE", "") == "1";
  }

  void RunCases(const std::vector<Case>& cases) {
    for (const Case& test_case : cases) RunCase(test_case);
  }

  // What RunCases has done so far. Of one case alone it may be what must be refused, or has nothing to compute.
  void CheckSomethingRan(bool is_one_case) {
    EXPECT_FALSE(rows_.empty()) << "no kernel of this backend has GEMM_ROW in its name, or it has no kernel";
    EXPECT_GT(cases_, 0) << "no case ran";
    int products = is_one_case ? refusals_ + empty_ : 0;
    for (const auto& [row, runs] : runs_) products += runs.exact + runs.bound;
    EXPECT_GT(products, 0) << "none of " << rows_.size() << " kernels accepted any of " << cases_ << " cases";
  }

  // The same of each row. Kernels that want more shared memory than the device has must have refused everything.
  void CheckEveryRowRan() {
    int products = 0;
    std::size_t fitting = 0;
    for (const dispatch::KernelRow* row : rows_) {
      const RowRuns runs = runs_[row->name];
      if (row->shared_bytes > gpu_.device.max_shared_bytes_per_block) {
        EXPECT_EQ(runs.exact + runs.bound, 0) << row->name << " does not fit, and accepted cases";
        continue;
      }
      ++fitting;
      products += runs.exact + runs.bound;
      EXPECT_GE(runs.exact, kLeastRuns) << row->name << " accepted too few exact cases to be called tested";
      EXPECT_GE(runs.bound, kLeastRuns)
          << row->name << " accepted too few random-valued cases to be called tested";
    }
    EXPECT_GT(fitting, 0u) << "no kernel fits the device's shared memory";
    std::printf(
        "%s: %zu kernels, %zu more that do not fit, %d cases, %d products (each run %s), %d refusals, on "
        "%s\n",
        description_.backend, fitting, rows_.size() - fitting, cases_, products, once_ ? "once" : "twice",
        refusals_, gpu_.device.name.c_str());
  }

 private:
  void RunCase(const Case& test_case) {
    if (!dead_.empty()) GTEST_SKIP() << "the context died in: " << dead_;
    ++cases_;
    problem::Normalized normalized;
    const Status status = problem::Normalize(test_case.problem, &normalized);
    ASSERT_TRUE(status.ok()) << test_case.origin << ": " << test_case.line << ": " << status.message();
    if (only_counts_) return CountRows(test_case, normalized);
    HostCase host(test_case);
    if (std::string complaint = device_case_.Load(&host); !complaint.empty()) {
      return Fail(nullptr, test_case, complaint);
    }
    int accepted = 0;
    for (const dispatch::KernelRow* row : rows_) {
      bool ran = false;
      const std::string complaint =
          normalized.empty() ? RunEmpty(*row, test_case) : RunRow(*row, test_case, normalized, &ran);
      accepted += ran ? 1 : 0;
      if (!complaint.empty()) Fail(row, test_case, complaint);
      if (!dead_.empty()) return;
    }
    if (all_rows_ && !normalized.empty() && description_.must_run(normalized)) {
      EXPECT_GT(accepted, 0) << "no " << description_.backend << " kernel accepts " << test_case.line;
    }
  }

  // Which rows would run it. C counts only where it is sure to be read, or is read.
  void CountRows(const Case& test_case, const problem::Normalized& normalized) {
    if (normalized.empty()) return;
    problem::Normalized asked = normalized;
    if (asked.scalars != ScalarMode::kDevice && test_case.beta == 0) asked.c = asked.d;
    for (const dispatch::KernelRow* row : rows_) {
      if (!row->family->reject(*row, asked, gpu_.device)) CountRun(*row, test_case);
    }
  }

  void CountRun(const dispatch::KernelRow& row, const Case& test_case) {
    RowRuns& runs = runs_[row.name];
    ++(test_case.fill == Fill::kIntegers ? runs.exact : runs.bound);
  }

  // One row, one case with something to compute. Returns "" or one line.
  std::string RunRow(const dispatch::KernelRow& row, const Case& test_case, const problem::Normalized& full,
                     bool* ran) {
    const bool c_is_sure_to_be_read = full.scalars == ScalarMode::kDevice;
    problem::Normalized first = full;
    if (!c_is_sure_to_be_read) first.c = full.d;
    PlanOptions options;
    options.kernel = row.name;
    options.programmatic_launch = options.constant_b = RunsProgrammatically(test_case);
    Plan plan;
    const Status created = Plan::Create(test_case.problem, options, &plan);
    if (const auto reason = row.family->reject(row, first, gpu_.device)) {
      ++refusals_;
      return CheckRefusal(created, *reason);
    }
    if (!created.ok()) return "Plan::Create: " + created.message();
    if (std::string(plan.kernel_name()) != row.name) return std::string("the plan runs ") + plan.kernel_name();
    if (test_case.beta != 0) {
      if (const auto reason = row.family->reject(row, full, gpu_.device)) {
        ++refusals_;
        return device_case_.RunMustRefuse(plan, StatusCode::kUnsupported, *reason);
      }
    }
    *ran = true;
    CountRun(row, test_case);
    if (seeds_ > 0) return RunAtSeeds(plan);
    return once_ ? device_case_.RunOnceAndCheck(plan) : device_case_.RunTwiceAndCheck(plan);
  }

  // Seeds from 0 on, in one process: starting one for each would take longer than a small product.
  std::string RunAtSeeds(const Plan& plan) {
    for (std::uint64_t seed = 0; seed < seeds_; ++seed) {
      if (!RestartEmulatedGpu(seed)) return "GEMM_SEEDS needs the emulated GPU";
      if (std::string complaint = device_case_.RunOnceAndCheck(plan); !complaint.empty()) {
        return "with GPU_EMULATOR_SEED=" + std::to_string(seed) + ": " + complaint;
      }
    }
    std::printf("%s at %llu seeds\n", plan.kernel_name(), static_cast<unsigned long long>(seeds_));
    return "";
  }

  // About every second case, and the same ones each time, so that a line is enough to reproduce one.
  static bool RunsProgrammatically(const Case& test_case) {
    return std::accumulate(test_case.line.begin(), test_case.line.end(), 0) % 2 == 1;
  }

  static std::string CheckRefusal(const Status& created, const std::string& reason) {
    if (reason.empty()) return "the row rejects the problem without a reason";
    if (created.code() != StatusCode::kUnsupported) {
      return std::string("Plan::Create must refuse with UNSUPPORTED, got ") + Name(created.code()) + " " +
             created.message();
    }
    if (created.message().find(reason) == std::string::npos) {
      return "the refusal \"" + created.message() + "\" does not give the row's reason \"" + reason + "\"";
    }
    return "";
  }

  std::string RunEmpty(const dispatch::KernelRow& row, const Case& test_case) {
    ++empty_;
    PlanOptions options;
    options.kernel = row.name;
    Plan plan;
    if (Status status = Plan::Create(test_case.problem, options, &plan); !status.ok()) {
      return "Plan::Create: " + status.message();
    }
    Arguments arguments;
    if (std::string complaint = device_case_.MakeArguments(plan.workspace_size(), &arguments);
        !complaint.empty()) {
      return complaint;
    }
    Status status = plan.Run(arguments);
    if (status.ok()) status = gpu::Synchronize();
    return status.ok() ? "" : "Run: " + status.message();
  }

  void Fail(const dispatch::KernelRow* row, const Case& test_case, const std::string& complaint) {
    const std::string name = row != nullptr ? row->name : "";
    ADD_FAILURE() << name << (row != nullptr ? ": " : "") << complaint << "\n  " << test_case.origin
                  << "\n  reproduce: " << (row != nullptr ? "GEMM_ROW=" + name + " " : "") << "GEMM_CASE=\""
                  << test_case.line << "\" " << program_;
    // An illegal address ends the context: nothing after it can be judged.
    if (!gpu::Synchronize().ok()) dead_ = name + ", " + test_case.line;
  }

  KernelSuite description_;
  std::string program_;
  Gpu gpu_;
  DeviceCase device_case_;
  dispatch::Rows rows_;
  bool all_rows_ = true;
  std::uint64_t seeds_ = 0;
  bool only_counts_ = false;
  bool once_ = false;
  std::map<std::string, RowRuns> runs_;
  int cases_ = 0;
  int refusals_ = 0;
  int empty_ = 0;  // runs with nothing to compute
  std::string dead_;
};

// The cases that the environment asks for, grouped into tests by name; each case once.
struct NamedCases {
  std::string name;
  std::vector<Case> cases;
};

std::string NameOfLine(const std::string& origin) {
  std::string name = origin.substr(origin.find_last_of('/') + 1);
  for (char& letter : name) {
    if (letter == ':' || letter == '.') letter = '_';
  }
  return name;
}

bool CollectTables(std::vector<Case>* cases, std::string* error) {
  if (const std::string line = FromEnvironment("GEMM_CASE", ""); !line.empty()) {
    return ParseCaseLine(line, "GEMM_CASE", cases, error);
  }
  if (const std::string path = FromEnvironment("GEMM_CASES", ""); !path.empty()) {
    std::ifstream file(path);
    std::stringstream text;
    text << file.rdbuf();
    if (!file) {
      *error = "cannot read " + path;
      return false;
    }
    return ParseCaseTable(text.str(), path, cases, error);
  }
  for (const CaseFile& file : EmbeddedCaseFiles()) {
    if (!ParseCaseTable(file.text, file.name, cases, error)) return false;
  }
  return true;
}

bool CollectCases(std::vector<NamedCases>* groups, std::string* error) {
  std::vector<Case> cases;
  if (!CollectTables(&cases, error)) return false;
  std::set<std::string> seen;
  for (Case& one : cases) {
    if (!seen.insert(one.line).second) continue;
    const std::string name = NameOfLine(one.origin);
    if (groups->empty() || groups->back().name != name) groups->push_back({name, {}});
    groups->back().cases.push_back(std::move(one));
  }
  if (!FromEnvironment("GEMM_CASE", "").empty()) return true;
  const auto seed = static_cast<std::uint64_t>(NumberFromEnvironment("GEMM_SEED", kDefaultSeed));
  const auto count = static_cast<std::uint64_t>(NumberFromEnvironment("GEMM_RANDOM", kDefaultRandomCases));
  for (std::uint64_t index = 0; index < count; ++index) {
    if (index % kRandomCasesPerTest == 0) groups->push_back({"random_" + std::to_string(index), {}});
    groups->back().cases.push_back(RandomCase(seed, index));
  }
  return true;
}

}  // namespace

int RunKernelSuite(int argc, char** argv, const KernelSuite& description) {
  ::testing::InitGoogleTest(&argc, argv);
  const std::string name = std::string(description.backend) + "_kernels";
  if (const std::string reason = WhyNoGpu(description.compute_capability, description.only_this_major);
      !reason.empty()) {
    RegisterDynamicTest(name, "all", [reason, name] { GTEST_SKIP() << reason << ": " << name << " skipped"; });
    return RUN_ALL_TESTS();
  }
  std::vector<NamedCases> groups;
  std::string error;
  if (!CollectCases(&groups, &error)) {
    RegisterDynamicTest(name, "tables", [error] { FAIL() << error; });
    return RUN_ALL_TESTS();
  }
  // Destroyed here, while the driver is still alive.
  const auto owner = std::make_unique<Suite>(description, argv[0]);
  Suite* const suite = owner.get();
  for (const NamedCases& group : groups) {
    RegisterDynamicTest(name, group.name, [suite, cases = group.cases] { suite->RunCases(cases); });
  }
  const bool is_one_case = !FromEnvironment("GEMM_CASE", "").empty();
  RegisterDynamicTest(name, "something_ran", [suite, is_one_case] { suite->CheckSomethingRan(is_one_case); });
  const bool everything =
      !is_one_case && ::testing::GTEST_FLAG(filter) == "*" &&
      (FromEnvironment("GEMM_CASES", "").empty() || FromEnvironment("GEMM_EVERY_ROW", "") == "1");
  if (everything) RegisterDynamicTest(name, "every_row_ran", [suite] { suite->CheckEveryRowRan(); });
  return RUN_ALL_TESTS();
}

}  // namespace gemm::tests
