// The PTX that the compilers made of the project's kernels.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

namespace emu::ptx {

struct RealFile {
  std::string path, text;
};

// The files that PTX_FILES names.
inline std::vector<RealFile> RealFiles() {
  std::vector<RealFile> files;
  const char* names = std::getenv("PTX_FILES");
  std::istringstream paths(names == nullptr ? "" : names);
  for (std::string path; paths >> path;) {
    std::ifstream stream(path, std::ios::binary);
    std::string text{std::istreambuf_iterator<char>(stream), {}};
    EXPECT_FALSE(text.empty()) << path;
    files.push_back({path, std::move(text)});
  }
  EXPECT_FALSE(files.empty()) << "PTX_FILES names no file";
  return files;
}

}  // namespace emu::ptx
