// The command `gemm`.
#include <fmt/core.h>

#include <string>

#include "gemm/gemm.h"
#include "tools/gemm/commands.h"
#include "tools/gemm/program.h"

namespace gemm::tool {
namespace {

int Main(int argc, char** argv) {
  Program program(
      "gemm",
      fmt::format("libgemm {}: matrix products on NVIDIA GPUs.\n'gemm COMMAND --help' explains a command.",
                  Version()));
  program.flags().Version(std::string("libgemm ") + Version());
  program.flags().NeedsSubcommand();
  CLI::App* app = program.app();
  Command command;
  AddRunCommand(app, &command);
  AddBenchCommand(app, &command);
  AddLayerCommand(app, &command);
  AddExplainCommand(app, &command);
  AddTuneCommand(app, &command);
  AddCalibrateCommand(app, &command);
  AddCeilingsCommand(app, &command);
  AddReportCommand(app, &command);
  AddLadderCommand(app, &command);
  AddSweepCommand(app, &command);
  AddDevicesCommand(app, &command);
  return program.Main(argc, argv, [&] { return command(); });
}

}  // namespace
}  // namespace gemm::tool

int main(int argc, char** argv) { return gemm::tool::Main(argc, argv); }
