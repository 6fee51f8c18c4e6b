#include "tests/emulator/recorded/recording.h"

#include <cstdio>
#include <fstream>

namespace gemm::recorded {
namespace {

const std::string kError = "error ";

bool FromHexadecimal(const std::string& text, std::vector<std::uint32_t>* words) {
  if (text.empty() || text.size() % 8 != 0) return false;
  if (text.find_first_not_of("0123456789abcdef") != std::string::npos) return false;
  for (std::size_t at = 0; at < text.size(); at += 8) {
    words->push_back(static_cast<std::uint32_t>(std::stoul(text.substr(at, 8), nullptr, 16)));
  }
  return true;
}

}  // namespace

std::string ToLine(const std::string& name, const Result& result) {
  std::string line = name + " ";
  if (result.unknown) return line + "-";
  if (!result.error.empty()) return line + kError + result.error;
  char digits[9];
  for (const std::uint32_t word : result.words) {
    std::snprintf(digits, sizeof digits, "%08x", word);
    line += digits;
  }
  return line;
}

bool FromLine(const std::string& line, std::string* name, Result* result) {
  const std::size_t space = line.find(' ');
  if (space == std::string::npos || space == 0) return false;
  *name = line.substr(0, space);
  *result = {};
  const std::string rest = line.substr(space + 1);
  if (rest == "-") {
    result->unknown = true;
  } else if (rest.rfind(kError, 0) == 0) {
    result->error = rest.substr(kError.size());
  } else {
    return FromHexadecimal(rest, &result->words);
  }
  return true;
}

std::map<std::string, Result> ReadRecording(const std::string& path, std::vector<std::string>* bad) {
  std::map<std::string, Result> recording;
  std::ifstream file(path);
  if (!file.good()) bad->push_back("cannot read " + path);
  for (std::string line; std::getline(file, line);) {
    std::string name;
    Result result;
    if (FromLine(line, &name, &result)) {
      recording[name] = result;
    } else {
      bad->push_back(line.substr(0, 40));
    }
  }
  return recording;
}

}  // namespace gemm::recorded
