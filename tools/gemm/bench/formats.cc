#include "tools/gemm/bench/formats.h"

#include <fmt/core.h>

#include "tools/io/write_file.h"

namespace gemm::tool::bench {

Status CheckPath(const std::string& path) {
  if (path.ends_with(".csv") || path.ends_with(".json") || path.ends_with(".md")) return Status();
  return Status(StatusCode::kInvalidArgument,
                fmt::format("--out is '{}'; it must end with .csv, .json or .md", path));
}

Status Write(const Formats& formats, const std::string& path) {
  Status status = CheckPath(path);
  if (!status.ok()) return status;
  const std::string text = path.ends_with(".csv")    ? formats.csv()
                           : path.ends_with(".json") ? formats.json()
                                                     : formats.markdown();
  return io::WriteFile(path, text, "");
}

}  // namespace gemm::tool::bench
