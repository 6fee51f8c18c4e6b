// gemm report: hands over to tools/report/report.py, which draws machines' reports. A Python program, because the plotting
// library is Python's.
#include <fmt/core.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "tools/gemm/commands.h"
#include "tools/gemm/exit_code.h"
#include "tools/gemm/flags.h"
#include "tools/gemm/runfile.h"

namespace gemm::tool {
namespace {

constexpr const char* kProgram = "tools/report/report.py";
// Debian's packages are for the system's python3, which need not be the first in the path.
constexpr const char* kPython = "/usr/bin/python3";

int Report(const std::vector<std::string>& arguments) {
  const std::string program = FindRunfile(kProgram);
  if (program.empty()) {
    return Fail(kBadInput, fmt::format("{} is not beside this program; run it as {} from the sources", kProgram,
                                       kProgram));
  }
  const bool system = ::access(kPython, X_OK) == 0;
  std::vector<std::string> words = {system ? kPython : "python3", program};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  ::execvp(pointers[0], pointers.data());
  return Fail(kBadInput,
              fmt::format("gemm report needs python3, which cannot be started: {}", std::strerror(errno)));
}

}  // namespace

void AddReportCommand(CLI::App* app, Command* command) {
  // What follows the name is the other program's, --help included.
  Subcommand(app, "report", "draw what machines measured as a page and PNGs").PassesOn(command, Report);
}

}  // namespace gemm::tool
