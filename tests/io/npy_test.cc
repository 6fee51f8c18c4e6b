#include "tools/io/npy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <iterator>

#include "tests/io/files.h"

namespace gemm::io {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const std::string kData = BytesOf<float>({1, 2, 3, 4, 5, 6});
constexpr char kGood[] = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }";

Status ReadText(const std::string& file, Tensor* tensor) { return ReadNpy(Memory(file), "x.npy", tensor); }

void ExpectRefused(const std::string& file, StatusCode code, const std::string& words) {
  Tensor tensor;
  tensor.shape = {7};
  const Status status = ReadText(file, &tensor);
  EXPECT_EQ(status.code(), code) << words;
  EXPECT_THAT(status.message(), HasSubstr("x.npy: "));
  EXPECT_THAT(status.message(), HasSubstr(words));
  EXPECT_THAT(tensor.shape, ElementsAre(7)) << "a refused file changed the tensor";
}

void ExpectMalformed(const std::string& dictionary, const std::string& words) {
  ExpectRefused(Npy(dictionary, kData), StatusCode::kInvalidArgument, words);
}

TEST(Npy, ReadsEveryVersion) {
  for (const int major : {1, 2, 3}) {
    Tensor tensor;
    const Status status = ReadText(Npy(kGood, kData, major), &tensor);
    ASSERT_TRUE(status.ok()) << status.message();
    EXPECT_EQ(tensor.element, Element::kF32);
    EXPECT_THAT(tensor.shape, ElementsAre(2, 3));
    EXPECT_THAT(ValuesOf<float>(tensor.data), ElementsAre(1, 2, 3, 4, 5, 6));
  }
}

TEST(Npy, ReadsHalfAndDouble) {
  Tensor tensor;
  ASSERT_TRUE(ReadText(Npy("{'shape':(1,2),'descr':\"<f2\",'fortran_order':False}",
                           BytesOf<std::uint16_t>({0x3c00, 0x4000})),
                       &tensor)
                  .ok());
  EXPECT_EQ(tensor.element, Element::kF16);
  ASSERT_TRUE(ReadText(Npy("{'descr': '<f8', 'fortran_order': False, 'shape': (1,), }", BytesOf<double>({0.1})),
                       &tensor)
                  .ok());
  EXPECT_EQ(tensor.element, Element::kF64);
  EXPECT_THAT(ValuesOf<double>(tensor.data), ElementsAre(0.1));
}

TEST(Npy, TurnsFortranOrderIntoCOrder) {
  Tensor tensor;
  ASSERT_TRUE(ReadText(Npy("{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3), }", kData), &tensor).ok());
  EXPECT_THAT(tensor.shape, ElementsAre(2, 3));
  EXPECT_THAT(ValuesOf<float>(tensor.data), ElementsAre(1, 3, 5, 2, 4, 6));
}

TEST(Npy, TransposesAcrossBlocks) {
  constexpr int kRows = 67;
  constexpr int kCols = 41;
  std::vector<float> columns;
  for (int j = 0; j < kCols; ++j) {
    for (int i = 0; i < kRows; ++i) columns.push_back(static_cast<float>(i * kCols + j));
  }
  Tensor tensor;
  ASSERT_TRUE(
      ReadText(Npy("{'descr': '<f4', 'fortran_order': True, 'shape': (67, 41), }", BytesOf(columns)), &tensor)
          .ok());
  const std::vector<float> values = ValuesOf<float>(tensor.data);
  for (std::size_t i = 0; i < values.size(); ++i) ASSERT_EQ(values[i], static_cast<float>(i));
}

TEST(Npy, ReadsEmptyAndScalarArrays) {
  Tensor tensor;
  ASSERT_TRUE(ReadText(Npy("{'descr': '<f4', 'fortran_order': False, 'shape': (0, 3), }", ""), &tensor).ok());
  EXPECT_TRUE(tensor.data.empty());
  ASSERT_TRUE(
      ReadText(Npy("{'descr': '<f4', 'fortran_order': False, 'shape': (), }", BytesOf<float>({3})), &tensor)
          .ok());
  EXPECT_TRUE(tensor.shape.empty());
}

TEST(Npy, RefusesWhatIsNoNpyFile) {
  ExpectRefused("", StatusCode::kInvalidArgument, "it has 0 bytes");
  ExpectRefused("\x93NUMPY", StatusCode::kInvalidArgument, "it has 6 bytes");
  ExpectRefused("PK\x03\x04 something else altogether", StatusCode::kInvalidArgument, "does not start with");
  ExpectRefused(Npy(kGood, kData, 4), StatusCode::kUnsupported, "version 4.0");
}

TEST(Npy, RefusesHeadersOfWrongLength) {
  ExpectRefused(Npy(kGood, kData, 1, 60000), StatusCode::kInvalidArgument,
                "header of 60000 bytes is longer than the file");
  ExpectRefused(Npy(kGood, kData, 2, 0xffffffffL), StatusCode::kInvalidArgument, "longer than the file");
  ExpectRefused(Npy(kGood, kData, 1, 0), StatusCode::kInvalidArgument, "not a dictionary");
  ExpectRefused(Npy(kGood, kData, 1, 20), StatusCode::kInvalidArgument, "not a valid .npy file");
  // Cut right behind the version of a format with four bytes of length.
  ExpectRefused(Npy(kGood, kData, 2).substr(0, 10), StatusCode::kInvalidArgument, "longer than the file");
  ExpectRefused(Npy(std::string(2 << 20, ' ') + kGood, kData, 2), StatusCode::kInvalidArgument,
                "2^20 are allowed");
}

TEST(Npy, RefusesBrokenDictionaries) {
  ExpectMalformed("", "not a dictionary");
  ExpectMalformed("[1, 2]", "not a dictionary");
  ExpectMalformed("{'descr': '<f4', 'fortran_order': False}", "lacks one of");
  ExpectMalformed("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), 'more': 1}", "unknown key");
  ExpectMalformed("{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (2, 3)}", "descr twice");
  ExpectMalformed("{'descr': '<f4', 'fortran_order': 0, 'shape': (2, 3)}", "neither True nor False");
  ExpectMalformed("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (2, 3)}", "descr is no string");
  ExpectMalformed("{'descr': '<f4', 'fortran_order': False, 'shape': (2, -3)}", "shape is no tuple");
  ExpectMalformed("{'descr': '<f4', 'fortran_order': False, 'shape': [2, 3]}", "shape is no tuple");
  ExpectMalformed("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3) 'x': 1}", "comma");
  ExpectMalformed("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3)} trailing", "text follows");
  ExpectMalformed("{'descr': '<f4", "descr is no string");
  ExpectMalformed("{descr: '<f4'}", "key that is no string");
}

TEST(Npy, RefusesOtherElements) {
  for (const char* descr : {">f4", "<i4", "<c8", "|O", "f4", "<U3"}) {
    ExpectRefused(
        Npy(std::string("{'descr': '") + descr + "', 'fortran_order': False, 'shape': (2, 3), }", kData),
        StatusCode::kUnsupported, std::string("'") + descr + "'");
  }
  ExpectRefused(Npy("{'descr': '<f4', 'fortran_order': True, 'shape': (1, 2, 3), }", kData),
                StatusCode::kUnsupported, "Fortran order");
}

TEST(Npy, RefusesShapesThatOverflow) {
  ExpectMalformed("{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999, 1)}",
                  "shape is no tuple");
  ExpectMalformed("{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296)}", "overflows");
  // 2^62 elements fit 63 bits, their bytes do not.
  ExpectMalformed("{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387904,)}", "overflows");
  // An empty array does not hide that the other sizes overflow.
  ExpectMalformed("{'descr': '<f4', 'fortran_order': False, 'shape': (0, 4294967296, 4294967296)}",
                  "overflows");
}

TEST(Npy, RefusesDataOfWrongLength) {
  ExpectRefused(Npy(kGood, kData.substr(1)), StatusCode::kInvalidArgument, "takes 24 bytes; 23 follow");
  ExpectRefused(Npy(kGood, kData + "x"), StatusCode::kInvalidArgument, "takes 24 bytes; 25 follow");
  ExpectRefused(Npy(kGood, ""), StatusCode::kInvalidArgument, "takes 24 bytes; 0 follow");
  // A terabyte announced is refused before it is allocated.
  ExpectMalformed("{'descr': '<f4', 'fortran_order': False, 'shape': (1000000, 1000000)}",
                  "takes 4000000000000 bytes");
}

TEST(Npy, EveryTruncationIsRefused) {
  const std::string file = Npy(kGood, kData);
  for (std::size_t size = 0; size < file.size(); ++size) {
    Tensor tensor;
    EXPECT_FALSE(ReadText(file.substr(0, size), &tensor).ok()) << size;
  }
}

TEST(Npy, ReadsWhatItWrites) {
  const std::string path = testing::TempDir() + "/written.npy";
  Tensor tensor;
  tensor.shape = {3, 1};
  tensor.data.resize(12);
  const std::vector<float> values = {1.5f, -2, 0};
  std::memcpy(tensor.data.data(), values.data(), 12);
  ASSERT_TRUE(WriteNpy(path, tensor).ok());
  Tensor read;
  const Status status = ReadNpy(path, &read);
  ASSERT_TRUE(status.ok()) << status.message();
  EXPECT_EQ(read.shape, tensor.shape);
  EXPECT_EQ(read.data, tensor.data);
  // NumPy documents that the elements start at a multiple of 64.
  std::ifstream file(path, std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  EXPECT_EQ((text.size() - 12) % 64, 0u);
  EXPECT_EQ(text.substr(text.size() - 13, 1), "\n");
}

TEST(Npy, WritesBf16AsFloat) {
  const std::string path = testing::TempDir() + "/bf16.npy";
  Tensor tensor;
  tensor.element = Element::kBF16;
  tensor.shape = {1, 2};
  tensor.data.resize(4);
  const std::uint16_t bits[] = {0x3fc0, 0xc000};
  std::memcpy(tensor.data.data(), bits, 4);
  ASSERT_TRUE(WriteNpy(path, tensor).ok());
  Tensor read;
  ASSERT_TRUE(ReadNpy(path, &read).ok());
  EXPECT_EQ(read.element, Element::kF32);
  EXPECT_THAT(ValuesOf<float>(read.data), ElementsAre(1.5f, -2.0f));
}

TEST(Npy, NamesWhatCannotBeOpened) {
  Tensor tensor;
  EXPECT_THAT(ReadNpy("/nowhere/x.npy", &tensor).message(),
              HasSubstr("/nowhere/x.npy: cannot be opened: No such file"));
  EXPECT_THAT(ReadNpy("/tmp", &tensor).message(), HasSubstr("/tmp: is not a regular file"));
  EXPECT_THAT(WriteNpy("/nowhere/x.npy", Tensor()).message(), HasSubstr("/nowhere/x.npy: cannot be created"));
  EXPECT_THAT(WriteNpy("/dev/full", Tensor()).message(), HasSubstr("/dev/full: cannot be written: No space"));
}

TEST(Tensor, ConvertsWithOneRounding) {
  std::vector<std::byte> data(8);
  const float values[] = {1.0f + 0x1p-8f, 65520.0f};  // ties to even in BF16; beyond FP16's range
  std::memcpy(data.data(), values, 8);
  std::vector<std::byte> bf16 = data;
  ASSERT_TRUE(Convert(Element::kF32, DataType::kBF16, &bf16).ok());
  EXPECT_EQ(ValuesOf<std::uint16_t>(bf16)[0], 0x3f80);
  ASSERT_TRUE(Convert(Element::kF32, DataType::kFP16, &data).ok());
  EXPECT_EQ(ValuesOf<std::uint16_t>(data)[1], 0x7c00);
  EXPECT_EQ(Convert(Element::kF16, DataType::kFP8E4M3, &data).code(), StatusCode::kUnsupported);
}

TEST(Memory, RefusesMoreThanTheMachineHas) {
  EXPECT_TRUE(CheckHostMemory(1, "one byte").ok());
  const Status status = CheckHostMemory(1e18, "the matrices");
  EXPECT_EQ(status.code(), StatusCode::kOutOfMemory);
  EXPECT_THAT(status.message(), HasSubstr("the matrices need 1e+09 GB"));
}

}  // namespace
}  // namespace gemm::io
