#include "tools/gemm/bench/formats.h"

#include <fmt/core.h>

#include "tools/io/write_file.h"

namespace gemm::tool::bench {
namespace {

bool EndsWith(const std::string& text, const std::string& end) {
  return text.size() > end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

}  // namespace

Status CheckPath(const std::string& path) {
  if (EndsWith(path, ".csv") || EndsWith(path, ".json") || EndsWith(path, ".md")) return Status();
  return Status(StatusCode::kInvalidArgument,
                fmt::format("--out is '{}'; it must end with .csv, .json or .md", path));
}

Status Write(const Formats& formats, const std::string& path) {
  Status status = CheckPath(path);
  if (!status.ok()) return status;
  const std::string text = EndsWith(path, ".csv")    ? formats.csv()
                           : EndsWith(path, ".json") ? formats.json()
                                                     : formats.markdown();
  return io::WriteFile(path, text, "");
}

}  // namespace gemm::tool::bench
