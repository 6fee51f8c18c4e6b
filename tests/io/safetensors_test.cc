#include "tools/io/safetensors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/io/files.h"

namespace gemm::io {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr char kTwo[] =
    R"({"__metadata__":{"format":"pt"},"w":{"dtype":"F32","shape":[2,1],"data_offsets":[0,8]},)"
    R"("v":{"dtype":"BF16","shape":[3],"data_offsets":[8,14]}})";
const std::string kData = BytesOf<float>({1.5f, -2}) + BytesOf<std::uint16_t>({0x3f80, 0x4000, 0xbf80});

Status ReadText(const std::string& file, const std::string& tensor_name, Tensor* tensor) {
  return ReadSafetensors(Memory(file), "x.safetensors", tensor_name, tensor);
}

void ExpectRefused(const std::string& file, StatusCode code, const std::string& words,
                   const std::string& tensor_name = "w") {
  Tensor tensor;
  tensor.shape = {7};
  const Status status = ReadText(file, tensor_name, &tensor);
  EXPECT_EQ(status.code(), code) << words << " / " << status.message();
  EXPECT_THAT(status.message(), HasSubstr("x.safetensors: "));
  EXPECT_THAT(status.message(), HasSubstr(words));
  EXPECT_THAT(tensor.shape, ElementsAre(7)) << "a refused file changed the tensor";
}

void ExpectMalformed(const std::string& json, const std::string& words) {
  ExpectRefused(Safetensors(json, kData), StatusCode::kInvalidArgument, words);
}

// One tensor "w" with these fields over 14 bytes of data.
std::string One(const std::string& dtype, const std::string& shape, const std::string& offsets) {
  return R"({"w":{"dtype":")" + dtype + R"(","shape":)" + shape + R"(,"data_offsets":)" + offsets + "}}";
}

TEST(Safetensors, ReadsByName) {
  Tensor tensor;
  Status status = ReadText(Safetensors(kTwo, kData), "w", &tensor);
  ASSERT_TRUE(status.ok()) << status.message();
  EXPECT_EQ(tensor.element, Element::kF32);
  EXPECT_THAT(tensor.shape, ElementsAre(2, 1));
  EXPECT_THAT(ValuesOf<float>(tensor.data), ElementsAre(1.5f, -2));
  status = ReadText(Safetensors(kTwo, kData), "v", &tensor);
  ASSERT_TRUE(status.ok()) << status.message();
  EXPECT_EQ(tensor.element, Element::kBF16);
  EXPECT_THAT(ValuesOf<std::uint16_t>(tensor.data), ElementsAre(0x3f80, 0x4000, 0xbf80));
}

TEST(Safetensors, AcceptsPaddingAndEmptyTensors) {
  Tensor tensor;
  ASSERT_TRUE(ReadText(Safetensors(std::string(kTwo) + "    ", kData), "w", &tensor).ok());
  const std::string empty =
      R"({"e":{"dtype":"F32","shape":[0,4],"data_offsets":[0,0]},"w":{"dtype":"F16","shape":[7],"data_offsets":[0,14]}})";
  ASSERT_TRUE(ReadText(Safetensors(empty, kData), "e", &tensor).ok());
  EXPECT_TRUE(tensor.data.empty());
  EXPECT_THAT(tensor.shape, ElementsAre(0, 4));
}

TEST(Safetensors, NamesTheNearest) {
  const std::string json = R"({"layer.0.query":{"dtype":"F16","shape":[7],"data_offsets":[0,14]},)"
                           R"("layer.1.query":{"dtype":"F16","shape":[0],"data_offsets":[14,14]},)"
                           R"("pooler":{"dtype":"F16","shape":[0],"data_offsets":[14,14]},)"
                           R"("layer.2.value":{"dtype":"F16","shape":[0],"data_offsets":[14,14]}})";
  ExpectRefused(
      Safetensors(json, kData), StatusCode::kInvalidArgument,
      "no tensor 'layer.0.qeury' among its 4; the nearest: 'layer.0.query', 'layer.1.query', 'layer.2.value'",
      "layer.0.qeury");
  ExpectRefused(Safetensors("{}", ""), StatusCode::kInvalidArgument, "no tensor 'w' among its 0");
}

TEST(Safetensors, RefusesOtherTypes) {
  ExpectRefused(Safetensors(One("I16", "[7]", "[0,14]"), kData), StatusCode::kUnsupported,
                "'I16'; F16, BF16 and F32");
  ExpectRefused(Safetensors(One("F4_NEW", "[28]", "[0,14]"), kData), StatusCode::kUnsupported, "'F4_NEW'");
}

TEST(Safetensors, RefusesHeadersOfWrongLength) {
  ExpectRefused("", StatusCode::kInvalidArgument, "it has 0 bytes");
  ExpectRefused("1234567", StatusCode::kInvalidArgument, "it has 7 bytes");
  ExpectRefused(Safetensors(kTwo, kData, 100000), StatusCode::kInvalidArgument,
                "header of 100000 bytes is longer than the file");
  ExpectRefused(Safetensors(kTwo, kData, UINT64_MAX - 1), StatusCode::kInvalidArgument, "longer than the file");
  ExpectRefused(Safetensors(kTwo, kData, 0), StatusCode::kInvalidArgument, "no JSON object");
  ExpectRefused(Safetensors(kTwo, kData, 9), StatusCode::kInvalidArgument, "no JSON object");
}

TEST(Safetensors, RefusesBrokenHeaders) {
  ExpectMalformed("[]", "no JSON object");
  ExpectMalformed("{\"w\":", "no JSON object");
  ExpectMalformed(R"({"w":3})", "described by no object");
  ExpectMalformed(R"({"w":{"dtype":"F16","shape":[7]}})", "lacks one of");
  ExpectMalformed(R"({"w":{"dtype":16,"shape":[7],"data_offsets":[0,14]}})", "wrong kind");
  ExpectMalformed(One("F16", "7", "[0,14]"), "wrong kind");
  ExpectMalformed(One("F16", "[7]", "[0,14,14]"), "wrong kind");
  ExpectMalformed(One("F16", "[-7]", "[0,14]"), "a size that is no count");
  ExpectMalformed(One("F16", "[7.0]", "[0,14]"), "a size that is no count");
  ExpectMalformed(One("F16", "[18446744073709551615]", "[0,14]"), "a size that is no count");
  ExpectMalformed(One("F16", "[7]", "[-1,13]"), "an offset that is no count");
  ExpectMalformed(One("F16", "[7]", "[14,0]"), "ends before it begins");
  ExpectMalformed(
      R"({"w":{"dtype":"F16","shape":[7],"data_offsets":[0,14]},"w":{"dtype":"F16","shape":[7],"data_offsets":[0,14]}})",
      "names 'w' twice");
}

TEST(Safetensors, DeeplyNestedHeaderDoesNotOverflowTheStack) {
  ExpectMalformed(R"({"w":)" + std::string(200000, '['), "no JSON object");
  ExpectMalformed(R"({"w":)" + std::string(200000, '[') + std::string(200000, ']') + "}",
                  "described by no object");
}

TEST(Safetensors, RefusesWrongSizes) {
  ExpectMalformed(One("F16", "[6]", "[0,14]"), "takes 12 bytes; its offsets span 14");
  ExpectMalformed(One("F32", "[7]", "[0,14]"), "takes 28 bytes");
  ExpectMalformed(One("F16", "[4294967296,4294967296]", "[0,14]"), "overflows");
  ExpectMalformed(One("F16", "[0,4294967296,4294967296]", "[0,0]"), "overflows");
}

TEST(Safetensors, RefusesWrongOffsets) {
  ExpectMalformed(One("F16", "[8]", "[0,16]"), "ends at byte 16 of the data, which has 14");
  ExpectMalformed(One("F16", "[7]", "[18446744073709551600,18446744073709551614]"),
                  "ends at byte 18446744073709551614");
  ExpectMalformed(One("F16", "[6]", "[2,14]"), "a hole of 2 bytes before tensor 'w'");
  ExpectMalformed(One("F16", "[6]", "[0,12]"), "2 bytes of the data belong to no tensor");
  const std::string overlap =
      R"({"w":{"dtype":"F16","shape":[5],"data_offsets":[0,10]},"v":{"dtype":"F16","shape":[3],"data_offsets":[8,14]}})";
  ExpectMalformed(overlap, "tensor 'v' overlaps");
  const std::string hole =
      R"({"w":{"dtype":"F16","shape":[3],"data_offsets":[0,6]},"v":{"dtype":"F16","shape":[3],"data_offsets":[8,14]}})";
  ExpectMalformed(hole, "a hole of 2 bytes before tensor 'v'");
  // A defect of any tensor refuses the file, also when another is asked for.
  ExpectRefused(Safetensors(hole, kData), StatusCode::kInvalidArgument, "a hole", "v");
}

TEST(Safetensors, ShowsNoControlCharacters) {
  Tensor tensor;
  const Status status = ReadText(
      Safetensors(R"({"a\nb":{"dtype":"F16","shape":[7],"data_offsets":[0,14]}})", kData), "w", &tensor);
  EXPECT_THAT(status.message(), HasSubstr("'a?b'"));
}

TEST(Safetensors, EveryTruncationIsRefused) {
  const std::string file = Safetensors(kTwo, kData);
  for (std::size_t size = 0; size < file.size(); ++size) {
    Tensor tensor;
    EXPECT_FALSE(ReadText(file.substr(0, size), "w", &tensor).ok()) << size;
  }
}

}  // namespace
}  // namespace gemm::io
