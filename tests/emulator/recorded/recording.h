// What a GPU gave, as lines of a file.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace gemm::recorded {

// A line is the experiment's name, a space, and one of
//   0123abcd...   the words in hexadecimal without separators
//   error NAME    the GPU refused it: CUDA_ERROR_ILLEGAL_INSTRUCTION, ...
//   -             no GPU has run it yet
struct Result {
  std::vector<std::uint32_t> words;
  std::string error;
  bool unknown = false;
};

std::string ToLine(const std::string& name, const Result& result);
bool FromLine(const std::string& line, std::string* name, Result* result);

// By name. `bad`: the beginnings of lines that are none.
std::map<std::string, Result> ReadRecording(const std::string& path, std::vector<std::string>* bad);

}  // namespace gemm::recorded
