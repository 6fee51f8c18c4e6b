// Kernels that exchange sums through workspace: whatever lies in it beforehand, in graphs, and several at a time.
#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <set>

#include "common/base/data_type.h"
#include "tests/gpu_api/product.h"

namespace gemm::tests {
namespace {

using Products = std::vector<std::unique_ptr<Product>>;

using Chosen = std::function<bool(const dispatch::KernelRow& row)>;

// A product of `sizes` ("m n k") on every kernel that asks for workspace and is `chosen`.
Products MakeProducts(
    const std::string& sizes, const std::string& rest, PlanOptions options = {},
    const Chosen& chosen = [](const dispatch::KernelRow&) { return true; }) {
  Products products;
  for (const dispatch::KernelRow* row : dispatch::Registry()) {
    if (!chosen(*row)) continue;
    const std::string line = sizes + " in=" + Name(row->input_type) +
                             (row->a_major == problem::Major::kK ? " a=r" : " a=c") +
                             (row->b_major == problem::Major::kK ? " b=c" : " b=r") + rest;
    options.kernel = row->name;
    Plan plan;
    const Status status = Plan::Create(ParseOne(line).problem, options, &plan);
    if (status.code() == StatusCode::kUnsupported) continue;
    EXPECT_TRUE(status.ok()) << line << " on " << row->name << ": " << status.message();
    if (!status.ok() || plan.workspace_size() == 0) continue;
    products.push_back(std::make_unique<Product>(line, options));
    EXPECT_TRUE(products.back()->good()) << line << " on " << row->name;
  }
  return products;
}

// As large as any of the products needs, and full of random bytes.
void MakeWorkspace(const Products& products, gpu::DeviceBuffer* workspace) {
  std::size_t size = 0;
  for (const auto& product : products) size = std::max(size, product->plan().workspace_size());
  std::mt19937_64 random(20261121);
  std::vector<std::uint64_t> bytes(size / 8 + 1);
  for (std::uint64_t& word : bytes) word = random();
  ASSERT_OK(gpu::DeviceBuffer::Create(bytes.size() * 8, workspace));
  ASSERT_OK(workspace->CopyFrom(bytes.data(), bytes.size() * 8));
}

Arguments With(const Product& product, const gpu::DeviceBuffer& workspace, Stream stream) {
  Arguments arguments = product.ArgumentsOn(stream);
  arguments.workspace = workspace.data();
  arguments.workspace_size = workspace.size();
  return arguments;
}

void ExpectRight(Product& product, const std::string& when) {
  EXPECT_EQ(product.device().CheckResult(), "") << product.plan().kernel_name() << ", " << when;
}

// It is slow, and gives the same again at the same state: there some kernels, second runs and replays are left out.
bool IsEmulated() { return TheDevice().name.find("(emulated)") != std::string::npos; }

// That a Run launches: operands are copied by one in front, and parallel split K's parts added up by one behind.
std::size_t KernelsOf(const Plan& plan) {
  const std::string name = plan.kernel_name();
  const auto has = [&](const char* part) { return name.find(part) != std::string::npos; };
  return 1 + (has("_packed") || has("_classes") ? 1 : 0) + (has("_pk") ? 1 : 0);
}

// Rows that differ in types and layouts alone: those decide how operands are fetched and multiplied, while who computes
// which part of K, and how sums meet, is the same code with the same numbers.
class Kin {
 public:
  Kin() {
    for (const dispatch::KernelRow* row : dispatch::Registry()) numbers_[row->name] = sizes_[KeyOf(*row)]++;
  }

  // Whether the row is of the third of its kin, of two the one, that takes the `turn`.
  bool Takes(const dispatch::KernelRow& row, int turn) const {
    const int parts = std::min(3, sizes_.at(KeyOf(row)));
    return numbers_.at(row.name) % parts == turn % parts;
  }

 private:
  static std::string KeyOf(const dispatch::KernelRow& row) {
    std::string key = row.family->backend;
    for (const int number : {base::ElementBytes(row.input_type), row.tile.m, row.tile.n, row.tile.k, row.stages,
                             row.cluster_m, row.cluster_n, row.threads, row.variant}) {
      key += " " + std::to_string(number);
    }
    return key;
  }

  std::map<std::string, int> sizes_;    // of all kin
  std::map<std::string, int> numbers_;  // of the rows among their kin
};

// Those that take the `turn` where the GPU is emulated, all on a real one.
Chosen OfTurn(const Kin& kin, int turn) {
  return
      [&kin, turn, all = !IsEmulated()](const dispatch::KernelRow& row) { return all || kin.Takes(row, turn); };
}

// One kernel's sums lie where the next one's flags are.
TEST(Workspace, HoldsWhatAnybodyLeftThere) {
  const Kin kin;
  const std::string rest = " beta=1 cmode=inplace fill=integers";
  Products products = MakeProducts("264 520 1544", rest, {}, OfTurn(kin, 0));
  const auto is_for_few = [](const dispatch::KernelRow& row) { return row.tile.m <= 8; };
  for (auto& product : MakeProducts("5 521 1544", rest, {}, is_for_few)) products.push_back(std::move(product));
  ASSERT_FALSE(products.empty()) << "no kernel asks for workspace";
  gpu::DeviceBuffer workspace;
  MakeWorkspace(products, &workspace);
  ASSERT_FALSE(HasFatalFailure());
  for (const char* round : {"over random bytes", "over what others left"}) {
    for (const auto& product : products) {
      ASSERT_EQ(product->device().ResetD(), "");
      ASSERT_OK(product->plan().Run(With(*product, workspace, nullptr)));
      ASSERT_OK(gpu::Synchronize());
      ExpectRight(*product, round);
    }
  }
}

// How K is split depends on how many clusters there are: a part of a tile each, several tiles, whole ones between. On
// the emulated GPU each kernel that has kin meets a third of the numbers or a half, and each number is met by some of the kin.
TEST(Workspace, OfAnyNumberOfMultiprocessors) {
  const Kin kin;
  int turn = 1;
  for (const int sms : {3, 4, 6, 7, 10, 16, 23, 40}) {
    PlanOptions options;
    options.max_sms = sms;
    const Products products =
        MakeProducts("392 504 328", " beta=2 cmode=distinct fill=integers", options, OfTurn(kin, turn));
    EXPECT_FALSE(products.empty()) << "no kernel asks for workspace on " << sms << " multiprocessors";
    for (const auto& product : products) {
      DeviceCase& device = product->device();
      const Plan& plan = product->plan();
      EXPECT_EQ(IsEmulated() ? device.RunOnceAndCheck(plan) : device.RunTwiceAndCheck(plan), "")
          << plan.kernel_name() << " on " << sms << " multiprocessors";
    }
    ++turn;
  }
}

class WorkspaceInGraphs : public ::testing::TestWithParam<bool> {};

// All kernels one after the other on one workspace, with and without overlapping launches; a replay finds what the same
// launch left there.
TEST_P(WorkspaceInGraphs, ReplaysFindWhatTheyLeft) {
  PlanOptions options;
  options.programmatic_launch = GetParam();
  const Kin kin;
  const Products products =
      MakeProducts("200 264 1544", " fill=integers", options, OfTurn(kin, GetParam() ? 1 : 2));
  ASSERT_FALSE(products.empty()) << "no kernel asks for workspace";
  gpu::DeviceBuffer workspace;
  MakeWorkspace(products, &workspace);
  ASSERT_FALSE(HasFatalFailure());
  gpu::Stream stream;
  gpu::Graph graph;
  ASSERT_OK(gpu::Stream::Create(&stream));
  ASSERT_OK(stream.BeginCapture());
  for (int run = 0; run < 2; ++run) {
    for (const auto& product : products) {
      ASSERT_OK(product->plan().Run(With(*product, workspace, stream.handle())));
    }
  }
  ASSERT_OK(stream.EndCapture(&graph));
  std::size_t kernels = 0;
  for (const auto& product : products) kernels += KernelsOf(product->plan());
  EXPECT_EQ(graph.node_count(), 2 * kernels) << "no memset, no copy";
  std::vector<unsigned char> found, left(workspace.size());
  const bool emulated = IsEmulated();
  for (int replay = 0; replay < 3; ++replay) {
    for (const auto& product : products) ASSERT_EQ(product->device().ResetD(), "");
    ASSERT_OK(graph.Launch(stream.handle()));
    ASSERT_OK(stream.Synchronize());
    for (const auto& product : products) ExpectRight(*product, "replay " + std::to_string(replay));
    if (!emulated) continue;
    ASSERT_OK(workspace.CopyTo(left.data(), left.size()));
    if (left == found) break;  // the next one would find what this one found
    found = left;
  }
}

INSTANTIATE_TEST_SUITE_P(Programmatic, WorkspaceInGraphs, ::testing::Bool());

std::set<std::string> KernelNames(const Products& products) {
  std::set<std::string> names;
  for (const auto& product : products) names.insert(product->plan().kernel_name());
  return names;
}

void KeepThoseOf(const std::set<std::string>& names, Products* products) {
  const auto is_other = [&](const auto& product) { return names.count(product->plan().kernel_name()) == 0; };
  products->erase(std::remove_if(products->begin(), products->end(), is_other), products->end());
}

// Each holds some of the multiprocessors while the other waits for sums. Whether a kernel splits K depends on the sizes
// too: those that split both products take part.
TEST(Workspace, OfTwoStreamsAtOnce) {
  constexpr int kRuns = 50;
  Products products[2] = {MakeProducts("1032 1144 1032", " fill=integers"),
                          MakeProducts("520 2040 1544", " fill=integers")};
  const std::set<std::string> names[2] = {KernelNames(products[0]), KernelNames(products[1])};
  for (int i = 0; i < 2; ++i) KeepThoseOf(names[1 - i], &products[i]);
  ASSERT_FALSE(products[0].empty()) << "no kernel asks for workspace for both";
  ASSERT_EQ(products[0].size(), products[1].size());
  gpu::DeviceBuffer workspaces[2];
  gpu::Stream streams[2];
  for (int i = 0; i < 2; ++i) {
    MakeWorkspace(products[i], &workspaces[i]);
    ASSERT_FALSE(HasFatalFailure());
    ASSERT_OK(gpu::Stream::Create(&streams[i]));
  }
  for (std::size_t row = 0; row < products[0].size(); ++row) {
    for (auto& side : products) ASSERT_EQ(side[row]->device().ResetD(), "");
    for (int run = 0; run < kRuns; ++run) {
      for (int i = 0; i < 2; ++i) {
        ASSERT_OK(products[i][row]->plan().Run(With(*products[i][row], workspaces[i], streams[i].handle())));
      }
    }
    for (const gpu::Stream& stream : streams) ASSERT_OK(stream.Synchronize());
    for (auto& side : products) ExpectRight(*side[row], "two streams");
  }
}

}  // namespace
}  // namespace gemm::tests
