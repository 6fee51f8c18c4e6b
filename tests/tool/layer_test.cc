// gemm layer from outside, on the fake driver and a rival that multiplies on the host. Our kernels compute nothing there, so what
// is looked at is the rival's half, the reports, and that ours are found out.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/tool/expect.h"
#include "tests/tool/gemm_process.h"

namespace gemm::tool {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

const Surroundings kFake = {{}, true};

// Two layers, whose lines lie between each other.
std::string Shapes() {
  return WriteTemporary("layers.txt", "nk 8 16 32\nnk 4 40 32\nnk 8 24 32\nkn 4 16 40\nnk 8 32 16\n");
}

std::vector<std::string> Layer(std::vector<std::string> more, const std::string& shapes = Shapes()) {
  std::vector<std::string> arguments = {"layer", shapes,        "--rounds", "3",           "--burst-ms",
                                        "1",     "--screen-ms", "0.5",      "--settle-ms", "4"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

std::vector<std::string> WithRival(std::vector<std::string> more) {
  more.insert(more.end(), {"--cublaslt-path", Runfile("tests/rival")});
  return more;
}

nlohmann::json RunToJson(std::vector<std::string> arguments, const Surroundings& surroundings = kFake) {
  const std::string path = testing::TempDir() + "/layer.json";
  std::remove(path.c_str());
  arguments.insert(arguments.end(), {"--out", path});
  const Outcome outcome = RunGemm(arguments, surroundings);
  EXPECT_EQ(outcome.code, 1) << outcome.err;  // ours are wrong
  return nlohmann::json::parse(ReadWhole(path), nullptr, false);
}

TEST(Layer, FindsOutThatOursAreWrong) {
  const Outcome outcome = RunGemm(Layer({"--vs", "none"}), kFake);
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.err,
              HasSubstr("gemm: m=8 bf16 of layers.txt: m=8 n=16 k=32 nk bf16 -> bf16: misses the error bound"));
  EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 2) << outcome.err;
}

TEST(Layer, ProductsWithTheSameMAreALayer) {
  const nlohmann::json report = RunToJson(WithRival(Layer({"--types", "bf16,fp32"})));
  ASSERT_TRUE(report.is_object());
  EXPECT_THAT(report["command"].get<std::string>(), HasSubstr("gemm layer "));
  EXPECT_THAT(report["rival"].get<std::string>(), HasSubstr("cuBLASLt 13.2.3"));
  EXPECT_THAT(report["protocol"].get<std::string>(), HasSubstr("turn by turn"));
  std::vector<std::string> layers;
  for (const nlohmann::json& layer : report["layers"]) {
    std::string text = layer["in"].get<std::string>() + " " + layer["m"].dump() + ":";
    for (const nlohmann::json& product : layer["products"]) {
      EXPECT_EQ(product["m"], layer["m"]);
      text += " " + product["layout"].get<std::string>() + " " + product["n"].dump();
    }
    layers.push_back(text);
  }
  EXPECT_THAT(layers, ElementsAre("bf16 8: nk 16 nk 24 nk 32", "bf16 4: nk 40 kn 16",
                                  "fp32 8: nk 16 nk 24 nk 32", "fp32 4: nk 40 kn 16"));
}

TEST(Layer, TimesTheRivalAloneAndInTurn) {
  const nlohmann::json report = RunToJson(WithRival(Layer({})));
  ASSERT_EQ(report["layers"].size(), 2u);
  for (const nlohmann::json& layer : report["layers"]) {
    EXPECT_THAT(layer["ours"]["failure"].get<std::string>(), HasSubstr("misses the error bound"));
    EXPECT_FALSE(layer.contains("ratio_in_turn"));
    const nlohmann::json& rival = layer["rival"];
    EXPECT_FALSE(rival.contains("failure")) << rival;
    EXPECT_EQ(rival["in_turn"]["round_us"].size(), 3u);
    EXPECT_LE(rival["in_turn"]["worst_error_of_bound"].get<double>(), 1);
    double sum = 0;
    for (const nlohmann::json& product : layer["products"]) {
      EXPECT_EQ(product["rival"]["round_us"].size(), 3u);
      EXPECT_TRUE(product["rival"].contains("screen_us")) << product;
      EXPECT_EQ(product["rival"]["round_mhz"][0], 1700);
      sum += product["rival"]["median_us"].get<double>();
    }
    EXPECT_DOUBLE_EQ(rival["us_alone"].get<double>(), sum);
    EXPECT_EQ(rival["us_in_turn"], rival["in_turn"]["median_us"]);
  }
}

// What the rival was asked to multiply last is the graph of the last layer's products in turn.
TEST(Layer, LaunchesTheProductsInTurnOnSetsOfTheirOwn) {
  const std::string log = testing::TempDir() + "/products.log";
  std::remove(log.c_str());
  const std::string shapes = WriteTemporary("turns.txt", "nk 8 16 32\nnk 8 24 32\nnk 8 32 32\n");
  const nlohmann::json report =
      RunToJson(WithRival(Layer({"--sets", "2"}, shapes)), {{"GEMM_FAKE_CUBLASLT_LOG=" + log}, true});
  ASSERT_EQ(report["layers"].size(), 1u);
  const std::size_t launches = report["layers"][0]["rival"]["in_turn"]["graph"]["launches"];
  ASSERT_EQ(launches % 6, 0u);

  struct Launched {
    int columns_of_b = 0, rows = 0;
    std::string d;
  };
  std::vector<Launched> all;
  std::istringstream lines(ReadWhole(log));
  for (Launched one; lines >> one.columns_of_b >> one.rows >> one.d;) all.push_back(one);
  ASSERT_GE(all.size(), launches);
  const std::vector<Launched> graph(all.end() - static_cast<std::ptrdiff_t>(launches), all.end());
  for (std::size_t i = 0; i < graph.size(); ++i) {
    ASSERT_EQ(graph[i].columns_of_b, 16 + 8 * static_cast<int>(i % 3)) << i;
    // The other set in the next turn, and the first again after that.
    if (i >= 3) {
      ASSERT_NE(graph[i].d, graph[i - 3].d) << i;
    }
    if (i >= 6) {
      ASSERT_EQ(graph[i].d, graph[i - 6].d) << i;
    }
    for (std::size_t j = i + 1; j < std::min(graph.size(), i + 3); ++j) ASSERT_NE(graph[i].d, graph[j].d);
  }
}

// Products so long that a graph has one turn: six graphs of one product, each launched once, three times for its length and once
// for the capture, are 30 launches, and the one of both in turn 2, 6 and 2. The last two compute nothing.
TEST(Layer, FindsOutWhatIsWrongInTurnOnly) {
  const std::string shapes = WriteTemporary("long.txt", "nk 16 128 8192\nnk 16 136 8192\n");
  for (const bool wrong : {false, true}) {
    Surroundings surroundings = kFake;
    if (wrong) surroundings.environment = {"GEMM_FAKE_CUBLASLT_PRODUCTS=38"};
    const nlohmann::json report = RunToJson(WithRival(Layer({"--sets", "1"}, shapes)), surroundings);
    ASSERT_EQ(report["layers"].size(), 1u);
    const nlohmann::json& rival = report["layers"][0]["rival"];
    EXPECT_EQ(rival["in_turn"]["graph"]["launches"], 2) << rival;
    EXPECT_EQ(rival.contains("us_in_turn"), !wrong) << rival;
    if (wrong) {
      EXPECT_THAT(rival.value("failure", ""), HasSubstr("in turn: misses the error bound"));
    } else {
      EXPECT_FALSE(rival.contains("failure")) << rival;
    }
  }
}

TEST(Layer, WithoutARivalOursAreAlone) {
  const nlohmann::json report = RunToJson(Layer({"--vs", "none"}));
  EXPECT_EQ(report["rival"], "none, as asked");
  for (const nlohmann::json& layer : report["layers"]) {
    EXPECT_EQ(layer["rival"]["failure"], "none, as asked");
    EXPECT_TRUE(layer["ours"].contains("failure"));
    for (const nlohmann::json& product : layer["products"]) EXPECT_FALSE(product.contains("rival"));
  }
}

TEST(Layer, WritesEveryFormat) {
  const std::string csv = testing::TempDir() + "/l.csv";
  const std::string md = testing::TempDir() + "/l.md";
  const Outcome outcome = RunGemm(WithRival(Layer({"--out-type", "fp32", "--out", csv, "--out", md})), kFake);
  const std::string table = ReadWhole(csv);
  EXPECT_EQ(std::count(table.begin(), table.end(), '\n'), 3) << table;
  EXPECT_THAT(table, HasSubstr("/layers.txt,8,bf16,fp32,3,,,,,"));
  EXPECT_THAT(table, HasSubstr(",plain,false,ours: m=4 n=40 k=32 nk bf16 -> fp32: misses"));
  EXPECT_THAT(ReadWhole(md), HasSubstr("| layers.txt | 4 | bf16>fp32 | 2 |"));
  EXPECT_THAT(ReadWhole(md), Not(HasSubstr("geometric mean")));  // none of ours has a time
  EXPECT_THAT(outcome.out, HasSubstr("\nlayers.txt            8 bf16>fp32        3 "));
}

TEST(Layer, RefusesBadInput) {
  const std::string bad = WriteTemporary("bad.txt", "nk 1 2 3\nnk 1 two 3\n");
  ExpectFailure(RunGemm({"layer"}, kFake), 2, "no shape file is given; see gemm layer --help");
  ExpectFailure(RunGemm({"layer", bad}, kFake), 2, "bad.txt:2: n is 'two'");
  ExpectFailure(RunGemm({"layer", "/nowhere.txt"}, kFake), 2, "/nowhere.txt: cannot be opened");
  ExpectFailure(RunGemm(Layer({"--types", "int4"}), kFake), 2, "--types has 'int4'");
  ExpectFailure(RunGemm(Layer({"--vs", "mkl"}), kFake), 2, "--vs is 'mkl'");
  ExpectFailure(RunGemm({"layer", Shapes(), "--rounds", "0"}, kFake), 2, "--rounds is 0");
  ExpectFailure(RunGemm(Layer({"--edges", "soft"}), kFake), 2, "--edges is 'soft'");
  ExpectFailure(RunGemm(Layer({"--sets", "0"}), kFake), 2, "--sets is 0");
  ExpectFailure(RunGemm(Layer({"--random", "3"}), kFake), 2, "--random");
  ExpectFailure(RunGemm(Layer({"--out", "x.pdf"}), kFake), 2, "must end with .csv, .json or .md");
  ExpectFailure(RunGemm(Layer({"--out", "/nowhere/r.csv"}), kFake), 2, "there is no folder /nowhere");
  ExpectFailure(RunGemm(Layer({"--tuning", "/nowhere"}), kFake), 2, "/nowhere cannot be read");
  ExpectFailure(RunGemm(Layer({"--cublaslt-path", "/nowhere"}), kFake), 2, "cuBLASLt is not here");
  ExpectFailure(RunGemm({"layer", Shapes()}), 3, "libcuda.so.1");
}

TEST(Layer, NamesTheProductThatCannotRun) {
  const std::string forced = WriteTemporary("forced.txt", "nk 8 16 64\nnk 8 16 33\n");
  ExpectFailure(
      RunGemm(Layer({"--vs", "none", "--kernel", "hopper_bf16_kk_128x256x64_s4_c2x1"}, forced), kFake), 2,
      "m=8 bf16 of forced.txt: m=8 n=16 k=33 nk bf16 -> bf16: ");
  const std::string large = WriteTemporary("large.txt", "nk 300000 16 32\nnk 300000 300000 300000\n");
  ExpectFailure(RunGemm(Layer({"--vs", "none"}, large), kFake), 4,
                "n=300000 k=300000 nk bf16 -> bf16: the matrices");
}

TEST(Layer, HelpNamesItsFlags) {
  const Outcome outcome = ExpectSuccess(RunGemm({"layer", "--help"}));
  for (const char* flag : {"SHAPE_FILE", "--types", "--vs", "--rounds", "--burst-ms", "--screen-ms",
                           "--settle-ms", "--edges", "--constant-b", "--kernel", "--tuning", "--out"}) {
    EXPECT_THAT(outcome.out, HasSubstr(flag));
  }
}

}  // namespace
}  // namespace gemm::tool
