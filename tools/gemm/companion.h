// Subcommands that are programs and targets of their own, so that neither libgemm nor this command is built with their kernels.
#pragma once

#include <string>
#include <vector>

namespace gemm::tool {

// Becomes the program `name` with these arguments: the one beside this program, or the one in `folder`, where Bazel puts it.
// Returns an exit code where there is none, having said that `./bazelw build //<folder>:<name>` makes it.
int StartCompanion(const std::string& name, const std::string& folder,
                   const std::vector<std::string>& arguments);

}  // namespace gemm::tool
