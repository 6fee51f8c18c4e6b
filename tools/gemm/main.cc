// The command `gemm`.
#include <fmt/core.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <exception>
#include <new>
#include <stdexcept>
#include <string>

#include "gemm/gemm.h"
#include "tools/gemm/commands.h"
#include "tools/gemm/exit_code.h"

namespace gemm::tool {
namespace {

int Main(int argc, char** argv) {
  // `bazel run` starts programs in another folder than the user's, whose files the arguments name.
  const char* folder = std::getenv("BUILD_WORKING_DIRECTORY");
  if (folder != nullptr && ::chdir(folder) != 0) {
    return Fail(kBadInput, fmt::format("BUILD_WORKING_DIRECTORY is {}, where one cannot go", folder));
  }
  CLI::App app(
      fmt::format("libgemm {}: matrix products on NVIDIA GPUs.\n'gemm COMMAND --help' explains a command.",
                  Version()),
      "gemm");
  app.footer(kExitCodesHelp);
  app.set_version_flag("--version", std::string("libgemm ") + Version());
  app.require_subcommand(1);
  Command command;
  AddRunCommand(&app, &command);
  AddBenchCommand(&app, &command);
  AddExplainCommand(&app, &command);
  AddTuneCommand(&app, &command);
  AddCalibrateCommand(&app, &command);
  AddCeilingsCommand(&app, &command);
  AddReportCommand(&app, &command);
  AddLadderCommand(&app, &command);
  AddSweepCommand(&app, &command);
  AddDevicesCommand(&app, &command);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& success) {  // --help, --version
    return app.exit(success);
  } catch (const CLI::ParseError& error) {
    return Fail(kBadInput, std::string(error.what()) + "; see gemm --help");
  }
  return command();
}

}  // namespace
}  // namespace gemm::tool

int main(int argc, char** argv) {
  using gemm::tool::Fail;
  // Nothing below reports by throwing, but memory may run out anywhere.
  try {
    return gemm::tool::Main(argc, argv);
  } catch (const std::bad_alloc&) {
    return Fail(gemm::tool::kOutOfMemory, "no host memory");
  } catch (const std::length_error&) {
    return Fail(gemm::tool::kOutOfMemory, "no host memory");
  } catch (const std::exception& error) {
    return Fail(gemm::tool::kInternal, std::string("unexpected: ") + error.what());
  }
}
