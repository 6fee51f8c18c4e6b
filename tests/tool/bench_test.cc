// gemm bench from outside, on the fake driver, a rival that multiplies on the host and a made-up NVML. Our
// kernels compute nothing there, so what is looked at is the rival's half of the protocol, the reports, and
// that ours are found out.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "common/dispatch/tuning.h"
#include "tests/tool/gemm_process.h"
#include "tools/gemm/bench/session.h"
#include "tools/gemm/problem.h"

namespace gemm::tool {
namespace {

using testing::HasSubstr;
using testing::Not;

const Surroundings kFake = {{}, true};

std::string Shapes() { return WriteTemporary("shapes.txt", "# two\nnk 8 16 32\nkn 8 16 32 2\n"); }

std::vector<std::string> Bench(std::vector<std::string> more) {
  std::vector<std::string> arguments = {"bench", Shapes(),      "--rounds", "3",           "--burst-ms",
                                        "1",     "--screen-ms", "0.5",      "--energy-ms", "150"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

nlohmann::json RunToJson(std::vector<std::string> more) {
  const std::string path = testing::TempDir() + "/report.json";
  more.insert(more.end(), {"--out", path});
  RunGemm(Bench(std::move(more)), kFake);
  return nlohmann::json::parse(ReadWhole(path), nullptr, false);
}

TEST(Bench, FindsOutThatOursAreWrong) {
  const Outcome outcome = RunGemm(Bench({"--vs", "none"}), kFake);
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.err, HasSubstr("gemm: m=8 n=16 k=32 nk bf16 -> bf16: misses the error bound"));
  EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 2) << outcome.err;
}

TEST(Bench, TimesTheRivalByTheProtocol) {
  const nlohmann::json report = RunToJson({"--cublaslt-path", Runfile("tests/rival")});
  ASSERT_TRUE(report.is_object());
  EXPECT_THAT(report["rival"].get<std::string>(), HasSubstr("cuBLASLt 13.2.3"));
  EXPECT_THAT(report["command"].get<std::string>(), HasSubstr("gemm bench "));
  EXPECT_THAT(report["driver"].get<std::string>(), HasSubstr("580.0.0"));
  EXPECT_THAT(report["meters"].get<std::string>(), HasSubstr("700 W"));
  ASSERT_EQ(report["cases"].size(), 2u);
  for (const nlohmann::json& one : report["cases"]) {
    int algorithms = 0;
    int defaults = 0;
    for (const nlohmann::json& entrant : one["entrants"]) {
      const std::string side = entrant["side"];
      if (side == "ours") {
        EXPECT_THAT(entrant["failure"].get<std::string>(), HasSubstr("misses the error bound"));
        EXPECT_TRUE(entrant["workspace_bytes"].is_number_unsigned());
        continue;
      }
      algorithms += side == "rival";
      defaults += side == "rival default";
      EXPECT_FALSE(entrant.contains("failure")) << entrant;
      EXPECT_LE(entrant["worst_error_of_bound"].get<double>(), 1);
      EXPECT_EQ(entrant["workspace_bytes"], 64 << 20);
      EXPECT_EQ(entrant["round_us"].size(), 3u);
      EXPECT_EQ(entrant["round_mhz"].size(), 3u);
      EXPECT_EQ(entrant["round_mhz"][0], 1700);
    }
    EXPECT_EQ(algorithms, 2);
    EXPECT_EQ(defaults, 1);
  }
}

TEST(Bench, TheProtocolIsThatOfTheRun) {
  const auto protocol = [](std::vector<std::string> flags) {
    return RunToJson(std::move(flags))["protocol"].get<std::string>();
  };
  const std::string both = protocol({"--cublaslt-path", Runfile("tests/rival")});
  for (const char* words : {"ours with as much workspace as its plan asks for", "the rival's with the edges",
                            "first heuristics answers, of those that need at most 64 MiB of workspace"})
    EXPECT_THAT(both, HasSubstr(words));
  const std::string alone = protocol({"--vs", "none", "--beta", "1"});
  EXPECT_THAT(alone, HasSubstr("; no rival"));
  for (const char* words : {"cuBLASLt", "the rival", "algorithms", "of the best"})
    EXPECT_THAT(alone, Not(HasSubstr(words)));
}

TEST(Bench, BurstsBeforeThoseThatCountAreNoRounds) {
  const nlohmann::json report = RunToJson({"--cublaslt-path", Runfile("tests/rival"), "--settle-ms", "4"});
  ASSERT_TRUE(report.is_object());
  EXPECT_THAT(report["protocol"].get<std::string>(),
              HasSubstr("first 4 ms of bursts in turn that are not recorded"));
  for (const nlohmann::json& entrant : report["cases"][0]["entrants"]) {
    if (entrant["side"] != "rival") continue;
    EXPECT_EQ(entrant["round_us"].size(), 3u);
  }
}

// A list does not go on behind its word: what follows is the shape file.
TEST(Bench, TakesOneWordForAFlag) {
  const std::string path = testing::TempDir() + "/one_word.json";
  for (const std::vector<std::string>& flags : {std::vector<std::string>{"--out", path, "--types", "fp16,fp32"},
                                                {"--types", "fp16", "--types", "fp32", "--out", path}}) {
    std::vector<std::string> arguments = {"bench",       "--rounds",    "1", "--burst-ms", "1",
                                          "--no-screen", "--energy-ms", "0", "--vs",       "none"};
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    arguments.push_back(Shapes());
    const Outcome outcome = RunGemm(arguments, kFake);
    EXPECT_EQ(outcome.code, 1) << outcome.err;  // nothing is computed
    const nlohmann::json report = nlohmann::json::parse(ReadWhole(path), nullptr, false);
    ASSERT_TRUE(report.is_object()) << outcome.err;
    EXPECT_EQ(report["cases"].size(), 4u);
  }
}

TEST(Bench, ScreeningKeepsAsManyAsItSays) {
  const nlohmann::json report = RunToJson({"--cublaslt-path", Runfile("tests/rival"), "--keep", "1"});
  int kept = 0;
  for (const nlohmann::json& entrant : report["cases"][0]["entrants"]) {
    if (entrant["side"] == "rival") kept += entrant.contains("round_us");
    if (entrant["side"] == "rival default") {
      EXPECT_TRUE(entrant.contains("round_us"));
    }
  }
  EXPECT_EQ(kept, 1);
  EXPECT_THAT(report["protocol"].get<std::string>(), HasSubstr("choose the 1 algorithms"));
  const nlohmann::json whole = RunToJson({"--cublaslt-path", Runfile("tests/rival"), "--no-screen"});
  EXPECT_THAT(whole["protocol"].get<std::string>(), Not(HasSubstr("choose")));
  EXPECT_FALSE(whole["cases"][0]["entrants"][1].contains("screen_us"));
}

TEST(Bench, WritesEveryFormat) {
  const std::string csv = testing::TempDir() + "/r.csv";
  const std::string md = testing::TempDir() + "/r.md";
  RunGemm(Bench({"--types", "bf16,fp32,tf32", "--beta", "1", "--out", csv, "--out", md, "--cublaslt-path",
                 Runfile("tests/rival")}),
          kFake);
  const std::string table = ReadWhole(csv);
  EXPECT_EQ(std::count(table.begin(), table.end(), '\n'), 7) << table;
  EXPECT_THAT(table, HasSubstr("\nnk,8,16,32,1,bf16,bf16,"));
  EXPECT_THAT(table, HasSubstr("\nkn,8,16,32,2,fp32,fp32,"));
  EXPECT_THAT(table, HasSubstr("\nkn,8,16,32,2,tf32,fp32,"));
  EXPECT_THAT(ReadWhole(md), HasSubstr("| nk | 8 | 16 | 32 | bf16 |"));
  EXPECT_THAT(ReadWhole(md), HasSubstr("beta = 1 with C apart from D"));
}

// The disk is full after the first product.
TEST(Bench, GoesOnWhereAFileCannotBeWritten) {
  const std::string path = testing::TempDir() + "/full.json";
  const auto bench = [&](const std::string& shapes, std::size_t file_size) {
    return RunGemm(
        {"bench", WriteTemporary("full.txt", shapes), "--rounds", "3", "--burst-ms", "1", "--screen-ms", "0.5",
         "--energy-ms", "0", "--cublaslt-path", Runfile("tests/rival"), "--out", path},
        {{}, true, false, 0, file_size});
  };
  bench("nk 8 16 32\n", 0);
  const std::size_t one = ReadWhole(path).size();
  ASSERT_EQ(std::remove(path.c_str()), 0);
  const Outcome outcome = bench("nk 8 16 32\nkn 8 16 32\nnk 8 24 32\n", one + one / 2);
  const nlohmann::json report = nlohmann::json::parse(ReadWhole(path), nullptr, false);
  ASSERT_TRUE(report.is_object()) << outcome.err;
  EXPECT_EQ(report["cases"].size(), 1u);
  EXPECT_THAT(outcome.err, HasSubstr("gemm: " + path + ": cannot be written: File too large\n"));
  EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 4) << outcome.err;  // ours are wrong
  EXPECT_THAT(outcome.out, HasSubstr("\nnk          8     24     32 "));
  EXPECT_EQ(ReadWhole(path + ".part"), "");
}

TEST(Bench, MeasuresTheHost) {
  const Outcome outcome = RunGemm({"bench", "--host-latency", "--vs", "none"}, kFake);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("Plan::Run on the host"));
  EXPECT_THAT(outcome.out, HasSubstr("10000 calls"));
  EXPECT_THAT(outcome.out, HasSubstr("Gemm() on the host"));
  // What Gemm() cannot be asked for is of the plan's calls alone.
  for (const char* flag : {"--edges=programmatic", "--constant-b"}) {
    const Outcome asked = RunGemm({"bench", "--host-latency", "--vs", "none", flag}, kFake);
    EXPECT_EQ(asked.code, 0) << asked.err;
    EXPECT_THAT(asked.out, HasSubstr("Plan::Run on the host"));
    EXPECT_THAT(asked.out, Not(HasSubstr("Gemm() on the host")));
  }
}

// Of the first entrant of the first product.
nlohmann::json OursWith(std::vector<std::string> flags, nlohmann::json* report) {
  flags.insert(flags.end(), {"--cublaslt-path", Runfile("tests/rival"), "--sets", "4"});
  *report = RunToJson(std::move(flags));
  return (*report)["cases"][0]["entrants"][0]["graph"];
}

TEST(Bench, SaysWhichEdgesItCaptured) {
  nlohmann::json report;
  nlohmann::json graph = OursWith({}, &report);
  EXPECT_EQ(report["edges"], "plain");
  EXPECT_EQ(report["constant_b"], false);
  EXPECT_EQ(graph["programmatic_edges"], 0) << graph;
  EXPECT_EQ(report["cases"][0]["sets"], 4);

  graph = OursWith({"--edges", "programmatic", "--constant-b"}, &report);
  EXPECT_EQ(report["edges"], "programmatic");
  EXPECT_EQ(report["constant_b"], true);
  EXPECT_THAT(report["protocol"].get<std::string>(),
              HasSubstr("programmatic edges between them and B declared"));
  EXPECT_GT(graph["kernels"], 1) << graph;
  EXPECT_EQ(graph["plain_edges"], 0) << graph;
  EXPECT_EQ(graph["programmatic_edges"].get<int>(), graph["kernels"].get<int>() - 1) << graph;
}

TEST(Bench, PrintsTheEdges) {
  const Outcome outcome = RunGemm(Bench({"--vs", "none", "--edges", "programmatic", "--constant-b"}), kFake);
  EXPECT_THAT(outcome.out, HasSubstr("edges     programmatic between our launches, B declared constant\n"));
}

void ExpectFailure(const Outcome& outcome, int code, const std::string& words) {
  EXPECT_EQ(outcome.code, code) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr(words));
  EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
}

// On the fake driver neither computes anything, and both are found out.
TEST(Bench, AnotherBuildTakesPart) {
  const std::string library = Runfile("libgemm.so");
  const nlohmann::json report = RunToJson({"--vs", "none", "--beside", library});
  ASSERT_TRUE(report.is_object());
  EXPECT_EQ(report["beside"], library);
  EXPECT_THAT(report["protocol"].get<std::string>(),
              HasSubstr("; another build of libgemm in the same rounds"));
  ASSERT_EQ(report["cases"].size(), 2u);
  for (const nlohmann::json& one : report["cases"]) {
    ASSERT_EQ(one["entrants"].size(), 2u);
    EXPECT_EQ(one["entrants"][1]["side"], "other build");
    EXPECT_EQ(one["entrants"][1]["name"], one["entrants"][0]["name"]) << "the same build chooses the same";
    EXPECT_THAT(one["entrants"][1]["failure"].get<std::string>(), HasSubstr("misses the error bound"));
    EXPECT_GT(one["entrants"][1]["graph"]["launches"].get<int>(), 0);
  }
  EXPECT_FALSE(RunToJson({"--vs", "none"}).contains("beside"));
}

// Of a product whose kernel reads no C: runs with C have another.
TEST(Bench, AnotherBuildsKernelIsTheOneThatRuns) {
  const std::string shape = WriteTemporary("with_c.txt", "nk 160 512 2048\n");
  const std::string out = testing::TempDir() + "/with_c.json";
  std::vector<std::string> names;
  for (const std::string beta : {"0", "1"}) {
    RunGemm({"bench", shape, "--vs", "none", "--rounds", "1", "--burst-ms", "1", "--energy-ms", "0",
             "--no-screen", "--beside", Runfile("libgemm.so"), "--beta", beta, "--out", out},
            kFake);
    const nlohmann::json report = nlohmann::json::parse(ReadWhole(out), nullptr, false);
    ASSERT_TRUE(report.is_object());
    const nlohmann::json& entrants = report["cases"][0]["entrants"];
    ASSERT_EQ(entrants.size(), 2u);
    EXPECT_EQ(entrants[1]["name"], entrants[0]["name"]);
    names.push_back(entrants[1]["name"]);
  }
  EXPECT_NE(names[0], names[1]);
}

TEST(Bench, RefusesAnotherBuildThatIsNone) {
  ExpectFailure(RunGemm({"bench", Shapes(), "--beside", "/nowhere.so"}, kFake), 2,
                "/nowhere.so cannot be loaded");
  // A name without a slash is a file's of the working directory, not a system library's.
  ExpectFailure(RunGemm({"bench", Shapes(), "--beside", "libm.so.6"}, kFake), 2, "libm.so.6 cannot be loaded");
  const std::string rival = Runfile("tests/rival/libcublasLt.so.13");
  ExpectFailure(RunGemm({"bench", Shapes(), "--beside", rival}, kFake), 2,
                rival + " is no libgemm.so: it has no _ZN4gemm7VersionEv");
  const std::string other = Runfile("tests/tool/other_version/libgemm.so");
  ExpectFailure(RunGemm({"bench", Shapes(), "--beside", other}, kFake), 2, other + " is version 9.9.9, ");
  const std::string tuning = WriteTemporary("beside.txt", "");
  ExpectFailure(RunGemm({"bench", Shapes(), "--tuning", tuning, "--beside", Runfile("libgemm.so")}, kFake), 2,
                "--beside and --tuning");
}

TEST(Bench, RefusesBadInput) {
  const std::string bad = WriteTemporary("bad.txt", "nk 1 2 3\nnk 1 two 3\n");
  ExpectFailure(RunGemm({"bench", bad}, kFake), 2, "bad.txt:2: n is 'two'");
  ExpectFailure(RunGemm({"bench"}, kFake), 2, "neither a shape file nor --random");
  ExpectFailure(RunGemm({"bench", "/nowhere.txt"}, kFake), 2, "/nowhere.txt: cannot be opened");
  ExpectFailure(RunGemm({"bench", Shapes(), "--types", "int4"}, kFake), 2, "--types has 'int4'");
  ExpectFailure(RunGemm({"bench", Shapes(), "--vs", "mkl"}, kFake), 2, "--vs is 'mkl'");
  ExpectFailure(RunGemm({"bench", Shapes(), "--rounds", "0"}, kFake), 2, "--rounds is 0");
  ExpectFailure(RunGemm({"bench", Shapes(), "--burst-ms", "201"}, kFake), 2,
                "--burst-ms is 201; 0.1 to 200 are allowed");
  ExpectFailure(RunGemm({"bench", Shapes(), "--burst-ms", "nan"}, kFake), 2, "--burst-ms is nan");
  ExpectFailure(RunGemm({"bench", Shapes(), "--screen-ms", "0"}, kFake), 2, "--screen-ms is 0");
  ExpectFailure(RunGemm({"bench", Shapes(), "--settle-ms", "-1"}, kFake), 2, "--settle-ms is -1");
  ExpectFailure(RunGemm({"bench", Shapes(), "--edges", "soft"}, kFake), 2, "--edges is 'soft'");
  ExpectFailure(RunGemm({"bench", Shapes(), "--sets", "0"}, kFake), 2, "--sets is 0");
  ExpectFailure(RunGemm({"bench", Shapes(), "--within", "nan"}, kFake), 2, "--within is nan");
  ExpectFailure(RunGemm({"bench", Shapes(), "--within", "-1"}, kFake), 2, "--within is -1");
  for (const char* command : {"run", "bench", "tune", "layer"}) {
    ExpectFailure(RunGemm({command, "--seed", "-1"}, kFake), 2, "--seed: -1 is no integer from 0 to 2^64 - 1");
    ExpectFailure(RunGemm({command, "--seed", "99999999999999999999"}, kFake), 2,
                  "is no integer from 0 to 2^64 - 1");
  }
  ExpectFailure(RunGemm({"bench", Shapes(), "--out", "x.pdf"}, kFake), 2, "must end with .csv, .json or .md");
  ExpectFailure(RunGemm({"bench", Shapes(), "--out", "/nowhere/r.csv"}, kFake), 2,
                "there is no folder /nowhere");
  ExpectFailure(RunGemm({"bench", Shapes(), "--kernels", "some"}, kFake), 2, "--kernels is 'some'");
  ExpectFailure(RunGemm({"bench", Shapes(), "--cublaslt-path", "/nowhere"}, kFake), 2, "cuBLASLt is not here");
  ExpectFailure(RunGemm({"bench", Shapes()}), 3, "libcuda.so.1");
  const std::string one = WriteTemporary("one.txt", "nk 8 16 32\n");
  ExpectFailure(RunGemm({"bench", one, "--vs", "none"}, {{"GEMM_FAKE_CUDA_DEVICES=t4"}, true}), 3, "7.5");
  const std::string past = WriteTemporary("past.txt", "nk 4611686018427387904 16 32\n");
  ExpectFailure(RunGemm({"bench", past}, kFake), 2, "past.txt:1: problem.");
}

TEST(Bench, AForcedKernelThatCannotRunIsNamed) {
  const std::string one = WriteTemporary("one.txt", "nk 8 16 33\n");
  ExpectFailure(RunGemm({"bench", one, "--vs", "none", "--kernel", "hopper_bf16_kk_128x256x64_s4_c2x1"}, kFake),
                2, "hopper_bf16_kk_128x256x64_s4_c2x1");
}

TEST(Bench, RandomProductsAreTheSameForASeed) {
  const auto sizes = [](const char* seed) {
    const std::string path = testing::TempDir() + "/random.json";
    RunGemm({"bench", "--random", "3", "--seed", seed, "--vs", "none", "--rounds", "1", "--burst-ms", "0.1",
             "--no-screen", "--energy-ms", "0", "--out", path},
            kFake);
    std::string text;
    const nlohmann::json report = nlohmann::json::parse(ReadWhole(path), nullptr, false);
    for (const nlohmann::json& one : report["cases"]) {
      EXPECT_EQ(one["n"].get<int>() % 8 + one["k"].get<int>() % 8, 0);
      text += one["m"].dump() + "x" + one["n"].dump() + "x" + one["k"].dump() + " ";
    }
    EXPECT_EQ(std::count(text.begin(), text.end(), ' '), 3) << text;
    return text;
  };
  const std::string first = sizes("1");
  EXPECT_EQ(sizes("1"), first);
  EXPECT_NE(sizes("2"), first);
}

TEST(Bench, ATuningFileThatIsNoneIsRefused) {
  const std::string path = WriteTemporary("tuning.txt", "libgemm-tuning 1\nnonsense\n");
  const Outcome outcome = RunGemm(Bench({"--vs", "none", "--tuning", path}), kFake);
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("tuning.txt: the tuning text's line 2"));
}

// A tuning file for the fake device, which names a kernel for the first of Shapes().
std::string TuningFile(const std::string& version, const std::string& device) {
  Problem problem;
  EXPECT_TRUE(
      MakeProblem({}, 8, 16, 32, 1, DataType::kBF16, DataType::kBF16, ComputeType::kTensor, &problem).ok());
  const std::string key = bench::TuningKeyOf(problem, bench::Options());
  return WriteTemporary("tuning_file.txt", "libgemm-tuning 1\nversion " + version + "\ndevice " + device +
                                               "\n" + dispatch::TuningLine(key, "simt_any", 1));
}

TEST(Bench, SaysHowManyProductsATuningFileAnswers) {
  const nlohmann::json report = RunToJson({"--vs", "none"});
  ASSERT_TRUE(report.is_object());
  const std::string path = TuningFile(report["libgemm"], report["device"]);
  const Outcome outcome = RunGemm(Bench({"--vs", "none", "--tuning", path}), kFake);
  EXPECT_THAT(outcome.out, HasSubstr("tuning    " + path + " names a kernel for 1 of 2 products\n"));
  EXPECT_THAT(outcome.err, Not(HasSubstr("warning")));
  EXPECT_EQ(RunToJson({"--vs", "none", "--tuning", path})["tuning"],
            path + " names a kernel for 1 of 2 products");
  EXPECT_FALSE(report.contains("tuning"));
}

TEST(Bench, WarnsOfATuningFileWithoutEffect) {
  const nlohmann::json report = RunToJson({"--vs", "none"});
  ASSERT_TRUE(report.is_object());
  for (const std::string& path :
       {TuningFile("9.9.9", report["device"]), TuningFile(report["libgemm"], "an abacus")}) {
    const Outcome outcome = RunGemm(Bench({"--vs", "none", "--tuning", path}), kFake);
    EXPECT_THAT(outcome.err, HasSubstr("gemm: warning: " + path + " has no effect: it is of version "));
    EXPECT_THAT(outcome.out, HasSubstr(path + " names a kernel for 0 of 2 products\n"));
  }
}

// Writes down what was there before, as tune itself writes nothing on the fake driver.
std::vector<std::string> Tune(const std::string& shapes, std::string* path) {
  *path = WriteTemporary("tuned.txt", "as it was");
  return {"tune", shapes, "--burst-ms", "0.5", "--screen-ms", "0.5", "--out", *path};
}

// The fake driver computes nothing, so no kernel is right and none may be written down.
TEST(Tune, WritesNoKernelThatIsWrong) {
  std::string path;
  const Outcome outcome = RunGemm(Tune(Shapes(), &path), kFake);
  EXPECT_EQ(outcome.code, 1);
  EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 2) << outcome.err;
  EXPECT_EQ(ReadWhole(path), "as it was");
}

TEST(Tune, AFailureLeavesTheFileAlone) {
  std::string path;
  ExpectFailure(RunGemm(Tune(Shapes(), &path)), 3, "libcuda.so.1");
  EXPECT_EQ(ReadWhole(path), "as it was");
  const std::string large = WriteTemporary("large.txt", "nk 300000 300000 300000\n");
  ExpectFailure(RunGemm(Tune(large, &path), kFake), 4, "GB of device memory");
  EXPECT_EQ(ReadWhole(path), "as it was");
  ExpectFailure(RunGemm({"tune", Shapes(), "--out", "/nowhere/x"}, kFake), 2, "there is no folder /nowhere");
}

TEST(Tune, EndsWhenTheDeviceHasFailed) {
  std::string path;
  const Outcome outcome =
      RunGemm(Tune(Shapes(), &path), {{"GEMM_FAKE_CUDA_FAIL=cuLaunchKernelEx:719,cuCtxSynchronize:719"}, true});
  EXPECT_EQ(outcome.code, 3);
  EXPECT_THAT(outcome.err, HasSubstr("gemm: 1 products were not timed\n"));
  EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 2) << outcome.err;
  EXPECT_EQ(ReadWhole(path), "as it was");
}

// The rival's three entrants have one round of three, and one of them two, when timing fails: four entrants, ours too, took two times each
// while they were prepared.
TEST(Bench, SomeOfTheRoundsAreNoResult) {
  const std::string path = testing::TempDir() + "/some_rounds.json";
  const std::string one = WriteTemporary("one.txt", "nk 8 16 32\n");
  const Outcome outcome =
      RunGemm({"bench", one, "--rounds", "3", "--burst-ms", "1", "--no-screen", "--energy-ms", "0",
               "--cublaslt-path", Runfile("tests/rival"), "--out", path},
              {{"GEMM_FAKE_CUDA_FAIL=cuEventElapsedTime:719#13"}, true});
  const nlohmann::json report = nlohmann::json::parse(ReadWhole(path), nullptr, false);
  ASSERT_TRUE(report.is_object()) << outcome.err;
  const nlohmann::json& result = report["cases"][0];
  EXPECT_THAT(result["failure"].get<std::string>(), HasSubstr("cuEventElapsedTime"));
  for (const nlohmann::json& entrant : result["entrants"]) {
    EXPECT_FALSE(entrant.contains("round_us")) << entrant;
    EXPECT_FALSE(entrant.contains("round_mhz")) << entrant;
  }
}

TEST(Bench, ProductsThatDoNotFitAreNamed) {
  const std::string large = WriteTemporary("large.txt", "nk 300000 300000 300000\n");
  ExpectFailure(RunGemm({"bench", large, "--vs", "none"}, kFake), 4, "GB of device memory");
}

TEST(Ceilings, RefusesBadInput) {
  ExpectFailure(RunGemm({"ceilings", "--bursts", "0"}, kFake), 2, "--bursts is 0");
  ExpectFailure(RunGemm({"ceilings", "--sustained-ms", "1e9"}, kFake), 2, "--sustained-ms is");
  ExpectFailure(RunGemm({"ceilings"}), 3, "libcuda.so.1");
}

// What it draws is tested by //tests/report; here, that the command finds it and passes on its arguments and exit code.
TEST(Report, HandsOverToPython) {
  const std::string broken = WriteTemporary("broken.json", "{");
  ExpectFailure(RunGemm({"report", broken, "--out", testing::TempDir()}), 2, "broken.json is not JSON");
  ExpectFailure(RunGemm({"report", broken}), 2, "required: --out");
  const Outcome help = RunGemm({"report", "--help"});
  EXPECT_EQ(help.code, 0);
  EXPECT_THAT(help.out, HasSubstr("MACHINE.json"));
}

}  // namespace
}  // namespace gemm::tool
