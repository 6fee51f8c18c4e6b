// What a CUlinkState is.
#pragma once

#include <functional>

#include "tools/emulator/driver/code.h"

namespace emu::driver {

struct Link {
  std::vector<CUjit_option> options;
  void** values = nullptr;  // the caller's, which must live as long
  std::shared_ptr<const Code> code;
};

}  // namespace emu::driver
