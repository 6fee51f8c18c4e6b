// gemm ladder: starts gemm-ladder.
#include <string>
#include <vector>

#include "tools/gemm/commands.h"
#include "tools/gemm/companion.h"
#include "tools/gemm/flags.h"

namespace gemm::tool {

void AddLadderCommand(CLI::App* app, Command* command) {
  Subcommand sub(
      app, "ladder",
      "time the write-ups' teaching kernels against libgemm and cuBLASLt, beside the published figures");
  sub.PassesOn(command, [](const std::vector<std::string>& arguments) {
    return StartCompanion("gemm-ladder", "ladder", arguments);
  });
}

}  // namespace gemm::tool
