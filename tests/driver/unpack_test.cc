#include "common/driver/unpack.h"

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

}  // namespace
}  // namespace gemm::driver
