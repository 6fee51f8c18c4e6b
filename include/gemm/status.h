// How libgemm reports errors: a code to branch on and a sentence to read.
#pragma once

#include <string>
#include <utility>

namespace gemm {

enum class StatusCode : int {
  kOk = 0,
  kInvalidArgument,     // an argument breaks a rule stated at its declaration
  kUnsupported,         // the arguments are well-formed, but no kernel of this version computes them
  kWorkspaceTooSmall,   // Arguments::workspace is null or smaller than Plan::workspace_size()
  kWrongDevice,         // the current context belongs to another device than the plan
  kNoDriver,            // libcuda.so.1 is not on this machine
  kDriverTooOld,        // libcuda.so.1 lacks a function that libgemm needs, or cannot load its images
  kNoDevice,            // the driver sees no device, or not the one asked for
  kArchitectureTooOld,  // the device is older than compute capability 8.0
  kOutOfMemory,         // host or device memory ran out
  kDriverError,         // the CUDA driver refused a call; the sentence names the call and its error
  kInternal,            // a defect of libgemm
};

// "OK", "INVALID_ARGUMENT", ...: the code's name without its k, in capitals. Static storage.
const char* Name(StatusCode code) noexcept;

// The outcome of a call. A value: copying an OK status allocates nothing, and no function of libgemm throws.
// A failed status carries one sentence that names the argument, what was got, and what is allowed.
class [[nodiscard]] Status {
 public:
  Status() noexcept = default;
  Status(StatusCode code, std::string message) noexcept : code_(code), message_(std::move(message)) {}

  bool ok() const noexcept { return code_ == StatusCode::kOk; }
  StatusCode code() const noexcept { return code_; }
  const std::string& message() const noexcept { return message_; }

 private:
  StatusCode code_ = StatusCode::kOk;
  std::string message_;
};

}  // namespace gemm
