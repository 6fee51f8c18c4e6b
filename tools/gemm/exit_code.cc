#include "tools/gemm/exit_code.h"

#include <fmt/core.h>

namespace gemm::tool {

const char kExitCodesHelp[] =
    "Exit codes:\n"
    "  0  done, and verified where the command verifies\n"
    "  1  a result missed the error bound\n"
    "  2  bad usage or input: an argument, a file, a problem or a kernel that is refused, or sums past FP32's\n"
    "     range, of which nothing can be verified\n"
    "  3  no usable GPU where one is needed, or its driver refused a call\n"
    "  4  out of host or device memory\n"
    "  5  a defect of libgemm\n"
    "Each failure writes one line to stderr.";

ExitCode ExitCodeOf(StatusCode code) {
  switch (code) {
    case StatusCode::kOk:
      return kOk;
    case StatusCode::kInvalidArgument:
    case StatusCode::kUnsupported:
    case StatusCode::kWorkspaceTooSmall:
      return kBadInput;
    case StatusCode::kWrongDevice:
    case StatusCode::kNoDriver:
    case StatusCode::kDriverTooOld:
    case StatusCode::kNoDevice:
    case StatusCode::kArchitectureTooOld:
    case StatusCode::kDriverError:
      return kNoDevice;
    case StatusCode::kOutOfMemory:
      return kOutOfMemory;
    case StatusCode::kInternal:
      return kInternal;
  }
  return kInternal;
}

std::string OneLine(std::string text) {
  while (!text.empty() && text.back() == '\n') text.pop_back();
  for (std::size_t at = text.find('\n'); at != std::string::npos; at = text.find('\n', at))
    text.replace(at, 1, "; ");
  return text;
}

int Fail(const Status& status) { return Fail(ExitCodeOf(status.code()), status.message()); }

int Fail(ExitCode code, const std::string& sentence) {
  fmt::print(stderr, "gemm: {}\n", OneLine(sentence));
  return code;
}

void FirstFailure::Add(ExitCode code, const std::string& sentence) {
  Fail(code, sentence);
  if (code_ == kOk) code_ = code;
}

}  // namespace gemm::tool
