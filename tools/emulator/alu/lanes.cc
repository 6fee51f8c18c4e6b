#include "tools/emulator/alu/lanes.h"

namespace emu::alu {
namespace {

bool Supported() {
  __builtin_cpu_init();
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("f16c") &&
         __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("lzcnt") &&
         __builtin_cpu_supports("popcnt");
}

bool forbidden = false;

}  // namespace

bool HasFast() {
  static const bool supported = Supported();
  return supported && !forbidden;
}

void ForbidFast(bool forbid) { forbidden = forbid; }

}  // namespace emu::alu
