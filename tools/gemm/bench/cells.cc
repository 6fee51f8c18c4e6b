#include "tools/gemm/bench/cells.h"

#include <fmt/format.h>

#include "tools/gemm/problem.h"

namespace gemm::tool::bench {
namespace {

std::string Field(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

}  // namespace

std::string Number(std::optional<double> value, const char* format, const char* absent) {
  return value && *value > 0 ? fmt::format(fmt::runtime(format), *value) : absent;
}

std::string TypesText(const Problem& problem) {
  if (problem.a.type == problem.d.type) return InputName(problem);
  return fmt::format("{}>{}", InputName(problem), Name(problem.d.type));
}

std::string CsvLine(const std::vector<std::string>& fields) {
  std::string line;
  for (const std::string& field : fields) line += Field(field) + ",";
  if (!line.empty()) line.pop_back();
  return line + "\n";
}

}  // namespace gemm::tool::bench
