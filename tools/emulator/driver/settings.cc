#include "tools/emulator/driver/settings.h"

#include <fmt/core.h>

#include <charconv>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>

namespace emu::driver {
namespace {

bool ReadNumber(const char* variable, std::uint64_t least, std::uint64_t most, std::uint64_t* value,
                std::string* why) {
  const char* text = std::getenv(variable);
  if (text == nullptr) return true;
  const char* end = text + std::strlen(text);
  const auto [stop, error] = std::from_chars(text, end, *value);
  if (error == std::errc() && stop == end && least <= *value && *value <= most) return true;
  *why = fmt::format("{} is \"{}\"; it must be a whole number {}up to {}", variable, text,
                     least == 0 ? "" : fmt::format("from {} ", least), most);
  return false;
}

bool ReadProfile(Settings* settings, std::string* why) {
  const char* key = std::getenv("GPU_EMULATOR_PROFILE");
  const Profile* profile = FindProfile(key == nullptr ? "h200" : key);
  if (profile == nullptr) {
    *why = fmt::format("GPU_EMULATOR_PROFILE is \"{}\"; it must be one of {}", key, ProfileKeys());
    return false;
  }
  settings->profile = *profile;
  std::uint64_t sms = profile->limits.sms;
  if (!ReadNumber("GPU_EMULATOR_SMS", 1, sms, &sms, why)) return false;
  settings->profile.limits.sms = static_cast<std::uint32_t>(sms);
  return true;
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
  if (!ReadProfile(settings, why)) return false;
  std::uint64_t devices = 1;
  if (!ReadNumber("GPU_EMULATOR_DEVICES", 0, 64, &devices, why)) return false;
  settings->devices = static_cast<int>(devices);
  if (!ReadNumber("GPU_EMULATOR_SEED", 0, UINT64_MAX, &settings->seed, why)) return false;
  const char* file = std::getenv("GPU_EMULATOR_REPORT");
  settings->report_file = file == nullptr ? "" : file;
  return ReadReplacement(settings, why);
}

}  // namespace emu::driver
