// gemm run and devices from outside: what they print, what they write, how they fail.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

#include "tests/io/files.h"
#include "tests/tool/expect.h"
#include "tests/tool/gemm_process.h"
#include "tools/io/npy.h"

namespace gemm::tool {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

io::Tensor ReadResult(const std::string& path) {
  io::Tensor tensor;
  const Status status = io::ReadNpy(path, &tensor);
  EXPECT_TRUE(status.ok()) << status.message();
  return tensor;
}

TEST(Run, WithoutGpuRunsTheKernelOnTheEmulatedOne) {
  const auto begin = std::chrono::steady_clock::now();
  const Outcome outcome = ExpectSuccess(RunGemm({"run", "--type", "bf16"}));
  EXPECT_THAT(outcome.out,
              StartsWith("no GPU: running the kernel on the emulated GPU, device 0: NVIDIA H200 (emulated)"));
  EXPECT_THAT(outcome.out, HasSubstr("m=256 n=256 k=256 nk bf16 -> bf16"));
  EXPECT_THAT(outcome.out, HasSubstr("kernel    hopper_bf16_"));
  EXPECT_THAT(outcome.out, HasSubstr("verified  all 256 rows"));
  EXPECT_THAT(outcome.out, Not(HasSubstr("time ")));  // an emulated GPU's says nothing
#ifndef __SANITIZE_ADDRESS__
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5));
#endif
}

TEST(Run, EmulatedGpusOfOtherKinds) {
  const auto on = [](const char* profile) {
    return ExpectSuccess(RunGemm({"run", "--on", "emulated", "--m", "40", "--n", "24", "--k", "72"},
                                 {{std::string("GPU_EMULATOR_PROFILE=") + profile}}))
        .out;
  };
  EXPECT_THAT(on("h100"), HasSubstr("kernel    hopper_bf16_"));
  EXPECT_THAT(on("a100"), HasSubstr("kernel    ampere_bf16_"));
  EXPECT_THAT(on("rtx5070ti"), HasSubstr("kernel    ampere_bf16_"));
  ExpectFailure(RunGemm({"run", "--on", "emulated"}, {{"GPU_EMULATOR_DEVICES=0"}}), 3, "sees no device");
}

TEST(Run, OnTheHost) {
  const Outcome asked = ExpectSuccess(RunGemm({"run", "--on", "host"}));
  EXPECT_THAT(asked.out, StartsWith("computing on the host, as asked\n"));
  EXPECT_THAT(asked.out, HasSubstr("m=512 n=512 k=512 nk bf16 -> bf16"));
  EXPECT_THAT(asked.out, HasSubstr("verified  all 512 rows"));
  const Outcome large = ExpectSuccess(RunGemm({"run", "--m", "16", "--n", "4096", "--k", "4096"}));
  EXPECT_THAT(large.out, StartsWith("no GPU, and too much for the emulated one; computing on the host\n"));
}

TEST(Run, WithoutTheEmulatedGpu) {
  const Surroundings nothing{{"GEMM_EMULATED_GPU=/nowhere/libcuda.so.1"}};
  const Outcome outcome = ExpectSuccess(RunGemm({"run", "--m", "20"}, nothing));
  EXPECT_THAT(outcome.out, StartsWith("no GPU, and the emulated GPU is not beside this program"));
  EXPECT_THAT(outcome.out.substr(0, outcome.out.find('\n')), HasSubstr("; computing on the host"));
  EXPECT_THAT(outcome.out, HasSubstr("m=20 n=512 k=512"));
  ExpectFailure(RunGemm({"run", "--on", "emulated"}, nothing), 3, "$GEMM_EMULATED_GPU can name it");
  ExpectFailure(RunGemm({"run", "--kernel", "simt_any"}, nothing), 3, "the emulated GPU is not beside");
}

TEST(Run, EveryTypeAndLayoutVerifies) {
  for (const char* on : {"emulated", "host"}) {
    for (const char* type : {"fp32", "fp16", "bf16"}) {
      for (const char* layout : {"nk", "kn", "km-nk", "km-kn-nm"}) {
        const Outcome outcome =
            ExpectSuccess(RunGemm({"run", "--on",    on,    "--type", type,  "--layout", layout,
                                   "--m", "33",      "--n", "18",     "--k", "70",       "--batch",
                                   "2",   "--alpha", "0.5", "--beta", "-2",  "--fill",   "integers"}));
        EXPECT_THAT(outcome.out, HasSubstr("bit for bit")) << on << " " << type << " " << layout;
      }
    }
  }
}

TEST(Run, SamplesLargeResultsAndSaysSo) {
  const Outcome outcome =
      ExpectSuccess(RunGemm({"run", "--m", "300", "--n", "20", "--k", "20", "--verify", "10"}));
  EXPECT_THAT(outcome.out, HasSubstr("verified  10 of 300 rows"));
}

// Of sums of magnitudes beyond FP32's range nothing is promised, so nothing is verified.
TEST(Run, SaysWhatItCannotJudge) {
  const auto with_alpha = [](const char* alpha) {
    return RunGemm(
        {"run", "--on", "host", "--m", "8", "--n", "8", "--k", "8", "--out-type", "fp32", "--alpha", alpha});
  };
  const Outcome none = with_alpha("3e38");
  ExpectFailure(none, 2, "nothing is verified: sums of magnitudes pass FP32's range");
  EXPECT_THAT(none.out, HasSubstr("verified  no: no element was judged"));
  const Outcome some = ExpectSuccess(with_alpha("7e37"));
  EXPECT_THAT(some.out, HasSubstr("verified  all 8 rows against FP64"));
  EXPECT_THAT(some.out, testing::ContainsRegex("unjudged  [1-9][0-9]* of 64 elements: "));
  EXPECT_THAT(ExpectSuccess(with_alpha("1")).out, Not(HasSubstr("unjudged")));
}

TEST(Run, MultipliesFilesAndWritesTheProduct) {
  // [[1, 2, 3], [4, 5, 6]] times its transpose, which as nk is stored like itself.
  const std::string a =
      WriteTemporary("a.npy", io::Npy("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }",
                                      io::BytesOf<float>({1, 2, 3, 4, 5, 6})));
  const std::string out = testing::TempDir() + "/d.npy";
  for (const char* type : {"fp32", "fp16", "bf16"}) {
    const Outcome outcome = ExpectSuccess(RunGemm({"run", "--a", a, "--b", a, "--type", type, "--out", out}));
    EXPECT_THAT(outcome.out, HasSubstr("m=2 n=2 k=3"));
    io::Tensor d = ReadResult(out);
    EXPECT_EQ(d.element == io::Element::kF16, std::string(type) == "fp16");
    EXPECT_EQ(outcome.out.find("as float32: NumPy has no bfloat16") != std::string::npos,
              std::string(type) == "bf16");
    ASSERT_TRUE(io::Convert(d.element, DataType::kFP32, &d.data).ok());
    EXPECT_THAT(io::ValuesOf<float>(d.data), testing::ElementsAre(14, 32, 32, 77));
  }
}

TEST(Run, ReadsC) {
  const std::string one = WriteTemporary(
      "one.npy",
      io::Npy("{'descr': '<f8', 'fortran_order': False, 'shape': (1, 1), }", io::BytesOf<double>({3})));
  const std::string out = testing::TempDir() + "/d1.npy";
  ExpectSuccess(RunGemm({"run", "--a", one, "--b", one, "--c", one, "--alpha", "2", "--beta", "10", "--type",
                         "fp32", "--out", out}));
  EXPECT_THAT(io::ValuesOf<float>(ReadResult(out).data), testing::ElementsAre(48));
  ExpectFailure(RunGemm({"run", "--a", one, "--b", one, "--c", one}), 2, "--beta is 0");
}

// The README's example: the weights of a real model.
TEST(Run, MultipliesWeightsOfARealModel) {
  const std::string model = Runfile("../example_model/model.safetensors");
  const std::string out = testing::TempDir() + "/y.npy";
  const Outcome outcome =
      ExpectSuccess(RunGemm({"run", "--type", "bf16", "--m", "7", "--b",
                             model + ":encoder.layer.0.intermediate.dense.weight", "--out", out}));
  EXPECT_THAT(outcome.out, HasSubstr("m=7 n=1536 k=384 nk bf16"));
  EXPECT_THAT(outcome.out, HasSubstr("verified  all 7 rows"));
  EXPECT_EQ(ReadResult(out).shape, (std::vector<std::int64_t>{7, 1536}));
  // Two tensors of the model with one another: attention scores' weights, query against key.
  ExpectSuccess(RunGemm({"run", "--type", "fp16", "--a", model + ":encoder.layer.0.attention.self.query.weight",
                         "--b", model + ":encoder.layer.0.attention.self.key.weight"}));
  ExpectFailure(RunGemm({"run", "--b", model + ":encoder.layer.0.intermediate.dense.wieght"}), 2,
                "the nearest: 'encoder.layer.0.intermediate.dense.weight'");
  ExpectFailure(RunGemm({"run", "--b", model}), 2, "no tensor ''");
  ExpectFailure(RunGemm({"run", "--b", model + ":embeddings.position_ids"}), 2, "'I64'");
  ExpectFailure(RunGemm({"run", "--b", model + ":embeddings.LayerNorm.bias"}), 2,
                "has the shape [384]; a matrix of two dimensions");
}

TEST(Run, RefusesBadFiles) {
  const std::string data = io::BytesOf<float>({1, 2, 3, 4, 5, 6});
  const std::string good =
      WriteTemporary("good.npy", io::Npy("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }", data));
  ExpectFailure(RunGemm({"run", "--a", "/nowhere/x.npy"}), 2, "/nowhere/x.npy: cannot be opened: No such file");
  ExpectFailure(RunGemm({"run", "--a", "x.bin"}), 2,
                "--a is 'x.bin'; expected FILE.npy or FILE.safetensors:TENSOR");
  const std::string cut = WriteTemporary(
      "cut.npy", io::Npy("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }", data.substr(4)));
  ExpectFailure(RunGemm({"run", "--a", cut}), 2, "takes 24 bytes; 20 follow");
  const std::string longer = WriteTemporary("longer.safetensors", io::Safetensors("{}", "", 99));
  ExpectFailure(RunGemm({"run", "--a", longer + ":w"}), 2, "header of 99 bytes is longer than the file");
  const std::string dictionary = WriteTemporary("dictionary.npy", io::Npy("{'descr': '<f4'", data));
  ExpectFailure(RunGemm({"run", "--b", dictionary}), 2, "dictionary.npy: ");
  ExpectFailure(RunGemm({"run", "--c", testing::TempDir() + "/absent.npy", "--beta", "1"}), 2,
                "cannot be opened");
  const auto tensors = [](const std::string& offsets) {
    return WriteTemporary(
        "offsets.safetensors",
        io::Safetensors(
            R"({"w":{"dtype":"F32","shape":[1,2],"data_offsets":[0,8]},"v":{"dtype":"F32","shape":[1,2],)"
            R"("data_offsets":)" +
                offsets + "}}",
            std::string(16, '\0')));
  };
  ExpectFailure(RunGemm({"run", "--a", tensors("[4,12]") + ":w"}), 2, "overlaps");
  ExpectFailure(RunGemm({"run", "--a", tensors("[18446744073709551607,18446744073709551615]") + ":w"}), 2,
                "ends at byte 18446744073709551615");
  ExpectFailure(RunGemm({"run", "--a", tensors("[8,16]") + ":x"}), 2,
                "no tensor 'x' among its 2; the nearest: ");
  ExpectFailure(RunGemm({"run", "--a", good, "--m", "5"}), 2, "m is 5 by --m and 2 by --a");
  ExpectFailure(RunGemm({"run", "--a", good, "--b", good, "--layout", "kn"}), 2, "k is 3 by --a");
  ExpectFailure(RunGemm({"run", "--a", good, "--batch", "2"}), 2, "--batch is 2");
}

TEST(Run, RefusesBadArguments) {
  ExpectFailure(RunGemm({}), 2, "subcommand");
  ExpectFailure(RunGemm({"frobnicate"}), 2, "");
  ExpectFailure(RunGemm({"run", "--frob"}), 2, "--frob");
  ExpectFailure(RunGemm({"run", "--m", "many"}), 2, "--m");
  ExpectFailure(RunGemm({"run", "--m", "99999999999999999999"}), 2,
                "--m: 99999999999999999999 is no integer of 64 bits");
  ExpectFailure(RunGemm({"run", "--m", "-1"}), 2, "problem.m is -1");
  ExpectFailure(RunGemm({"run", "--m", "4611686018427387904"}), 2, "2^63");
  ExpectFailure(RunGemm({"run", "--type", "fp64"}), 2, "--type is 'fp64'");
  ExpectFailure(RunGemm({"run", "--type", "fp8_e4m3"}), 2, "fp8_e4m3");
  ExpectFailure(RunGemm({"run", "--out-type", "fp8_e5m2"}), 2, "fp8_e5m2");
  ExpectFailure(RunGemm({"run", "--layout", "tn"}), 2, "--layout is 'tn'");
  ExpectFailure(RunGemm({"run", "--on", "moon"}), 2, "--on is 'moon'");
  ExpectFailure(RunGemm({"run", "--fill", "x", "--m", "1"}), 2, "--fill is 'x'");
  ExpectFailure(RunGemm({"run", "--verify", "0"}), 2, "--verify is '0'");
  ExpectFailure(RunGemm({"run", "--compute", "fp64"}), 2, "--compute is 'fp64'");
  ExpectFailure(RunGemm({"run", "--m", "8", "--out", "/nowhere/d.npy"}), 2,
                "--out is '/nowhere/d.npy'; there is no folder /nowhere");
}

// Nothing is computed for a file that cannot be written: not even the place is chosen.
TEST(Run, LooksForTheFolderOfTheResultFirst) {
  const Outcome outcome = RunGemm({"run", "--m", "8", "--out", "/nowhere/y.npy"});
  ExpectFailure(outcome, 2, "there is no folder /nowhere");
  EXPECT_EQ(outcome.out, "");
}

TEST(Run, ARefusedProductLeavesTheOutputFileAlone) {
  const std::string out = WriteTemporary("kept.npy", "as it was");
  ExpectFailure(RunGemm({"run", "--m", "-1", "--out", out}), 2, "problem.m is -1");
  ExpectFailure(RunGemm({"run", "--a", "/nowhere/x.npy", "--out", out}), 2, "cannot be opened");
  ExpectFailure(RunGemm({"run", "--m", "2000000", "--n", "2000000", "--out", out}), 4, "GB of host memory");
  ExpectFailure(RunGemm({"run", "--kernel", "no_such", "--out", out}, {{}, true}), 2, "no_such");
  EXPECT_EQ(ReadWhole(out), "as it was");
}

// D fits four times, and FP64 values and sums of magnitudes of all its elements do not: nothing is computed.
TEST(Run, VerificationNeedsMemoryToo) {
  const Outcome outcome = RunGemm({"run", "--on", "host", "--m", "2000000", "--n", "2000000"});
  const std::string words = " GB of host memory; ";
  const std::size_t at = outcome.err.find(words);
  ASSERT_NE(at, std::string::npos) << outcome.err;
  const double available = 1e9 * std::stod(outcome.err.substr(at + words.size()));
  const std::string n = "4096", m = std::to_string(static_cast<long long>(available / 8 / 4096));
  ExpectFailure(RunGemm({"run", "--on", "host", "--m", m, "--n", n, "--k", "1", "--verify", "all"}), 4,
                "the matrices and their verification (--verify) need ");
}

TEST(Run, SaysWhatMemoryItLacks) {
  ExpectFailure(RunGemm({"run", "--m", "2000000", "--n", "2000000"}), 4, "GB of host memory");
  ExpectFailure(RunGemm({"run"}, {{"GEMM_FAKE_CUDA_MEMORY=1000000"}, true}), 4, "the device has no room for");
#ifndef __SANITIZE_ADDRESS__  // its shadow alone passes every limit
  // The machine has the memory, but this process may not take it.
  Surroundings narrow;
  narrow.address_space = std::size_t{256} << 20;
  ExpectFailure(RunGemm({"run", "--m", "16384", "--n", "16", "--k", "16384"}, narrow), 4, "no host memory");
#endif
}

TEST(Run, NeedsADeviceWhenOneIsAskedFor) {
  ExpectFailure(RunGemm({"run", "--on", "gpu"}), 3, "libcuda.so.1");
  ExpectFailure(RunGemm({"run", "--device", "1"}), 3, "libcuda.so.1");
  ExpectFailure(RunGemm({"run", "--on", "gpu"}, {{"GEMM_FAKE_CUDA_DEVICES=none"}, true}), 3, "sees no device");
  ExpectFailure(RunGemm({"run", "--on", "gpu"}, {{"GEMM_FAKE_CUDA_VERSION=11080"}, true}), 3, "CUDA 11.8");
  ExpectFailure(RunGemm({"run", "--on", "gpu"}, {{"GEMM_FAKE_CUDA_DEVICES=t4"}, true}), 3, "7.5");
  ExpectFailure(RunGemm({"run", "--device", "7"}, {{}, true}), 3, "device 7 was asked for");
  const Outcome outcome = ExpectSuccess(RunGemm({"run"}, {{"GEMM_FAKE_CUDA_DEVICES=t4"}, true}));
  EXPECT_THAT(outcome.out, StartsWith("no GPU: "));
}

// The fake driver computes nothing, and D stays as it was poisoned: the command must notice.
TEST(Run, AWrongResultIsExitCodeOne) {
  const Outcome outcome = RunGemm({"run", "--m", "64", "--n", "64", "--k", "64"}, {{}, true});
  ExpectFailure(outcome, 1, "misses the error bound");
  EXPECT_THAT(outcome.out, StartsWith("device 0: NVIDIA H200"));
  EXPECT_THAT(outcome.out, HasSubstr("WRONG     all 64 rows"));
}

TEST(Run, KernelsAreForcedOrRefused) {
  ExpectFailure(RunGemm({"run", "--kernel", "no_such"}, {{}, true}), 2, "no_such");
  ExpectFailure(RunGemm({"run", "--kernel", "hopper_bf16_kk_128x256x64_s4_c2x1", "--type", "fp16"}, {{}, true}),
                2, "hopper_bf16");
  ExpectFailure(RunGemm({"run"}, {{"LIBGEMM_KERNEL=no_such"}, true}), 2, "LIBGEMM_KERNEL is \"no_such\"");
  ExpectFailure(RunGemm({"run"}, {{"GEMM_FAKE_CUDA_FAIL=cuLaunchKernelEx:719"}, true}), 3,
                "cuLaunchKernelEx failed");
}

TEST(Run, EmptyProducts) {
  ExpectSuccess(RunGemm({"run", "--m", "0"}));
  ExpectSuccess(RunGemm({"run", "--n", "0"}, {{}, true}));
  ExpectSuccess(RunGemm({"run", "--k", "0", "--beta", "2", "--m", "9"}));
}

TEST(Devices, ListsThem) {
  const Outcome outcome = ExpectSuccess(RunGemm({"devices"}, {{"GEMM_FAKE_CUDA_DEVICES=h200,a100"}, true}));
  EXPECT_THAT(outcome.out, HasSubstr("device 0: NVIDIA H200"));
  EXPECT_THAT(outcome.out, HasSubstr("device 1: "));
  ExpectFailure(RunGemm({"devices"}), 3, "libcuda.so.1");
  ExpectFailure(RunGemm({"devices"}, {{"GEMM_FAKE_CUDA_DEVICES=none"}, true}), 3, "sees no device");
  ExpectFailure(RunGemm({"devices"}, {{"GEMM_FAKE_CUDA_VERSION=11080"}, true}), 3, "CUDA 11.8");
}

TEST(Help, DocumentsTheExitCodes) {
  const Outcome outcome = ExpectSuccess(RunGemm({"--help"}));
  EXPECT_THAT(outcome.out, HasSubstr("Exit codes:"));
  for (const char* command : {"run", "bench", "explain", "devices"}) {
    EXPECT_THAT(outcome.out, HasSubstr(command));
    ExpectSuccess(RunGemm({command, "--help"}));
  }
  EXPECT_THAT(ExpectSuccess(RunGemm({"--version"})).out, StartsWith("libgemm "));
}

}  // namespace
}  // namespace gemm::tool
