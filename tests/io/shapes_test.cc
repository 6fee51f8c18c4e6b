#include "tools/io/shapes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gemm::io {
namespace {

using testing::HasSubstr;

TEST(Layouts, NamesAndParsingAgree) {
  for (const Layout a : {Layout::kRowMajor, Layout::kColumnMajor}) {
    for (const Layout b : {Layout::kRowMajor, Layout::kColumnMajor}) {
      for (const Layout d : {Layout::kRowMajor, Layout::kColumnMajor}) {
        Layouts parsed;
        ASSERT_TRUE(ParseLayouts(ToString({a, b, d}), &parsed)) << ToString({a, b, d});
        EXPECT_EQ(parsed.a, a);
        EXPECT_EQ(parsed.b, b);
        EXPECT_EQ(parsed.d, d);
      }
    }
  }
  Layouts parsed;
  EXPECT_TRUE(ParseLayouts("mk-kn-mn", &parsed));
  EXPECT_EQ(ToString(parsed), "kn");
  for (const char* text :
       {"", "mk", "nk-mk", "nk-nk", "kn-nm-nm", "-nk", "nk-", "mn-nk", "NK", "nk--mn-mn", "tn"}) {
    EXPECT_FALSE(ParseLayouts(text, &parsed)) << text;
  }
}

TEST(Shapes, ReadsCommentsBlanksAndBatches) {
  std::vector<Shape> shapes;
  const Status status =
      ParseShapes("# head\n\nnk 1 2 3\r\n\tkn  4 5 6 7 # tail\n km-nk 8 9 10", "s.txt", &shapes);
  ASSERT_TRUE(status.ok()) << status.message();
  ASSERT_EQ(shapes.size(), 3u);
  EXPECT_EQ(shapes[0].k, 3);
  EXPECT_EQ(shapes[0].batch, 1);
  EXPECT_EQ(shapes[1].batch, 7);
  EXPECT_EQ(shapes[1].layouts.b, Layout::kRowMajor);
  EXPECT_EQ(shapes[2].layouts.a, Layout::kColumnMajor);
  EXPECT_EQ(shapes[1].where, "s.txt:4");
}

TEST(Shapes, NamesTheBadLine) {
  const auto refusal = [](const char* text) {
    std::vector<Shape> shapes(7);
    const Status status = ParseShapes(text, "s.txt", &shapes);
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
    EXPECT_EQ(shapes.size(), 7u);
    return status.message();
  };
  EXPECT_THAT(refusal("nk 1 2 3\nnk 1 2\n"), HasSubstr("s.txt:2: got 3 words"));
  EXPECT_THAT(refusal("\n\nnk 1 2 3 4 5"), HasSubstr("s.txt:3: got 6 words"));
  EXPECT_THAT(refusal("tn 1 2 3"), HasSubstr("s.txt:1: layout 'tn'; allowed are nk, kn"));
  EXPECT_THAT(refusal("nk 1 x 3"), HasSubstr("s.txt:1: n is 'x'"));
  EXPECT_THAT(refusal("nk 0 2 3"), HasSubstr("s.txt:1: m is '0'"));
  EXPECT_THAT(refusal("nk 1 2 -3"), HasSubstr("s.txt:1: k is '-3'"));
  EXPECT_THAT(refusal("nk 1 2 3.5"), HasSubstr("k is '3.5'"));
  EXPECT_THAT(refusal("nk 1 2 9223372036854775808"), HasSubstr("k is '9223372036854775808'"));
  EXPECT_THAT(refusal("# nothing\n"), HasSubstr("s.txt: lists no product"));
  EXPECT_THAT(refusal(""), HasSubstr("lists no product"));
}

TEST(Shapes, NamesTheFileThatCannotBeRead) {
  std::vector<Shape> shapes;
  EXPECT_THAT(ReadShapes("/nowhere/s.txt", &shapes).message(), HasSubstr("/nowhere/s.txt: cannot be opened"));
}

}  // namespace
}  // namespace gemm::io
