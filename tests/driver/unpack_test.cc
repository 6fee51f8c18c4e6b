#include "common/driver/unpack.h"

#include <zstd.h>

#include <cstddef>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/driver/driver_test_image.h"

namespace gemm::driver {
namespace {

using images::driver_test_image;

const Code& Packed(bool is_ptx = true) {
  for (std::size_t i = 0; i < driver_test_image.count; ++i) {
    const Code& code = driver_test_image.codes[i];
    if (code.is_packed && code.is_ptx == is_ptx) return code;
  }
  ADD_FAILURE() << "no such code is packed";
  return driver_test_image.codes[0];
}

TEST(Unpack, GivesPtx) {
  std::string text;
  ASSERT_TRUE(Unpack(Packed(), &text).ok());
  EXPECT_NE(text.find(".version"), std::string::npos);
  EXPECT_NE(text.find(".entry"), std::string::npos);
  EXPECT_GT(text.size(), Packed().size);
}

TEST(Unpack, GivesCubins) {
  std::string elf;
  ASSERT_TRUE(Unpack(Packed(false), &elf).ok());
  EXPECT_EQ(elf.substr(0, 4), "\177ELF");
  EXPECT_GT(elf.size(), Packed(false).size);
}

TEST(Unpack, RefusesWhatIsDamaged) {
  const auto* data = static_cast<const unsigned char*>(Packed().data);
  const std::vector<unsigned char> good(data, data + Packed().size);
  const auto refuses = [](const std::vector<unsigned char>& bytes) {
    Code code = Packed();
    code.data = bytes.data();
    code.size = bytes.size();
    std::string text;
    const Status status = Unpack(code, &text);
    return status.code() == StatusCode::kInternal && status.message().find("is damaged") != std::string::npos;
  };
  EXPECT_FALSE(refuses(good));
  EXPECT_TRUE(refuses({}));
  EXPECT_TRUE(refuses({good.begin(), good.begin() + 8}));
  EXPECT_TRUE(refuses({good.begin(), good.end() - 1}));
  for (const std::size_t at :
       {std::size_t{0}, std::size_t{7}, std::size_t{8}, good.size() / 2, good.size() - 1}) {
    std::vector<unsigned char> bad = good;
    bad[at] ^= 0x55;
    EXPECT_TRUE(refuses(bad)) << at;
  }
}

// With a checksum, and `base` for its prefix.
std::string Frame(const std::string& packed, const std::string& base = "") {
  ZSTD_CCtx* context = ZSTD_createCCtx();
  EXPECT_FALSE(ZSTD_isError(ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1)));
  EXPECT_FALSE(ZSTD_isError(ZSTD_CCtx_refPrefix(context, base.data(), base.size())));
  std::string frame(ZSTD_compressBound(packed.size()), '\0');
  frame.resize(ZSTD_compress2(context, frame.data(), frame.size(), packed.data(), packed.size()));
  ZSTD_freeCCtx(context);
  return frame;
}

Code CodeOf(const std::string& frame, bool is_ptx, const Code* base = nullptr) {
  Code code = Packed(is_ptx);
  code.data = frame.data();
  code.size = frame.size();
  code.base = base;
  return code;
}

std::string Taken(const Code& code) {
  std::string unpacked;
  return Unpack(code, &unpacked).ok() ? unpacked : "refused";
}

TEST(Unpack, GivesPtxItsNumbersBackAndLeavesCubinsAlone) {
  const std::string numbers = Frame("%r~3 %r~2");
  const std::string no_number = Frame("%r~-");
  EXPECT_EQ(Taken(CodeOf(numbers, true)), "%r3 %r5");
  EXPECT_EQ(Taken(CodeOf(numbers, false)), "%r~3 %r~2");
  EXPECT_EQ(Taken(CodeOf(no_number, true)), "refused");
  EXPECT_EQ(Taken(CodeOf(no_number, false)), "%r~-");
  const std::string empty = Frame("");
  EXPECT_EQ(Taken(CodeOf(empty, false)), "");
}

// As it was packed: with numbers as differences.
TEST(Unpack, TakesABaseForThePrefix) {
  const std::string like = "a code that is long enough to be found again in others, with %r~3 and %r~2";
  const std::string first = Frame(like);
  const std::string second = Frame(like + " once", like);
  const std::string third = Frame(like + " once, twice", like + " once");
  EXPECT_LT(second.size(), like.size());
  EXPECT_LT(third.size(), like.size());
  const Code base = CodeOf(first, true);
  const Code middle = CodeOf(second, true, &base);
  EXPECT_EQ(Taken(base), "a code that is long enough to be found again in others, with %r3 and %r5");
  EXPECT_EQ(Taken(middle), Taken(base) + " once");
  EXPECT_EQ(Taken(CodeOf(third, true, &middle)), Taken(base) + " once, twice");

  // Without its base, with another's, and with one that is damaged.
  EXPECT_EQ(Taken(CodeOf(second, true)), "refused");
  const std::string other = Frame("b" + like.substr(1));
  const Code wrong = CodeOf(other, true);
  EXPECT_EQ(Taken(CodeOf(second, true, &wrong)), "refused");
  EXPECT_EQ(Taken(CodeOf(third, true, &base)), "refused");
  Code cut = base;
  --cut.size;
  EXPECT_EQ(Taken(CodeOf(second, true, &cut)), "refused");
  const Code on_cut = CodeOf(second, true, &cut);
  EXPECT_EQ(Taken(CodeOf(third, true, &on_cut)), "refused");
}

}  // namespace
}  // namespace gemm::driver
