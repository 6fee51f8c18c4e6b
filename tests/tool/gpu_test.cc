// The gemm command on a real GPU, where there is one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/tool/gemm_process.h"

namespace gemm::tool {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

const Surroundings kReal = {{}, false, true};

class Gpu : public testing::Test {
 protected:
  void SetUp() override {
    const Outcome devices = RunGemm({"devices"}, kReal);
    if (devices.code == 3) GTEST_SKIP() << "no GPU: " << devices.err;
    ASSERT_EQ(devices.code, 0) << devices.err;
  }
};

TEST_F(Gpu, RunsAndVerifiesEveryTypeAndLayout) {
  for (const char* type : {"fp32", "fp16", "bf16"}) {
    for (const char* layout : {"nk", "kn", "km-nk", "km-kn-nm"}) {
      const Outcome outcome = RunGemm({"run", "--type", type, "--layout", layout, "--m", "333", "--n", "200",
                                       "--k", "130", "--batch", "2", "--beta", "2", "--fill", "integers"},
                                      kReal);
      EXPECT_EQ(outcome.code, 0) << type << " " << layout << ": " << outcome.out << outcome.err;
      EXPECT_THAT(outcome.out, StartsWith("device 0: "));
      EXPECT_THAT(outcome.out, HasSubstr("bit for bit"));
    }
  }
}

TEST_F(Gpu, TheDefaultProductIsVerified) {
  const Outcome outcome = RunGemm({"run"}, kReal);
  EXPECT_EQ(outcome.code, 0) << outcome.out << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("m=4096 n=4096 k=4096"));
}

// Every layout against cuBLASLt where it is installed; the rival's results are compared with FP64 as well, so a
// layout that was described wrongly to it shows.
TEST_F(Gpu, BenchRunsTheWholeWay) {
  for (const char* beta : {"0", "1"}) {
    const std::string path = testing::TempDir() + "/gpu_report.json";
    const Outcome outcome =
        RunGemm({"bench", Runfile("tests/tool/smoke_shapes.txt"), "--types", "bf16,fp16,fp32", "--beta", beta,
                 "--rounds", "2", "--burst-ms", "1", "--screen-ms", "0.5", "--energy-ms", "0", "--out", path},
                kReal);
    EXPECT_EQ(outcome.code, 0) << outcome.out << outcome.err;
    const nlohmann::json report = nlohmann::json::parse(ReadWhole(path), nullptr, false);
    ASSERT_TRUE(report.is_object());
    ASSERT_EQ(report["cases"].size(), 15u);
    for (const nlohmann::json& one : report["cases"]) {
      for (const nlohmann::json& entrant : one["entrants"]) {
        EXPECT_FALSE(entrant.contains("failure")) << entrant << " at " << one["layout"] << " " << one["m"];
      }
    }
  }
}

// Every ceiling is measured, or says why the device has none.
TEST_F(Gpu, MeasuresCeilings) {
  const std::string path = testing::TempDir() + "/gpu_ceilings.json";
  const Outcome outcome = RunGemm({"ceilings", "--bursts", "2", "--burst-ms", "0.1", "--rest-ms", "0",
                                   "--sustained-ms", "1", "--memory-mib", "2", "--out", path},
                                  kReal);
  ASSERT_EQ(outcome.code, 0) << outcome.out << outcome.err;
  const nlohmann::json report = nlohmann::json::parse(ReadWhole(path), nullptr, false);
  ASSERT_TRUE(report.is_object());
  EXPECT_FALSE(report["device"]["name"].get<std::string>().empty());
  ASSERT_EQ(report["ceilings"].size(), 6u);
  for (const nlohmann::json& one : report["ceilings"]) {
    if (one.contains("missing")) {
      EXPECT_EQ(one["name"], "wgmma_bf16");
      EXPECT_NE(report["device"]["compute_capability"], "9.0");
      EXPECT_THAT(one["missing"].get<std::string>(), HasSubstr("no wgmma"));
      continue;
    }
    EXPECT_GT(one["burst"]["rate"].get<double>(), 0) << one;
    EXPECT_GT(one["sustained"]["rate"].get<double>(), 0) << one;
  }
}

// Four sets, so that it is quick on the emulated GPU too. The graph's last product is compared with FP64, so each of these
// chains is right. With up to sixteen rows Ampere's kernels are chosen, which the emulated GPU has for 8.0, where edges are plain.
TEST_F(Gpu, BenchChainsByTheEdgesThatItIsAskedFor) {
  const std::string path = testing::TempDir() + "/gpu_edges.json";
  const std::string shapes = WriteTemporary("edges.txt", "nk 24 256 512\nnk 72 128 256\n");
  for (const bool programmatic : {false, true}) {
    std::vector<std::string> arguments = {"bench", shapes,       "--vs", "none",        "--rounds",
                                          "1",     "--burst-ms", "0.1",  "--no-screen", "--energy-ms",
                                          "0",     "--sets",     "4",    "--out",       path};
    if (programmatic) arguments.insert(arguments.end(), {"--edges", "programmatic", "--constant-b"});
    const Outcome outcome = RunGemm(arguments, kReal);
    ASSERT_EQ(outcome.code, 0) << outcome.out << outcome.err;
    const nlohmann::json report = nlohmann::json::parse(ReadWhole(path), nullptr, false);
    ASSERT_TRUE(report.is_object());
    EXPECT_EQ(report["edges"], programmatic ? "programmatic" : "plain");
    EXPECT_EQ(report["constant_b"], programmatic);
    for (const nlohmann::json& one : report["cases"]) {
      const nlohmann::json& graph = one["entrants"][0]["graph"];
      if (!graph.contains("plain_edges")) continue;  // a driver that does not tell
      const char* kind = programmatic ? "programmatic_edges" : "plain_edges";
      EXPECT_EQ(graph[kind].get<int>(), graph["kernels"].get<int>() - 1) << graph;
    }
  }
}

// This build beside itself: two copies of the library in one process, each with a choice and results of its own.
TEST_F(Gpu, BenchTimesAnotherBuildBeside) {
  const std::string path = testing::TempDir() + "/gpu_beside.json";
  const std::string shapes = WriteTemporary("beside.txt", "nk 16 256 512\nnk 72 128 256\n");
  const Outcome outcome =
      RunGemm({"bench", shapes, "--vs", "none", "--rounds", "2", "--burst-ms", "0.1", "--no-screen",
               "--energy-ms", "0", "--sets", "4", "--beside", Runfile("libgemm.so"), "--out", path},
              kReal);
  ASSERT_EQ(outcome.code, 0) << outcome.out << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("of the other build's time "));
  const nlohmann::json report = nlohmann::json::parse(ReadWhole(path), nullptr, false);
  ASSERT_TRUE(report.is_object());
  ASSERT_EQ(report["cases"].size(), 2u);
  for (const nlohmann::json& one : report["cases"]) {
    const nlohmann::json& other = one["entrants"][1];
    EXPECT_EQ(other["side"], "other build");
    EXPECT_EQ(other["name"], one["kernel"]);
    EXPECT_EQ(other["round_us"].size(), 2u) << other;
    EXPECT_GT(one["of_the_other_builds_time"].get<double>(), 0);
  }
}

// Ours in turn are compared with FP64 too, in a graph whose neighbours are other products and other kernels.
TEST_F(Gpu, LayerTimesProductsInTurn) {
  const std::string path = testing::TempDir() + "/gpu_layer.json";
  const std::string shapes =
      WriteTemporary("layer.txt", "nk 24 256 512\nkn 72 128 256\nnk 24 128 256\nnk 72 256 128\n");
  for (const bool programmatic : {false, true}) {
    std::vector<std::string> arguments = {"layer",       shapes,       "--vs",  "none",   "--rounds",
                                          "1",           "--burst-ms", "0.1",   "--sets", "2",
                                          "--settle-ms", "0",          "--out", path};
    if (programmatic) arguments.insert(arguments.end(), {"--edges", "programmatic", "--constant-b"});
    const Outcome outcome = RunGemm(arguments, kReal);
    ASSERT_EQ(outcome.code, 0) << outcome.out << outcome.err;
    EXPECT_THAT(outcome.out, HasSubstr("bf16: geometric mean over 2 layers: being in turn costs ours "));
    const nlohmann::json report = nlohmann::json::parse(ReadWhole(path), nullptr, false);
    ASSERT_TRUE(report.is_object());
    ASSERT_EQ(report["layers"].size(), 2u);
    for (const nlohmann::json& one : report["layers"]) {
      ASSERT_EQ(one["products"].size(), 2u);
      EXPECT_GT(one["ours"]["us_alone"].get<double>(), 0);
      EXPECT_GT(one["ours"]["us_in_turn"].get<double>(), 0);
      const nlohmann::json& graph = one["ours"]["in_turn"]["graph"];
      EXPECT_EQ(graph["launches"].get<int>() % 4, 0) << graph;  // whole turns, as many as sets
      if (!graph.contains("plain_edges")) continue;             // a driver that does not tell
      const char* kind = programmatic ? "programmatic_edges" : "plain_edges";
      EXPECT_EQ(graph[kind].get<int>(), graph["kernels"].get<int>() - 1) << graph;
    }
  }
}

TEST_F(Gpu, CalibrateRunsTheWholeWay) {
  const std::string path = testing::TempDir() + "/gpu_calibrated.json";
  const std::string shapes = WriteTemporary("calibrate.txt", "nk 16 256 128\n");
  const Outcome outcome = RunGemm({"calibrate", "--shapes", shapes, "--rounds", "1", "--burst-ms", "0.1",
                                   "--within", "1.5", "--sets", "1", "--out", path},
                                  kReal);
  EXPECT_EQ(outcome.code, 0) << outcome.out << outcome.err;
  const nlohmann::json report = nlohmann::json::parse(ReadWhole(path), nullptr, false);
  ASSERT_TRUE(report.is_object());
  ASSERT_EQ(report["products"].size(), 1u);
  EXPECT_GE(report["products"][0]["us"].size(), 1u);
  EXPECT_GE(report["regret"]["geometric_mean"].get<double>(), 1);
}

TEST_F(Gpu, KernelsAreAllTimedWhenAsked) {
  const std::string path = testing::TempDir() + "/gpu_rows.json";
  const std::string shape = WriteTemporary("row.txt", "nk 256 256 256\n");
  const Outcome outcome = RunGemm({"bench", shape, "--kernels", "all", "--vs", "none", "--rounds", "1",
                                   "--burst-ms", "1", "--screen-ms", "0.5", "--energy-ms", "0", "--out", path},
                                  kReal);
  EXPECT_EQ(outcome.code, 0) << outcome.out << outcome.err;
  const nlohmann::json report = nlohmann::json::parse(ReadWhole(path), nullptr, false);
  ASSERT_TRUE(report.is_object());
  EXPECT_GT(report["cases"][0]["entrants"].size(), 2u);
}

}  // namespace
}  // namespace gemm::tool
