#include "tools/io/write_file.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace gemm::io {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// A folder of its own, so that a test sees every file that is left.
class WriteFileTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = testing::TempDir() + "/write_file_XXXXXX";
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string Path(const std::string& name) const { return (folder_ / name).string(); }
  std::vector<std::string> Names() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder_))
      names.push_back(entry.path().filename().string());
    return names;
  }
  std::string Text(const std::string& name) const {
    std::ifstream file(folder_ / name, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
  }

  std::filesystem::path folder_;
};

// While it lives no file grows past so many bytes, as on a full disk.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    EXPECT_EQ(::getrlimit(RLIMIT_FSIZE, &before_), 0);
    const rlimit limit = {bytes, before_.rlim_max};
    EXPECT_EQ(::setrlimit(RLIMIT_FSIZE, &limit), 0);
  }
  ~FileSizeLimit() {
    EXPECT_EQ(::setrlimit(RLIMIT_FSIZE, &before_), 0);
    (void)std::signal(SIGXFSZ, handler_);
  }

 private:
  void (*handler_)(int);
  rlimit before_ = {};
};

TEST_F(WriteFileTest, CreatesAndReplaces) {
  ASSERT_TRUE(WriteFile(Path("a"), "head ", "body").ok());
  EXPECT_EQ(Text("a"), "head body");
  ASSERT_TRUE(WriteFile(Path("a"), "", "less").ok());
  EXPECT_EQ(Text("a"), "less");
  EXPECT_THAT(Names(), ElementsAre("a"));
}

TEST_F(WriteFileTest, KeepsWhoMayReadIt) {
  ASSERT_TRUE(WriteFile(Path("a"), "old", "").ok());
  ASSERT_EQ(::chmod(Path("a").c_str(), 0640), 0);
  ASSERT_TRUE(WriteFile(Path("a"), "new", "").ok());
  struct stat info = {};
  ASSERT_EQ(::stat(Path("a").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777, 0640u);
}

TEST_F(WriteFileTest, AFullDiskLeavesWhatWasThere) {
  ASSERT_TRUE(WriteFile(Path("a"), "whole", "").ok());
  Status status;
  {
    const FileSizeLimit limit(8);
    status = WriteFile(Path("a"), "more than ", "eight bytes");
  }
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(status.message(), HasSubstr("/a: cannot be written: File too large"));
  EXPECT_EQ(Text("a"), "whole");
  EXPECT_THAT(Names(), ElementsAre("a"));
}

TEST_F(WriteFileTest, AFullDiskLeavesNoNewFile) {
  {
    const FileSizeLimit limit(8);
    EXPECT_FALSE(WriteFile(Path("a"), "more than ", "eight bytes").ok());
  }
  EXPECT_THAT(Names(), ElementsAre());
}

TEST_F(WriteFileTest, WhatAKilledProcessLeftIsWrittenOver) {
  ASSERT_TRUE(WriteFile(Path("a.part"), "longer than what is written now", "").ok());
  ASSERT_TRUE(WriteFile(Path("a"), "new", "").ok());
  EXPECT_EQ(Text("a"), "new");
  EXPECT_THAT(Names(), ElementsAre("a"));
}

TEST_F(WriteFileTest, AFolderIsRefusedAndStays) {
  ASSERT_TRUE(std::filesystem::create_directory(Path("a")));
  EXPECT_THAT(WriteFile(Path("a"), "x", "").message(), HasSubstr("/a: cannot be created: Is a directory"));
  EXPECT_TRUE(std::filesystem::is_directory(Path("a")));
  EXPECT_THAT(Names(), ElementsAre("a"));
}

// Where the .part file cannot be made, here because a folder has its name, the file is not touched.
TEST_F(WriteFileTest, NoRoomBesideItLeavesWhatWasThere) {
  ASSERT_TRUE(WriteFile(Path("a"), "old", "").ok());
  ASSERT_TRUE(std::filesystem::create_directory(Path("a.part")));
  EXPECT_THAT(WriteFile(Path("a"), "new", "").message(),
              HasSubstr("/a: cannot be created, first as .part beside it: Is a directory"));
  EXPECT_EQ(Text("a"), "old");
  EXPECT_TRUE(std::filesystem::is_directory(Path("a.part")));
}

// No file has the empty name, so nothing can be renamed to it.
TEST_F(WriteFileTest, ARenameThatFailsLeavesNoPart) {
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(folder_);
  const Status status = WriteFile("", "x", "");
  std::filesystem::current_path(before);
  EXPECT_THAT(status.message(), HasSubstr(": cannot be replaced: No such file"));
  EXPECT_THAT(Names(), ElementsAre());
}

TEST_F(WriteFileTest, WritesThroughALink) {
  ASSERT_TRUE(WriteFile(Path("a"), "old", "").ok());
  std::filesystem::create_symlink("a", Path("b"));
  ASSERT_TRUE(WriteFile(Path("b"), "new", "").ok());
  EXPECT_EQ(Text("a"), "new");
  EXPECT_TRUE(std::filesystem::is_symlink(Path("b")));
  EXPECT_FALSE(std::filesystem::exists(Path("b.part")));
}

TEST_F(WriteFileTest, WritesIntoAPipe) {
  ASSERT_EQ(::mkfifo(Path("a").c_str(), 0600), 0);
  const int reader = ::open(Path("a").c_str(), O_RDONLY | O_NONBLOCK);
  ASSERT_GE(reader, 0);
  EXPECT_TRUE(WriteFile(Path("a"), "head ", "body").ok());
  char text[16] = {};
  EXPECT_EQ(::read(reader, text, sizeof text), 9);
  EXPECT_STREQ(text, "head body");
  ::close(reader);
  EXPECT_TRUE(std::filesystem::is_fifo(Path("a")));
  EXPECT_THAT(Names(), ElementsAre("a"));
}

TEST_F(WriteFileTest, WritesToDevices) {
  EXPECT_TRUE(WriteFile("/dev/null", "x", "").ok());
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
  EXPECT_THAT(WriteFile("/dev/full", "x", "").message(), HasSubstr("/dev/full: cannot be written: No space"));
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/full"));
}

TEST_F(WriteFileTest, AFolderThatIsNotThereIsFoundBefore) {
  EXPECT_TRUE(CheckFolder("--out", Path("x")).ok());
  EXPECT_TRUE(CheckFolder("--out", "x").ok());
  EXPECT_TRUE(CheckFolder("--out", "").ok());
  EXPECT_EQ(CheckFolder("--out", Path("none/x")).message(),
            "--out is '" + Path("none/x") + "'; there is no folder " + Path("none"));
}

}  // namespace
}  // namespace gemm::io
