#include "tools/gemm/bench/report_files.h"

#include "tools/gemm/exit_code.h"
#include "tools/io/write_file.h"

namespace gemm::tool::bench {

ReportFiles::ReportFiles(const std::vector<std::string>& paths) {
  for (const std::string& path : paths) files_.push_back({path, Status()});
}

Status ReportFiles::Check() const {
  for (const File& file : files_) {
    if (const Status status = CheckPath(file.path); !status.ok()) return status;
    if (const Status status = io::CheckFolder("--out", file.path); !status.ok()) return status;
  }
  return Status();
}

void ReportFiles::Write(const Formats& report) {
  for (File& file : files_) {
    const Status status = bench::Write(report, file.path);
    if (!status.ok() && file.status.ok()) Fail(status);
    file.status = status;
  }
}

int ReportFiles::ExitCode(int verdict) const {
  if (verdict != kOk) return verdict;
  for (const File& file : files_) {
    if (!file.status.ok()) return ExitCodeOf(file.status.code());
  }
  return kOk;
}

}  // namespace gemm::tool::bench
