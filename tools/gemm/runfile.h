// Files that travel with the program: Bazel's runfiles.
#pragma once

#include <string>
#include <vector>

namespace gemm::tool {

// Where a file of the workspace may lie, the likeliest place first: among this program's runfiles, in the current folder (`bazel
// run` and `bazel test` start programs in their runfiles), among the test's.
std::vector<std::string> RunfileCandidates(const std::string& path);

// The first of them that can be read; empty when there is none.
std::string FindRunfile(const std::string& path);

}  // namespace gemm::tool
