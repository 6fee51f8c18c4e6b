// Fat binaries: containers of device code for several architectures.
#pragma once

#include <string>
#include <vector>

namespace emu::driver {

struct FatBinary {
  bool recognised = false;         // false: not a fat binary
  std::vector<std::string> texts;  // its PTX, unpacked
  int cubins = 0;
  int compressed = 0;  // PTX that is there but that could not be unpacked
};

// `image`: a container or a wrapper that points at one.
FatBinary ReadFatBinary(const void* image);

}  // namespace emu::driver
