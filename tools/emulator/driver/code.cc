// Recognising device code, and saying why it cannot be used.
#include "tools/emulator/driver/code.h"

#include <elf.h>
#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <optional>
#include <sstream>

#include "tools/emulator/driver/fatbin.h"
#include "tools/emulator/driver/report.h"

namespace emu::driver {
namespace {

constexpr const char* kPtxOnly = "this is an emulated GPU: PTX only";

// The word behind a directive that begins a line: ".target sm_90a, texmode_unified" gives "sm_90a".
std::string WordBehind(const std::string& text, const char* directive) {
  for (std::size_t at = text.find(directive); at != std::string::npos; at = text.find(directive, at + 1)) {
    const std::size_t line = at == 0 ? 0 : text.find_last_of('\n', at - 1) + 1;
    if (text.find("//", line) < at) continue;
    const std::size_t begin = text.find_first_not_of(" \t", at + std::strlen(directive));
    if (begin == std::string::npos) return "";
    return text.substr(begin, text.find_first_of(" \t\r\n,;/", begin) - begin);
  }
  return "";
}

std::string AsReport(const std::string& message) {
  return message.rfind("emulator:", 0) == 0 ? message : "emulator: " + message + "\n";
}

struct Target {
  int major = 0, minor = 0;
  char letter = 0;  // 'a': this architecture alone; 'f': its family; 0: none
};

std::optional<Target> ParseTarget(const std::string& name) {
  if (name.rfind("sm_", 0) != 0) return std::nullopt;
  std::size_t end = 3;
  int number = 0;
  for (; end < name.size() && name[end] >= '0' && name[end] <= '9' && number < 1000; ++end) {
    number = 10 * number + (name[end] - '0');
  }
  const std::string letter = name.substr(end);
  if (number < 10 || (letter != "" && letter != "a" && letter != "f")) return std::nullopt;
  return Target{number / 10, number % 10, letter.empty() ? '\0' : letter[0]};
}

CUresult ReadText(std::string text, Bodies bodies, JitLog& log, std::shared_ptr<const Code>* code) {
  auto read = std::make_shared<Code>();
  read->text = std::move(text);
  read->target = WordBehind(read->text, ".target");
  int major = 0, minor = 0;
  const std::string version = WordBehind(read->text, ".version");
  if (std::sscanf(version.c_str(), "%d.%d", &major, &minor) != 2 || read->target.empty()) {
    log.Error("neither PTX (it needs .version and .target) nor a fat binary; " + std::string(kPtxOnly));
    return CUDA_ERROR_INVALID_IMAGE;
  }
  read->version = 10 * major + minor;
  if (major > 9) {
    log.Error(fmt::format("PTX ISA {} is newer than 9", version));
    return CUDA_ERROR_UNSUPPORTED_PTX_VERSION;
  }
  if (!ParseTarget(read->target)) {
    log.Error(fmt::format(".target {} is not known", read->target));
    return CUDA_ERROR_INVALID_PTX;
  }
  try {
    read->module = bodies == Bodies::kAtOnce ? ptx::Parse(read->text) : ptx::ParseAllButKernels(read->text);
  } catch (const ptx::SyntaxError& error) {
    log.Error(error.what());
    return CUDA_ERROR_INVALID_PTX;
  }
  *code = std::move(read);
  return CUDA_SUCCESS;
}

// Newer before older, then 'a' before 'f' before none.
int Rank(const std::string& text) {
  const std::optional<Target> target = ParseTarget(WordBehind(text, ".target"));
  if (!target) return -1;
  return 10 * (10 * target->major + target->minor) + (target->letter == 'a'   ? 2
                                                      : target->letter == 'f' ? 1
                                                                              : 0);
}

CUresult ReadContainer(const FatBinary& binary, Bodies bodies, JitLog& log, std::shared_ptr<const Code>* code) {
  const std::string* best = nullptr;
  for (const std::string& text : binary.texts) {
    const std::string target = WordBehind(text, ".target");
    const auto& devices = GetState().devices;
    const bool runs = std::any_of(devices.begin(), devices.end(),
                                  [&](const auto& device) { return CanRun(device->profile->limits, target); });
    if (runs && (best == nullptr || Rank(text) > Rank(*best))) best = &text;
  }
  if (best != nullptr) return ReadText(*best, bodies, log, code);
  log.Error(
      fmt::format("{}; the fat binary has {} cubins, {} PTX for other architectures and {} PTX that "
                  "cannot be unpacked (nvcc --compress-mode=none leaves it readable)",
                  kPtxOnly, binary.cubins, binary.texts.size(), binary.compressed));
  return CUDA_ERROR_NO_BINARY_FOR_GPU;
}

}  // namespace

JitLog::JitLog(unsigned count, const CUjit_option* options, void** values) : values_(values) {
  if (options == nullptr || values == nullptr) return;
  for (unsigned i = 0; i < count; ++i) {
    switch (options[i]) {
      case CU_JIT_ERROR_LOG_BUFFER:
        buffer_ = static_cast<char*>(values[i]);
        break;
      case CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES:
        error_size_at_ = static_cast<int>(i);
        capacity_ = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(values[i]));
        break;
      case CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES:
        info_size_at_ = static_cast<int>(i);
        break;
      case CU_JIT_INFO_LOG_BUFFER:
        if (values[i] != nullptr) *static_cast<char*>(values[i]) = 0;
        break;
      default:
        break;
    }
  }
  if (buffer_ != nullptr && capacity_ > 0) buffer_[0] = 0;
}

JitLog::~JitLog() {
  if (error_size_at_ >= 0) values_[error_size_at_] = reinterpret_cast<void*>(written_);
  if (info_size_at_ >= 0) values_[info_size_at_] = nullptr;
}

void JitLog::Error(const std::string& message) {
  Report(AsReport(message));
  Write(message);
}

void JitLog::Refusal(const std::string& message) {
  Record(AsReport(message));
  Write(message);
}

void JitLog::Write(const std::string& message) {
  if (buffer_ == nullptr || capacity_ == 0) return;
  const std::size_t copied = std::min(message.size(), capacity_ - 1 - written_);
  std::memcpy(buffer_ + written_, message.data(), copied);
  written_ += copied;
  buffer_[written_] = 0;
}

CUresult ReadCode(const void* image, Bodies bodies, JitLog& log, std::shared_ptr<const Code>* code) {
  if (image == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const auto* text = static_cast<const char*>(image);
  // Short texts are not read beyond their end: the comparisons stop at the first difference.
  if (std::strncmp(text, ELFMAG, SELFMAG) == 0) {
    log.Refusal(fmt::format("{}; this is a cubin", kPtxOnly));
    return CUDA_ERROR_NO_BINARY_FOR_GPU;
  }
  if (static_cast<unsigned char>(text[0]) >= 0x50 && std::strlen(text) >= 4) {
    const FatBinary binary = ReadFatBinary(image);
    if (binary.recognised) return ReadContainer(binary, bodies, log, code);
  }
  return ReadText(text, bodies, log, code);
}

CUresult ReadCodeFile(const char* path, Bodies bodies, JitLog& log, std::shared_ptr<const Code>* code) {
  if (path == nullptr) return CUDA_ERROR_INVALID_VALUE;
  std::ifstream file(path, std::ios::binary);
  std::stringstream content;
  if (!file || !(content << file.rdbuf())) return CUDA_ERROR_FILE_NOT_FOUND;
  // Zeros behind it, so that headers can be read from a file that is too short for one.
  const std::string bytes = content.str() + std::string(128, '\0');
  return ReadCode(bytes.data(), bodies, log, code);
}

bool CanRun(const DeviceLimits& limits, const std::string& name) {
  const std::optional<Target> target = ParseTarget(name);
  if (!target) return false;
  const bool same_major = target->major == limits.compute_major && target->minor <= limits.compute_minor;
  if (target->letter == 'a') return same_major && target->minor == limits.compute_minor;
  return same_major || (target->letter == 0 && target->major < limits.compute_major);
}

CUresult CheckTarget(const Device& device, const Code& code, JitLog& log) {
  const DeviceLimits& limits = device.profile->limits;
  if (CanRun(limits, code.target)) return CUDA_SUCCESS;
  log.Error(fmt::format("PTX for {} does not run on {}, which is sm_{}{}", code.target, device.profile->name,
                        limits.compute_major, limits.compute_minor));
  return CUDA_ERROR_NO_BINARY_FOR_GPU;
}

}  // namespace emu::driver
