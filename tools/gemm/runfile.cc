#include "tools/gemm/runfile.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>

namespace gemm::tool {

std::vector<std::string> RunfileCandidates(const std::string& path) {
  std::vector<std::string> candidates;
  std::error_code error;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
  if (!error) {
    candidates.push_back(program.string() + ".runfiles/libgemm/" + path);
    // A bundle is laid out as the runfiles are: <root>/tools/gemm/gemm.
    candidates.push_back((program.parent_path() / "../.." / path).lexically_normal().string());
  }
  const std::filesystem::path here = std::filesystem::current_path(error);
  if (!error) candidates.push_back((here / path).string());
  if (const char* root = std::getenv("TEST_SRCDIR"); root != nullptr)
    candidates.push_back(std::string(root) + "/libgemm/" + path);
  return candidates;
}

std::string FindRunfile(const std::string& path) {
  for (const std::string& candidate : RunfileCandidates(path)) {
    if (::access(candidate.c_str(), R_OK) == 0) return candidate;
  }
  return std::string();
}

}  // namespace gemm::tool
