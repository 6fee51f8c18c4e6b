#include "tools/emulator/driver/report.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "tools/emulator/driver/code.h"
#include "tools/emulator/driver/entry.h"
#include "tools/emulator/ptx/source_lines.h"

namespace emu::driver {

void Record(const std::string& text) {
  State& state = GetState();
  state.last_report = text;
  if (state.settings.report_file.empty()) return;
  std::FILE* file = std::fopen(state.settings.report_file.c_str(), "a");
  if (file == nullptr) {
    std::fprintf(stderr, "emulator: GPU_EMULATOR_REPORT: %s cannot be written\n",
                 state.settings.report_file.c_str());
    state.settings.report_file.clear();
    return;
  }
  std::fputs(text.c_str(), file);
  std::fclose(file);
}

void Report(const std::string& text) {
  std::fputs(text.c_str(), stderr);
  Record(text);
}

CUresult ErrorOf(const Finding& finding) {
  switch (finding.kind) {
    case FindingKind::kOutOfBounds:
      return CUDA_ERROR_ILLEGAL_ADDRESS;
    case FindingKind::kMisaligned:
      return CUDA_ERROR_MISALIGNED_ADDRESS;
    case FindingKind::kTrap:
      // Only the message tells an assertion from a trap.
      return finding.message.find("assertion `") != std::string::npos ? CUDA_ERROR_ASSERT
                                                                      : CUDA_ERROR_LAUNCH_FAILED;
    default:
      return CUDA_ERROR_LAUNCH_FAILED;
  }
}

namespace {

// What the source says to the PTX lines of the message.
std::string SourceLinesOf(const Finding& finding, const std::string& message) {
  for (const auto& [handle, module] : GetState().modules) {
    for (const Image* image : {module->replacement.get(), module->image.get()}) {
      if (image == nullptr || image->module().Find(finding.kernel) == nullptr) continue;
      const std::string& text =
          image == module->replacement.get() ? GetState().settings.replacement : module->code->text;
      return ptx::SourceLines(text, message);
    }
  }
  return "";
}

}  // namespace

void Kill(Context& context, const Finding& finding) {
  const std::string message = ToString(finding);
  Report(message + SourceLinesOf(finding, message) +
         fmt::format("  with GPU_EMULATOR_SEED={}; the context's launches so far: {}\n",
                     GetState().settings.seed, context.launches));
  context.error = ErrorOf(finding);
}

}  // namespace emu::driver

extern "C" {

// Copies the last report, cut to `size` bytes with its terminating zero, and returns its length. 0: there was none.
__attribute__((visibility("default"))) std::size_t emulator_last_report(char* text, std::size_t size) {
  std::lock_guard lock(emu::driver::Mutex());
  const std::string& report = emu::driver::GetState().last_report;
  if (text != nullptr && size > 0) {
    const std::size_t copied = std::min(size - 1, report.size());
    std::memcpy(text, report.data(), copied);
    text[copied] = 0;
  }
  return report.size();
}

// 1. A program that finds this symbol runs on the emulator.
__attribute__((visibility("default"))) int emulator_version() { return 1; }
}
