// Runs the built gemm command as a user would.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace gemm::tool {

struct Outcome {
  int code = -1;  // exit code; 128 + signal when it was killed
  std::string out;
  std::string err;
};

struct Surroundings {
  std::vector<std::string> environment;  // "NAME=value"
  bool driver = false;                   // the fake driver is there
  bool real = false;                     // the machine's own libraries are used instead, whatever they are
  std::size_t address_space = 0;         // bytes that the process may map; 0: no limit
  std::size_t file_size = 0;             // bytes up to which a file may grow, as on a full disk; 0: no limit
};

// Arguments are passed as they are. libcuda.so.1 is hidden unless surroundings ask for the fake one, so that
// the tests mean the same on a machine with a GPU.
Outcome RunGemm(const std::vector<std::string>& arguments, const Surroundings& surroundings = {});

// A file of this test's runfiles, by its path from the workspace; "../repository/file" for others.
std::string Runfile(const std::string& path);
// A path below the test's temporary folder, after writing `content` there.
std::string WriteTemporary(const std::string& name, const std::string& content);
std::string ReadWhole(const std::string& path);

}  // namespace gemm::tool
