// The files of --out, while products are timed.
#pragma once

#include <string>
#include <vector>

#include "gemm/status.h"
#include "tools/gemm/bench/formats.h"

namespace gemm::tool::bench {

// Written after each product, so that a run that is cut off leaves what it has measured. A file that cannot be written stays as it was
// and is tried again after the next product: measuring costs more than the file, and a disk may have room again.
class ReportFiles {
 public:
  explicit ReportFiles(const std::vector<std::string>& paths);

  // Refuses a path whose extension says no format, or whose folder is not there.
  Status Check() const;
  // Writes every file; one that fails, and did not the last time, is a line on stderr.
  void Write(const Formats& report);
  // The command's exit code: `verdict`, or where that is kOk, what the first file says that could not be written the last time.
  int ExitCode(int verdict) const;

 private:
  struct File {
    std::string path;
    Status status;  // of the last time
  };
  std::vector<File> files_;
};

}  // namespace gemm::tool::bench
