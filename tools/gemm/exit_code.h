// The exit codes of `gemm`, and how it reports a failure.
#pragma once

#include <string>

#include "gemm/status.h"

namespace gemm::tool {

enum ExitCode : int {
  kOk = 0,
  kVerificationFailed = 1,
  kBadInput = 2,     // usage, a file, a problem or a kernel that is refused
  kNoDevice = 3,     // no driver, no device, one too old, or the driver refused a call
  kOutOfMemory = 4,  // on the host or on the device
  kInternal = 5,     // a defect of libgemm or of this command
};

// The table above for --help.
extern const char kExitCodesHelp[];

ExitCode ExitCodeOf(StatusCode code);

// `text` on one line: line ends become "; ".
std::string OneLine(std::string text);

// Writes "gemm: <sentence>" on one line of stderr and returns the exit code that fits.
int Fail(const Status& status);
int Fail(ExitCode code, const std::string& sentence);

// Where several things may fail: writes each, and keeps the first one's exit code.
class FirstFailure {
 public:
  void Add(ExitCode code, const std::string& sentence);
  int code() const { return code_; }

 private:
  int code_ = kOk;
};

}  // namespace gemm::tool
