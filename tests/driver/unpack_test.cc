#include "common/driver/unpack.h"

#include <zstd.h>

#include <cstdint>
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

// Little-endian.
std::string Numbers(const std::vector<std::uint64_t>& numbers) {
  std::string bytes;
  for (const std::uint64_t number : numbers) {
    for (int i = 0; i < 8; ++i) bytes.push_back(static_cast<char>(number >> 8 * i & 0xff));
  }
  return bytes;
}

// Numbers, and what follows them, as a frame.
std::string Frame(const std::vector<std::uint64_t>& numbers, const std::string& rest) {
  const std::string all = Numbers(numbers) + rest;
  std::string frame(ZSTD_compressBound(all.size()), '\0');
  frame.resize(ZSTD_compress(frame.data(), frame.size(), all.data(), all.size(), 1));
  return frame;
}

// Two codes that are packed together, and a third against the second of them.
TEST(Unpack, TakesABaseForThePrefix) {
  const std::string like = "a code that is long enough to be found again in another one";
  const std::string base_frame = Frame({2, 2, like.size()}, "ab" + like);
  const std::string all = Numbers({1, like.size() + 1}) + like + "!";
  ZSTD_CCtx* context = ZSTD_createCCtx();
  ASSERT_FALSE(ZSTD_isError(ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1)));
  ASSERT_FALSE(ZSTD_isError(ZSTD_CCtx_refPrefix(context, like.data(), like.size())));
  std::string frame(ZSTD_compressBound(all.size()), '\0');
  frame.resize(ZSTD_compress2(context, frame.data(), frame.size(), all.data(), all.size()));
  ZSTD_freeCCtx(context);
  EXPECT_LT(frame.size(), like.size());

  Code base = Packed(false);
  base.data = base_frame.data();
  base.size = base_frame.size();
  base.part = 1;
  Code code = base;
  code.data = frame.data();
  code.size = frame.size();
  code.part = 0;
  code.base = &base;
  std::string taken;
  ASSERT_TRUE(Unpack(code, &taken).ok());
  EXPECT_EQ(taken, like + "!");
  const auto refused = [&] { return Unpack(code, &taken).code() == StatusCode::kInternal; };
  base.part = 0;  // of which the frame is no continuation
  EXPECT_TRUE(refused());
  base.part = 2;
  EXPECT_TRUE(refused());
  base.part = 1;
  --base.size;
  EXPECT_TRUE(refused());
  code.base = nullptr;
  EXPECT_TRUE(refused());
}

TEST(Unpack, TakesThePartThatIsAskedFor) {
  const std::string frame = Frame({3, 2, 0, 4}, "abcdef");
  const auto part = [&](unsigned short index) -> std::string {
    Code code = Packed();
    code.data = frame.data();
    code.size = frame.size();
    code.part = index;
    std::string taken;
    return Unpack(code, &taken).ok() ? taken : "refused";
  };
  EXPECT_EQ(part(0), "ab");
  EXPECT_EQ(part(1), "");
  EXPECT_EQ(part(2), "cdef");
  EXPECT_EQ(part(3), "refused");
  EXPECT_EQ(part(65535), "refused");
}

TEST(Unpack, GivesPtxItsNumbersBackAndLeavesCubinsAlone) {
  const std::string frame = Frame({2, 9, 4}, "%r~3 %r~2%r~-");
  const auto part = [&](unsigned short index, bool is_ptx) -> std::string {
    Code code = Packed(is_ptx);
    code.data = frame.data();
    code.size = frame.size();
    code.part = index;
    std::string taken;
    return Unpack(code, &taken).ok() ? taken : "refused";
  };
  EXPECT_EQ(part(0, true), "%r3 %r5");
  EXPECT_EQ(part(0, false), "%r~3 %r~2");
  EXPECT_EQ(part(1, true), "refused");
  EXPECT_EQ(part(1, false), "%r~-");
}

TEST(Unpack, RefusesLengthsBeyondTheEnd) {
  constexpr std::uint64_t kMost = ~std::uint64_t{0};
  const auto refuses = [](const std::vector<std::uint64_t>& numbers, const std::string& rest,
                          unsigned short part) {
    const std::string frame = Frame(numbers, rest);
    Code code = Packed();
    code.data = frame.data();
    code.size = frame.size();
    code.part = part;
    std::string taken;
    return Unpack(code, &taken).code() == StatusCode::kInternal;
  };
  EXPECT_FALSE(refuses({2, 1, 2}, "abc", 1));
  EXPECT_TRUE(refuses({}, "", 0));
  EXPECT_TRUE(refuses({}, "short", 0));
  EXPECT_TRUE(refuses({1}, "", 0));
  EXPECT_TRUE(refuses({kMost}, "abc", 0));
  EXPECT_TRUE(refuses({1, 4}, "abc", 0));
  EXPECT_TRUE(refuses({1, kMost}, "abc", 0));
  EXPECT_TRUE(refuses({2, 1, 3}, "abc", 1));
  EXPECT_TRUE(refuses({2, kMost, 1}, "abc", 1));
  EXPECT_TRUE(refuses({2, 4, 0}, "abc", 1));
}

}  // namespace
}  // namespace gemm::driver
