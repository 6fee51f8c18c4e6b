#include "tools/gemm/program.h"

#include <fmt/core.h>
#include <unistd.h>

#include <cstdlib>
#include <exception>
#include <new>
#include <optional>
#include <stdexcept>

#include "tools/gemm/exit_code.h"

namespace gemm::tool {

Program::Program(const std::string& name, const std::string& help) : app_(MakeApp(name, help)) {
  flags().Footer(kExitCodesHelp);
}

int Program::Main(int argc, char** argv, const std::function<int()>& run) {
  // Nothing below reports by throwing, but memory may run out anywhere.
  try {
    return ParseAndRun(argc, argv, run);
  } catch (const std::bad_alloc&) {
    return Fail(kOutOfMemory, "no host memory");
  } catch (const std::length_error&) {
    return Fail(kOutOfMemory, "no host memory");
  } catch (const std::exception& error) {
    return Fail(kInternal, std::string("unexpected: ") + error.what());
  }
}

int Program::ParseAndRun(int argc, char** argv, const std::function<int()>& run) {
  // `bazel run` starts programs in another folder than the user's, whose files the arguments name.
  const char* folder = std::getenv("BUILD_WORKING_DIRECTORY");
  if (folder != nullptr && ::chdir(folder) != 0) {
    return Fail(kBadInput, fmt::format("BUILD_WORKING_DIRECTORY is {}, where one cannot go", folder));
  }
  const std::optional<int> done = Parse(app(), argc, argv);
  return done ? *done : run();
}

}  // namespace gemm::tool
