// gemm ladder: starts gemm-ladder, which is a program and a target of its own, so that neither libgemm nor this command is
// built with the teaching kernels.
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "tools/gemm/commands.h"
#include "tools/gemm/exit_code.h"
#include "tools/gemm/flags.h"

namespace gemm::tool {
namespace {

// Beside this program; or where Bazel puts it, seen from tools/gemm/gemm.
constexpr const char* kPlaces[] = {"gemm-ladder", "../../ladder/gemm-ladder"};

int Start(const std::vector<std::string>& arguments) {
  std::error_code error;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
  std::vector<std::string> words = {"gemm-ladder"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  for (const char* place : kPlaces) {
    const std::string path = (program.parent_path() / place).lexically_normal().string();
    if (::access(path.c_str(), X_OK) == 0) ::execv(path.c_str(), argv.data());
  }
  return Fail(kBadInput,
              fmt::format("gemm-ladder is not beside {}; './bazelw build //ladder:gemm-ladder' builds it",
                          program.string()));
}

}  // namespace

void AddLadderCommand(CLI::App* app, Command* command) {
  Subcommand sub(
      app, "ladder",
      "time the write-ups' teaching kernels against libgemm and cuBLASLt, beside the published figures");
  sub.PassesOn(command, Start);
}

}  // namespace gemm::tool
