#include "tools/emulator/driver/settings.h"

#include <fmt/format.h>

#include <charconv>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>

namespace emu::driver {
namespace {

bool ReadNumber(const char* variable, std::uint64_t most, std::uint64_t* value, std::string* why) {
  const char* text = std::getenv(variable);
  if (text == nullptr) return true;
  const char* end = text + std::strlen(text);
  const auto [stop, error] = std::from_chars(text, end, *value);
  if (error == std::errc() && stop == end && *value <= most) return true;
  *why = fmt::format("{} is \"{}\"; it must be a whole number up to {}", variable, text, most);
  return false;
}

bool ReadReplacement(Settings* settings, std::string* why) {
  const char* path = std::getenv("GPU_EMULATOR_PTX");
  if (path == nullptr) return true;
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  if (file && text << file.rdbuf()) {
    settings->replacement = text.str();
    return true;
  }
  *why = fmt::format("GPU_EMULATOR_PTX is \"{}\", which is no file of PTX that can be read", path);
  return false;
}

}  // namespace

bool ReadSettings(Settings* settings, std::string* why) {
  const char* key = std::getenv("GPU_EMULATOR_PROFILE");
  settings->profile = FindProfile(key == nullptr ? "h200" : key);
  if (settings->profile == nullptr) {
    *why = fmt::format("GPU_EMULATOR_PROFILE is \"{}\"; it must be one of {}", key, ProfileKeys());
    return false;
  }
  std::uint64_t devices = 1;
  if (!ReadNumber("GPU_EMULATOR_DEVICES", 64, &devices, why)) return false;
  settings->devices = static_cast<int>(devices);
  if (!ReadNumber("GPU_EMULATOR_SEED", UINT64_MAX, &settings->seed, why)) return false;
  const char* file = std::getenv("GPU_EMULATOR_REPORT");
  settings->report_file = file == nullptr ? "" : file;
  return ReadReplacement(settings, why);
}

}  // namespace emu::driver
