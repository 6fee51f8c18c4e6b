// gemm sweep: starts gemm-sweep.
#include <string>
#include <vector>

#include "tools/gemm/commands.h"
#include "tools/gemm/companion.h"
#include "tools/gemm/flags.h"

namespace gemm::tool {

void AddSweepCommand(CLI::App* app, Command* command) {
  Subcommand sub(app, "sweep", "time FP32 kernels of many tile, warp and thread shapes");
  sub.PassesOn(command, [](const std::vector<std::string>& arguments) {
    return StartCompanion("gemm-sweep", "tools/sweep", arguments);
  });
}

}  // namespace gemm::tool
