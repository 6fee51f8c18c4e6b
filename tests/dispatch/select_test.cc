// Selection on the rows of fake_tables.h.
#include "common/dispatch/select.h"

#include <cmath>
#include <limits>
#include <optional>
#include <random>
#include <string>

#include "common/dispatch/device.h"
#include "gtest/gtest.h"
#include "tests/dispatch/fake_tables.h"
#include "tests/dispatch/random_problem.h"

namespace gemm::dispatch {
namespace {

problem::Normalized Square(std::int64_t size, DataType type = DataType::kBF16) {
  Problem p;
  p.m = p.n = p.k = size;
  p.a.type = p.b.type = p.c.type = p.d.type = type;
  problem::Normalized out;
  EXPECT_TRUE(problem::Normalize(p, &out).ok());
  return out;
}

std::string Chosen(const problem::Normalized& problem, const char* device, const SelectOptions& options = {}) {
  Selection selection;
  const Status status = Select(Registry(), problem, *FindKnownDevice(device), options, &selection);
  return status.ok() ? selection.chosen()->row->name
                     : std::string(Name(status.code())) + ": " + status.message();
}

bool StartsWith(const std::string& text, const std::string& start) {
  return text.compare(0, start.size(), start) == 0;
}

TEST(Select, TakesTheBackendOfTheDevice) {
  EXPECT_EQ(Chosen(Square(4096), "h200"), "hopper_fake_128x256");
  EXPECT_EQ(Chosen(Square(4096), "h100"), "hopper_fake_128x256");
  for (const char* device : {"a100", "rtx3090", "rtx4090", "rtx5070ti", "rtx5060laptop"}) {
    EXPECT_TRUE(StartsWith(Chosen(Square(4096), device), "ampere_")) << device;
    EXPECT_EQ(Chosen(Square(4096, DataType::kFP32), device), "simt_fake_any") << device;
  }
}

TEST(Select, TakesWhatTheProblemAllows) {
  problem::Normalized p = Square(4096);
  p.a.alignment = 2;
  EXPECT_TRUE(StartsWith(Chosen(p, "h200"), "ampere_"));
  p = Square(4096);
  p.compute = ComputeType::kFP32;
  EXPECT_EQ(Chosen(p, "h200"), "simt_fake_any");
  p = Square(4096);
  p.k = 0;
  EXPECT_FALSE(StartsWith(Chosen(p, "h200"), "hopper_"));
}

TEST(Select, SmallProblemsTakeSmallTiles) {
  EXPECT_EQ(Chosen(Square(256), "h200"), "hopper_fake_64x64");
  EXPECT_EQ(Chosen(Square(256), "a100"), "ampere_fake_64x64");
}

// A function of the problem and the numbers of the device: not of its name, of what was asked before, or of
// time.
TEST(Select, IsPure) {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    const problem::Normalized p = fake::RandomNormalized(seed);
    if (p.empty()) continue;
    Device device = *FindKnownDevice("h200");
    Selection first, second;
    ASSERT_TRUE(Select(Registry(), p, device, {}, &first).ok());
    (void)Chosen(fake::RandomNormalized(seed + 1), "a100");
    device.name = "another name";
    ASSERT_TRUE(Select(Registry(), p, device, {}, &second).ok());
    ASSERT_EQ(first.index, second.index);
    for (std::size_t i = 0; i < first.candidates.size(); ++i) {
      ASSERT_EQ(first.candidates[i].predicted_us, second.candidates[i].predicted_us);
      ASSERT_EQ(first.candidates[i].rejection, second.candidates[i].rejection);
    }
  }
}

TEST(Select, ChoosesTheLeastTimeAmongThoseThatAccept) {
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    const problem::Normalized p = fake::RandomNormalized(seed);
    if (p.empty()) continue;
    Selection s;
    ASSERT_TRUE(Select(Registry(), p, *FindKnownDevice("h200"), {}, &s).ok()) << "seed " << seed;
    ASSERT_EQ(s.candidates.size(), Registry().size());
    ASSERT_TRUE(s.chosen()->rejection.empty());
    for (std::size_t i = 0; i < s.candidates.size(); ++i) {
      const Candidate& other = s.candidates[i];
      ASSERT_EQ(other.row, Registry()[i]);
      if (!other.rejection.empty()) continue;
      ASSERT_TRUE(other.predicted_us > s.chosen()->predicted_us ||
                  (other.predicted_us == s.chosen()->predicted_us && i >= s.index))
          << "seed " << seed;
    }
  }
}

TEST(Select, StaysWithinTheWorkspace) {
  problem::Normalized p = Square(16384);
  EXPECT_EQ(Chosen(p, "h200"), "hopper_fake_split");
  SelectOptions options;
  options.max_workspace = fake::kSplitWorkspace - 1;
  Selection s;
  ASSERT_TRUE(Select(Registry(), p, *FindKnownDevice("h200"), options, &s).ok());
  EXPECT_STREQ(s.chosen()->row->name, "hopper_fake_128x256");
  EXPECT_EQ(s.candidates[2].rejection, "it needs 1048576 bytes of workspace; 1048575 are allowed");
  EXPECT_EQ(s.workspace_least, 0u);
  EXPECT_EQ(s.workspace_most, fake::kSplitWorkspace - 1);
  options.max_workspace = fake::kSplitWorkspace;
  ASSERT_TRUE(Select(Registry(), p, *FindKnownDevice("h200"), options, &s).ok());
  EXPECT_STREQ(s.chosen()->row->name, "hopper_fake_split");
  EXPECT_EQ(s.workspace_least, fake::kSplitWorkspace);
  EXPECT_EQ(s.workspace_most, SIZE_MAX);
  // A problem that the row rejects does not depend on the limit at all.
  ASSERT_TRUE(Select(Registry(), Square(4096), *FindKnownDevice("h200"), options, &s).ok());
  EXPECT_EQ(s.workspace_least, 0u);
  EXPECT_EQ(s.workspace_most, SIZE_MAX);
}

TEST(Select, BatchInvariantKeepsToTheFirstBackendThatCan) {
  problem::Normalized p = Square(4096);
  p.batch_invariant = true;
  Selection s;
  ASSERT_TRUE(Select(Registry(), p, *FindKnownDevice("h200"), {}, &s).ok());
  EXPECT_STREQ(s.chosen()->row->family->backend, "hopper");
  int kept_away = 0;
  for (const Candidate& candidate : s.candidates) {
    if (std::string(candidate.row->family->backend) == "hopper") continue;
    EXPECT_EQ(candidate.rejection, "batch_invariant keeps to one backend, here hopper") << candidate.row->name;
    ++kept_away;
  }
  EXPECT_EQ(kept_away, 3);
  // The same for every m, also where another backend would be faster.
  for (std::int64_t m = 1; m <= 16384; m *= 2) {
    p.m = m;
    EXPECT_EQ(Chosen(p, "h200").substr(0, 7), "hopper_") << m;
    EXPECT_EQ(Chosen(p, "a100").substr(0, 7), "ampere_") << m;
  }
  // A forced row is asked for by name.
  SelectOptions options;
  options.kernel = "simt_fake_any";
  EXPECT_EQ(Chosen(p, "h200", options), "simt_fake_any");
}

TEST(Select, LimitedSmsPreferPersistentRows) {
  Device limited = *FindKnownDevice("h200");
  LimitSms(100, &limited);
  Selection s;
  ASSERT_TRUE(Select(Registry(), Square(4096), limited, SelectOptions(), &s).ok());
  EXPECT_TRUE(s.chosen()->row->family->is_persistent);
  for (const Candidate& candidate : s.candidates) {
    EXPECT_TRUE(candidate.row->family->is_persistent || !candidate.rejection.empty()) << candidate.row->name;
  }
  // No persistent row can run there: another does.
  Device ampere = *FindKnownDevice("a100");
  LimitSms(100, &ampere);
  ASSERT_TRUE(Select(Registry(), Square(4096), ampere, SelectOptions(), &s).ok());
  EXPECT_STREQ(s.chosen()->row->family->backend, "ampere");
}

TEST(Select, AsManySmsAsThereAreAreNoLimit) {
  for (const int most : {0, 132, 1000}) {
    Device device = *FindKnownDevice("h200");
    LimitSms(most, &device);
    EXPECT_FALSE(device.is_limited()) << most;
    EXPECT_EQ(device.sm_count, 132) << most;
  }
  Device device = *FindKnownDevice("h200");
  LimitSms(131, &device);
  EXPECT_TRUE(device.is_limited());
  EXPECT_EQ(device.sm_count, 131);
  EXPECT_EQ(device.all_sms, 132);
}

TEST(Select, AForcedRowRuns) {
  for (const KernelRow* row : Registry()) {
    SelectOptions options;
    options.kernel = row->name;
    EXPECT_EQ(Chosen(Square(16384), "h200", options), row->name);
  }
}

TEST(Select, AForcedRowIsBoundByTheWorkspaceOfNoOther) {
  SelectOptions options;
  options.kernel = "simt_fake_any";
  options.max_workspace = 0;
  Selection s;
  ASSERT_TRUE(Select(Registry(), Square(16384), *FindKnownDevice("h200"), options, &s).ok());
  EXPECT_EQ(s.workspace_least, 0u);
  EXPECT_EQ(s.workspace_most, SIZE_MAX);
  options.kernel = "hopper_fake_split";
  EXPECT_EQ(Chosen(Square(16384), "h200", options).substr(0, 11), "UNSUPPORTED");
}

TEST(Select, AForcedRowThatCannotRunIsRefusedWithItsReason) {
  SelectOptions options;
  options.kernel = "hopper_fake_64x64";
  const std::string refusal = Chosen(Square(4096), "a100", options);
  EXPECT_TRUE(StartsWith(refusal,
                         "UNSUPPORTED: options.kernel is \"hopper_fake_64x64\", which cannot run this problem"))
      << refusal;
  EXPECT_NE(refusal.find("it needs compute capability 9.0"), std::string::npos) << refusal;
}

TEST(Select, AnUnknownNameIsRefusedWithTheNearest) {
  SelectOptions options;
  options.kernel = "ampere_fake_64x46";
  options.kernel_origin = "LIBGEMM_KERNEL";
  const std::string refusal = Chosen(Square(4096), "h200", options);
  EXPECT_TRUE(StartsWith(refusal, "INVALID_ARGUMENT: LIBGEMM_KERNEL is \"ampere_fake_64x46\"")) << refusal;
  EXPECT_NE(refusal.find("the nearest are ampere_fake_64x64, "), std::string::npos) << refusal;
}

TEST(Select, AnOldDeviceIsRefusedByName) {
  Device device = *FindKnownDevice("a100");
  device.name = "Tesla T4";
  device.compute_capability_major = 7;
  device.compute_capability_minor = 5;
  Selection s;
  const Status status = Select(Registry(), Square(64), device, {}, &s);
  EXPECT_EQ(status.code(), StatusCode::kArchitectureTooOld);
  EXPECT_EQ(status.message(), "the device Tesla T4 has compute capability 7.5; libgemm needs 8.0 or later");
}

// Rows made for a test, all of one family whose time is `variant` microseconds.
struct Local {
  static std::optional<std::string> Accept(const KernelRow&, const problem::Normalized&, const Device&) {
    return std::nullopt;
  }
  static std::optional<std::string> Reject(const KernelRow&, const problem::Normalized&, const Device&) {
    return "it is never in the mood";
  }
  static double Time(const KernelRow& row, const problem::Normalized&, const Device&) {
    return row.variant == 0 ? std::numeric_limits<double>::quiet_NaN() : row.variant;
  }
  static std::size_t NoWorkspace(const KernelRow&, const problem::Normalized&, const Device&) { return 0; }

  static KernelRow Make(const char* name, const KernelFamily& family, int time) {
    KernelRow row = *Registry()[0];
    row.name = name;
    row.family = &family;
    row.variant = time;
    return row;
  }
};

constexpr KernelFamily kAccepting = {"local", Local::Accept, Local::Time, Local::NoWorkspace, nullptr};
constexpr KernelFamily kRejecting = {"local", Local::Reject, Local::Time, Local::NoWorkspace, nullptr};

TEST(Select, OfEqualsTheFirst) {
  const KernelRow rows[] = {Local::Make("slow", kAccepting, 9), Local::Make("first", kAccepting, 5),
                            Local::Make("second", kAccepting, 5)};
  Selection s;
  ASSERT_TRUE(Select(Collect({{rows, 3}}), Square(64), *FindKnownDevice("h200"), {}, &s).ok());
  EXPECT_STREQ(s.chosen()->row->name, "first");
}

TEST(Select, ATimeThatIsNoNumberLoses) {
  const KernelRow rows[] = {Local::Make("broken", kAccepting, 0), Local::Make("negative", kAccepting, -1),
                            Local::Make("sound", kAccepting, 5)};
  Selection s;
  ASSERT_TRUE(Select(Collect({{rows, 3}}), Square(64), *FindKnownDevice("h200"), {}, &s).ok());
  EXPECT_STREQ(s.chosen()->row->name, "sound");
  EXPECT_FALSE(s.candidates[0].rejection.empty());
  EXPECT_FALSE(s.candidates[1].rejection.empty());
}

TEST(Select, WithoutACandidateEveryReasonIsToldOnce) {
  const KernelRow rows[] = {Local::Make("one", kRejecting, 1), Local::Make("two", kRejecting, 2)};
  Selection s;
  const Status status = Select(Collect({{rows, 2}}), Square(64), *FindKnownDevice("h200"), {}, &s);
  EXPECT_EQ(status.code(), StatusCode::kUnsupported);
  EXPECT_NE(status.message().find("2 kernels: it is never in the mood"), std::string::npos) << status.message();
  EXPECT_EQ(s.candidates.size(), 2u);
}

}  // namespace
}  // namespace gemm::dispatch
