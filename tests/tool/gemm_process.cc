#include "tests/tool/gemm_process.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iterator>

namespace gemm::tool {
namespace {

void Redirect(const std::string& path, int descriptor) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (file < 0 || ::dup2(file, descriptor) < 0) ::_exit(126);
}

void Limit(decltype(RLIMIT_AS) resource, std::size_t bytes) {
  const rlimit limit = {bytes, bytes};
  if (bytes != 0 && ::setrlimit(resource, &limit) != 0) ::_exit(125);
}

[[noreturn]] void Execute(const std::vector<std::string>& arguments, const Surroundings& surroundings) {
  // A folder in front of the loader's own; the fake libraries lie in it, or one of them is replaced by nothing
  // usable.
  const std::string folder =
      surroundings.driver ? Runfile("tests/fake_driver") : Runfile("tests/tool/no_driver");
  if (!surroundings.real) ::setenv("LD_LIBRARY_PATH", (folder + ":" + Runfile("tests/nvml")).c_str(), 1);
  ::unsetenv("LIBGEMM_KERNEL");
  ::unsetenv("BUILD_WORKING_DIRECTORY");
  for (const std::string& assignment : surroundings.environment) {
    const std::size_t equals = assignment.find('=');
    ::setenv(assignment.substr(0, equals).c_str(), assignment.c_str() + equals + 1, 1);
  }
  const std::string binary = Runfile("tools/gemm/gemm");
  std::vector<char*> pointers = {const_cast<char*>("gemm")};
  for (const std::string& argument : arguments) pointers.push_back(const_cast<char*>(argument.c_str()));
  pointers.push_back(nullptr);
  Limit(RLIMIT_AS, surroundings.address_space);
  // A write past the limit fails, as on a full disk, and kills nobody.
  if (surroundings.file_size != 0) (void)std::signal(SIGXFSZ, SIG_IGN);
  Limit(RLIMIT_FSIZE, surroundings.file_size);
  ::execv(binary.c_str(), pointers.data());
  ::_exit(127);
}

}  // namespace

std::string Runfile(const std::string& path) {
  const char* root = std::getenv("TEST_SRCDIR");
  const char* workspace = std::getenv("TEST_WORKSPACE");
  return std::string(root != nullptr ? root : ".") + "/" + (workspace != nullptr ? workspace : "") + "/" + path;
}

std::string WriteTemporary(const std::string& name, const std::string& content) {
  const std::string path = testing::TempDir() + "/" + name;
  std::ofstream(path, std::ios::binary) << content;
  return path;
}

std::string ReadWhole(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

Outcome RunGemm(const std::vector<std::string>& arguments, const Surroundings& surroundings) {
  const std::string out = testing::TempDir() + "/stdout.txt";
  const std::string err = testing::TempDir() + "/stderr.txt";
  const pid_t child = ::fork();
  if (child == 0) {
    Redirect(out, STDOUT_FILENO);
    Redirect(err, STDERR_FILENO);
    Execute(arguments, surroundings);
  }
  int status = 0;
  Outcome outcome;
  if (child < 0 || ::waitpid(child, &status, 0) != child) return outcome;
  outcome.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  outcome.out = ReadWhole(out);
  outcome.err = ReadWhole(err);
  return outcome;
}

}  // namespace gemm::tool
