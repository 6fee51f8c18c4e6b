#include "tests/emulator/recorded/apart.h"

#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/driver/driver.h"
#include "tests/emulator/recorded/experiments.h"
#include "tools/gpu/gpu.h"

namespace gemm::recorded {
namespace {

constexpr int kHangMilliseconds = 120'000;  // the first experiment of a child compiles the PTX
constexpr char kNoGpu = '!';                // begins a line that says why there is none

void Write(int to, const std::string& line) {
  for (std::size_t done = 0; done < line.size();) {
    const ssize_t wrote = ::write(to, line.data() + done, line.size() - done);
    if (wrote <= 0) ::_exit(1);
    done += static_cast<std::size_t>(wrote);
  }
}

std::string WhyNotHere() {
  if (const std::string why = gpu::WhyNoGpu(); !why.empty()) return why;
  int major = 0, minor = 0;
  Status status = driver::DeviceAttribute(0, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, &major);
  if (status.ok()) status = driver::DeviceAttribute(0, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, &minor);
  if (!status.ok()) return status.message();
  return major == 9 && minor == 0 ? "" : "no GPU of compute capability 9.0";
}

// "cuCtxSynchronize failed: CUDA_ERROR_... (text)": the error's name.
std::string ErrorName(const std::string& message) {
  const std::size_t at = message.find("CUDA_ERROR_");
  if (at != std::string::npos) {
    return message.substr(at, message.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789", at) - at);
  }
  std::string name = message;
  for (char& c : name) c = c == ' ' || c == '\n' ? '_' : c;
  return name;
}

// The child: a line for each experiment from `next` on, the first that fails the last.
[[noreturn]] void RunFrom(std::size_t next, int to) {
  if (const std::string why = WhyNotHere(); !why.empty()) {
    Write(to, kNoGpu + why + "\n");
    ::_exit(0);
  }
  const driver::ContextScope scope(0);
  for (; next < Experiments().size(); ++next) {
    const Experiment& experiment = Experiments()[next];
    Result result;
    const Status status = scope.status().ok() ? experiment.run(experiment, &result.words) : scope.status();
    if (!status.ok()) result.error = ErrorName(status.message());
    Write(to, ToLine(experiment.name, result) + "\n");
    if (!status.ok()) ::_exit(0);
  }
  ::_exit(0);
}

// The next line of the child, without its end. False: it has ended, or hangs; `*hangs` tells.
bool ReadLine(int from, std::string* rest, std::string* line, bool* hangs) {
  for (;;) {
    if (const std::size_t end = rest->find('\n'); end != std::string::npos) {
      *line = rest->substr(0, end);
      rest->erase(0, end + 1);
      return true;
    }
    pollfd wait = {from, POLLIN, 0};
    *hangs = ::poll(&wait, 1, kHangMilliseconds) == 0;
    if (*hangs) return false;
    char buffer[65536];
    const ssize_t got = ::read(from, buffer, sizeof buffer);
    if (got <= 0) return false;
    rest->append(buffer, static_cast<std::size_t>(got));
  }
}

}  // namespace

std::string RunAll(const std::function<void(const std::string& name, const Result& result)>& take) {
  const std::size_t count = Experiments().size();
  for (std::size_t next = 0; next < count;) {
    int ends[2];
    if (::pipe(ends) != 0) return "no pipe";
    const pid_t child = ::fork();
    if (child < 0) return "no process";
    if (child == 0) {
      ::close(ends[0]);
      RunFrom(next, ends[1]);
    }
    ::close(ends[1]);
    std::string rest, line, why;
    bool hangs = false, refused = false;
    while (next < count && why.empty() && ReadLine(ends[0], &rest, &line, &hangs)) {
      std::string name;
      Result result;
      if (line[0] == kNoGpu) {
        why = line.substr(1);
      } else if (FromLine(line, &name, &result)) {
        take(name, result);
        refused = !result.error.empty();
        ++next;
      }
    }
    if (hangs) ::kill(child, SIGKILL);
    ::close(ends[0]);
    ::waitpid(child, nullptr, 0);
    if (!why.empty()) return why;
    // Ended without a word: the experiment that it was at did that.
    if (next < count && !refused)
      take(Experiments()[next++].name, {{}, hangs ? "HANGS" : "ENDS_THE_PROCESS", false});
  }
  return "";
}

}  // namespace gemm::recorded
