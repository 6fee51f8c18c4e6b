#include "tools/gemm/bench/report_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "tools/gemm/bench/report.h"
#include "tools/gemm/exit_code.h"

namespace gemm::tool::bench {
namespace {

using testing::HasSubstr;

// A folder of its own with `bad.json`, which is a folder and so cannot be written.
class ReportFilesTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = testing::TempDir() + "/report_files_XXXXXX";
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
    std::filesystem::create_directory(Path("bad.json"));
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string Path(const std::string& name) const { return (folder_ / name).string(); }
  // The lines of a CSV file, its head included.
  std::size_t Lines(const std::string& name) const {
    std::ifstream file(folder_ / name);
    return static_cast<std::size_t>(std::count(std::istreambuf_iterator<char>(file), {}, '\n'));
  }
  // What Write says on stderr.
  static std::string WriteAndListen(ReportFiles* files, const Report& report) {
    testing::internal::CaptureStderr();
    files->Write(FormatsOf(report));
    return testing::internal::GetCapturedStderr();
  }

  std::filesystem::path folder_;
};

Report ReportOf(std::size_t cases) {
  Report report;
  report.cases.resize(cases);
  return report;
}

TEST_F(ReportFilesTest, OneThatFailsHoldsUpNoOther) {
  ReportFiles files({Path("bad.json"), Path("good.csv")});
  EXPECT_THAT(WriteAndListen(&files, ReportOf(1)), HasSubstr("/bad.json: cannot be created: Is a directory\n"));
  EXPECT_EQ(Lines("good.csv"), 2u);
  EXPECT_EQ(files.ExitCode(kOk), kBadInput);
}

TEST_F(ReportFilesTest, AFailureIsToldOnceAndTriedAgain) {
  ReportFiles files({Path("bad.json")});
  EXPECT_NE(WriteAndListen(&files, ReportOf(1)), "");
  EXPECT_EQ(WriteAndListen(&files, ReportOf(2)), "");
  EXPECT_EQ(files.ExitCode(kOk), kBadInput);
  std::filesystem::remove(Path("bad.json"));
  EXPECT_EQ(WriteAndListen(&files, ReportOf(3)), "");
  EXPECT_TRUE(std::filesystem::is_regular_file(Path("bad.json")));
  EXPECT_EQ(files.ExitCode(kOk), kOk);
}

TEST_F(ReportFilesTest, AVerdictGoesFirst) {
  ReportFiles files({Path("bad.json")});
  WriteAndListen(&files, ReportOf(1));
  EXPECT_EQ(files.ExitCode(kVerificationFailed), kVerificationFailed);
  EXPECT_EQ(ReportFiles({Path("good.csv")}).ExitCode(kNoDevice), kNoDevice);
}

TEST_F(ReportFilesTest, AFolderThatIsNotThereIsRefusedAtOnce) {
  EXPECT_TRUE(ReportFiles({Path("good.csv"), "good.md"}).Check().ok());
  EXPECT_THAT(ReportFiles({Path("good.csv"), Path("none/a.csv")}).Check().message(),
              HasSubstr("/none/a.csv'; there is no folder "));
  EXPECT_THAT(ReportFiles({Path("a.pdf")}).Check().message(), HasSubstr("must end with .csv, .json or .md"));
}

}  // namespace
}  // namespace gemm::tool::bench
