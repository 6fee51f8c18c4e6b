#include "tools/gemm/companion.h"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>

#include "tools/gemm/exit_code.h"

namespace gemm::tool {

int StartCompanion(const std::string& name, const std::string& folder,
                   const std::vector<std::string>& arguments) {
  std::error_code error;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
  std::vector<std::string> words = {name};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  // Bazel has this program in tools/gemm.
  for (const std::string& place : {name, "../../" + folder + "/" + name}) {
    const std::string path = (program.parent_path() / place).lexically_normal().string();
    if (::access(path.c_str(), X_OK) == 0) ::execv(path.c_str(), argv.data());
  }
  return Fail(kBadInput, fmt::format("{} is not beside {}; './bazelw build //{}:{}' builds it", name,
                                     program.string(), folder, name));
}

}  // namespace gemm::tool
