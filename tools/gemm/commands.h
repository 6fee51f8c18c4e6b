// The subcommands. Each function adds one to `app`; when the user asked for it, `*command` is what runs it and
// returns the exit code. The options live in the closure.
#pragma once

#include <functional>

namespace CLI {
class App;
}

namespace gemm::tool {

using Command = std::function<int()>;

void AddRunCommand(CLI::App* app, Command* command);
void AddBenchCommand(CLI::App* app, Command* command);
void AddLayerCommand(CLI::App* app, Command* command);
void AddExplainCommand(CLI::App* app, Command* command);
void AddTuneCommand(CLI::App* app, Command* command);
void AddCalibrateCommand(CLI::App* app, Command* command);
void AddCeilingsCommand(CLI::App* app, Command* command);
void AddReportCommand(CLI::App* app, Command* command);
void AddLadderCommand(CLI::App* app, Command* command);
void AddSweepCommand(CLI::App* app, Command* command);
void AddDevicesCommand(CLI::App* app, Command* command);

}  // namespace gemm::tool
