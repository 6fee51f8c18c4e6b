// Mutated files: whatever a reader is given, it answers with a status. Seeded, and bounded to about a second a
// reader; what it finds, the sanitizers and the assertions below report.
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <random>
#include <string>

#include "tests/io/files.h"
#include "tools/io/npy.h"
#include "tools/io/safetensors.h"
#include "tools/io/shapes.h"

namespace gemm::io {
namespace {

constexpr auto kBudget = std::chrono::milliseconds(1000);

// Changes, inserts, removes or repeats a few bytes; numbers and punctuation more often than others.
std::string Mutate(std::string file, std::mt19937_64* random) {
  static constexpr char kLikely[] = "0123456789-+eE.,:;{}[]()'\"<>fF \n\\\xff";
  const auto below = [random](std::size_t limit) {
    return static_cast<std::size_t>((*random)() % std::max<std::size_t>(limit, 1));
  };
  const auto byte = [&] {
    return below(3) != 0 ? kLikely[below(sizeof kLikely)] : static_cast<char>(below(256));
  };
  for (std::size_t change = below(4) + 1; change > 0; --change) {
    const std::size_t at = below(file.size() + 1);
    const std::size_t length = std::min(below(12), file.size() - at);
    switch (below(5)) {
      case 0:
        if (at < file.size()) file[at] = byte();
        break;
      case 1:
        file.insert(at, 1, byte());
        break;
      case 2:
        file.erase(at, length);
        break;
      case 3:
        file.insert(below(file.size() + 1), file.substr(at, length));
        break;
      case 4:
        file.resize(at);
        break;
    }
  }
  return file;
}

// Feeds mutants of `seeds` to `read`, which tells whether it accepted. Mutants must be refused and accepted
// both, or the mutation is too timid or too wild to test anything.
void Fuzz(const std::vector<std::string>& seeds, const std::function<bool(const std::string&)>& read) {
  std::mt19937_64 random(20261121);
  const auto end = std::chrono::steady_clock::now() + kBudget;
  int accepted = 0;
  int refused = 0;
  // At least this many, however slow the machine.
  for (int i = 0; i < 2000 || std::chrono::steady_clock::now() < end; ++i) {
    const std::string mutant = Mutate(seeds[random() % seeds.size()], &random);
    ++(read(mutant) ? accepted : refused);
  }
  EXPECT_GT(accepted, 0);
  EXPECT_GT(refused, 0);
  testing::Test::RecordProperty("mutants", accepted + refused);
}

// What an accepted tensor must be.
void ExpectSound(const Tensor& tensor, std::size_t file_bytes) {
  std::int64_t bytes = 0;
  ASSERT_TRUE(CheckedBytes(tensor.shape, ElementBytes(tensor.element), &bytes));
  ASSERT_EQ(static_cast<std::size_t>(bytes), tensor.data.size());
  ASSERT_LE(tensor.data.size(), file_bytes);
}

TEST(Fuzz, Npy) {
  const std::string data = BytesOf<float>({1, 2, 3, 4, 5, 6});
  std::vector<std::string> seeds;
  for (const char* order : {"False", "True"}) {
    for (const int major : {1, 2}) {
      seeds.push_back(
          Npy(std::string("{'descr': '<f4', 'fortran_order': ") + order + ", 'shape': (2, 3), }", data, major));
    }
  }
  seeds.push_back(Npy("{'descr': '<f8', 'fortran_order': False, 'shape': (3, ), }", data));
  Fuzz(seeds, [](const std::string& file) {
    Tensor tensor;
    const Status status = ReadNpy(Memory(file), "fuzz", &tensor);
    EXPECT_NE(status.code(), StatusCode::kInternal) << status.message();
    if (status.ok()) ExpectSound(tensor, file.size());
    return status.ok();
  });
}

TEST(Fuzz, Safetensors) {
  const std::string json =
      R"({"__metadata__":{"format":"pt"},"w":{"dtype":"F32","shape":[2,1],"data_offsets":[0,8]},"v":{"dtype":"BF16","shape":[3],"data_offsets":[8,14]}})";
  Fuzz({Safetensors(json, std::string(14, 'x')),
        Safetensors(R"({"w":{"dtype":"F16","shape":[7],"data_offsets":[0,14]}})", std::string(14, 'x'))},
       [](const std::string& file) {
         Tensor tensor;
         const Status status = ReadSafetensors(Memory(file), "fuzz", "w", &tensor);
         EXPECT_NE(status.code(), StatusCode::kInternal) << status.message();
         if (status.ok()) ExpectSound(tensor, file.size());
         return status.ok();
       });
}

TEST(Fuzz, Shapes) {
  Fuzz({"nk 1 2 3\nkn 4 5 6 7 # tail\n", "# head\nkm-nk-nm 8 9 10\n"}, [](const std::string& file) {
    std::vector<Shape> shapes;
    const Status status = ParseShapes(file, "fuzz", &shapes);
    for (const Shape& shape : shapes) {
      EXPECT_GE(shape.m, 1);
      EXPECT_GE(shape.batch, 1);
    }
    return status.ok();
  });
}

}  // namespace
}  // namespace gemm::io
