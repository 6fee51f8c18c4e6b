// Every rule of gemm::Problem broken once: the code, the words, and an untouched output.
#include <cstdint>
#include <functional>
#include <string>

#include "common/problem/problem.h"
#include "gtest/gtest.h"

namespace gemm::problem {
namespace {

struct Refusal {
  const char* name;
  std::function<void(Problem&)> spoil;
  StatusCode code;
  const char* words;  // that the sentence contains
};

class Refused : public testing::TestWithParam<Refusal> {};

TEST_P(Refused, WithASentence) {
  Problem problem;
  problem.m = 64;
  problem.n = 128;
  problem.k = 256;
  Normalized out;
  ASSERT_TRUE(Normalize(problem, &out).ok());
  out.m = 4711;
  GetParam().spoil(problem);
  const Status status = Normalize(problem, &out);
  EXPECT_EQ(status.code(), GetParam().code) << status.message();
  EXPECT_NE(status.message().find(GetParam().words), std::string::npos) << status.message();
  EXPECT_EQ(out.m, 4711);
}

constexpr auto kInvalid = StatusCode::kInvalidArgument;
constexpr auto kUnsupported = StatusCode::kUnsupported;
constexpr std::int64_t kHuge = INT64_C(1) << 40;

INSTANTIATE_TEST_SUITE_P(
    Problem, Refused,
    testing::Values(
        Refusal{"NegativeM", [](Problem& p) { p.m = -1; }, kInvalid, "problem.m is -1; it must be 0 or more"},
        Refusal{"NegativeN", [](Problem& p) { p.n = INT64_MIN; }, kInvalid,
                "problem.n is -9223372036854775808"},
        Refusal{"NegativeK", [](Problem& p) { p.k = -2; }, kInvalid, "problem.k is -2"},
        Refusal{"NegativeBatch", [](Problem& p) { p.batch = -3; }, kInvalid, "problem.batch is -3"},
        Refusal{"LdTooSmallA", [](Problem& p) { p.a.ld = 255; }, kInvalid,
                "problem.a.ld is 255; a row-major 64 x 256 matrix needs 256 or more, or 0 for packed"},
        Refusal{"LdTooSmallB", [](Problem& p) { p.b.ld = 127; }, kInvalid, "problem.b.ld is 127"},
        Refusal{"LdTooSmallBColumnMajor",
                [](Problem& p) {
                  p.b.layout = Layout::kColumnMajor;
                  p.b.ld = 255;
                },
                kInvalid, "a column-major 256 x 128 matrix needs 256 or more"},
        Refusal{"LdTooSmallD", [](Problem& p) { p.d.ld = 1; }, kInvalid, "problem.d.ld is 1"},
        Refusal{"NegativeLd", [](Problem& p) { p.d.ld = -128; }, kInvalid, "problem.d.ld is -128"},
        Refusal{"UnknownLayout", [](Problem& p) { p.a.layout = static_cast<Layout>(2); }, kInvalid,
                "problem.a.layout is 2"},
        Refusal{"UnknownType", [](Problem& p) { p.b.type = static_cast<DataType>(42); }, kInvalid,
                "problem.b.type is 42"},
        Refusal{"UnknownTypeD", [](Problem& p) { p.d.type = static_cast<DataType>(-1); }, kInvalid,
                "problem.d.type is -1"},
        Refusal{"UnknownCompute", [](Problem& p) { p.compute = static_cast<ComputeType>(9); }, kInvalid,
                "problem.compute is 9"},
        Refusal{"UnknownScalars", [](Problem& p) { p.scalars = static_cast<ScalarMode>(9); }, kInvalid,
                "problem.scalars is 9"},
        Refusal{"Fp8A", [](Problem& p) { p.a.type = p.b.type = DataType::kFP8E4M3; }, kUnsupported,
                "problem.a.type is fp8_e4m3, for which libgemm"},
        Refusal{"Fp8D", [](Problem& p) { p.d.type = DataType::kFP8E5M2; }, kUnsupported,
                "problem.d.type is fp8_e5m2"},
        Refusal{"MixedInputs", [](Problem& p) { p.b.type = DataType::kFP16; }, kUnsupported,
                "problem.a.type is bf16 and problem.b.type is fp16; they must be the same"},
        Refusal{"AlignmentZero", [](Problem& p) { p.a.alignment = 0; }, kInvalid, "problem.a.alignment is 0"},
        Refusal{"AlignmentNegative", [](Problem& p) { p.a.alignment = -16; }, kInvalid,
                "problem.a.alignment is -16"},
        Refusal{"AlignmentOdd", [](Problem& p) { p.b.alignment = 12; }, kInvalid, "problem.b.alignment is 12"},
        Refusal{"AlignmentBelowElement",
                [](Problem& p) {
                  p.d.type = DataType::kFP32;
                  p.d.alignment = 2;
                },
                kInvalid,
                "problem.d.alignment is 2; it must be a power of two of 4 bytes (one fp32 element) or more"},
        Refusal{"NegativeStride", [](Problem& p) { p.a.batch_stride = -2; }, kInvalid,
                "problem.a.batch_stride is -2"},
        Refusal{"DBroadcast",
                [](Problem& p) {
                  p.batch = 2;
                  p.d.batch_stride = 0;
                },
                kInvalid, "problem.d.batch_stride is 0, at which the 2 matrices of D overlap"},
        Refusal{"DOverlaps",
                [](Problem& p) {
                  p.batch = 2;
                  p.d.batch_stride = 64 * 128 - 1;
                },
                kInvalid, "it must be 8192 or more"},
        Refusal{"DOverlapsSideBySide",
                [](Problem& p) {
                  p.batch = 3;
                  p.d.ld = 3 * 128 - 1;
                  p.d.batch_stride = 128;
                },
                kInvalid, "overlap"},
        Refusal{"DOverflows",
                [](Problem& p) {
                  p.m = p.n = kHuge;
                  p.k = 1;
                },
                kInvalid, "problem.d of 1 x 1099511627776 x 1099511627776"},
        Refusal{"BytesOverflow",  // 2^62 elements, but 2^63 bytes
                [](Problem& p) {
                  p.m = INT64_C(1) << 31;
                  p.n = INT64_C(1) << 31;
                  p.k = 1;
                },
                kInvalid, "problem.d of"},
        Refusal{"LdOverflows", [](Problem& p) { p.a.ld = INT64_MAX; }, kInvalid,
                "problem.a of 1 x 64 x 256 with ld"},
        Refusal{"StrideOverflows",
                [](Problem& p) {
                  p.batch = 3;
                  p.b.batch_stride = INT64_MAX / 2;
                },
                kInvalid, "problem.b of 3 x 256 x 128"},
        Refusal{"BatchOverflows", [](Problem& p) { p.batch = INT64_MAX; }, kInvalid,
                "problem.a of 9223372036854775807"},
        Refusal{"BadCUnderDeviceScalars",
                [](Problem& p) {
                  p.scalars = ScalarMode::kDevice;
                  p.c.ld = 3;
                },
                kInvalid, "problem.c.ld is 3"},
        Refusal{"CTypeUnderDeviceScalars",
                [](Problem& p) {
                  p.scalars = ScalarMode::kDevice;
                  p.c.type = DataType::kFP32;
                },
                kUnsupported, "problem.c.type is fp32 and problem.d.type is bf16"}),
    [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace gemm::problem
