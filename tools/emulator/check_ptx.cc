// usage: check_ptx FILE.ptx ...
// Says of every kernel of the files whether the emulated GPU can run it: whether it knows each instruction. Runs nothing.
// Exit code 0 when it knows all, 1 when not, 2 for a file that cannot be read.
#include <cstdio>
#include <fstream>
#include <sstream>
#include <string>

#include "tools/emulator/exec/program.h"

namespace {

// Prints what is wrong; the number of kernels that cannot run.
int CheckText(const std::string& path, const std::string& text, int* kernels) {
  emu::DeviceMemory memory(std::uint64_t{1} << 32);
  int bad = 0;
  try {
    emu::Image image(text, &memory, emu::AllFamilies());
    for (const emu::ptx::Function& function : image.module().functions) {
      if (!function.entry || function.declared_only) continue;
      ++*kernels;
      try {
        image.Kernel(function.name);
      } catch (const emu::Stop& stop) {
        ++bad;
        std::printf("%s: %s", path.c_str(), stop.what());
      }
    }
  } catch (const std::exception& error) {  // no PTX, or variables that have no room
    ++bad;
    std::printf("%s: %s\n", path.c_str(), error.what());
  }
  return bad;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: check_ptx FILE.ptx ...\n");
    return 2;
  }
  int bad = 0;
  int kernels = 0;
  for (int i = 1; i < argc; ++i) {
    std::ifstream file(argv[i], std::ios::binary);
    std::stringstream text;
    text << file.rdbuf();
    if (!file) {
      std::fprintf(stderr, "check_ptx: cannot read %s\n", argv[i]);
      return 2;
    }
    bad += CheckText(argv[i], text.str(), &kernels);
  }
  std::printf("%d kernels in %d files, %d cannot run\n", kernels, argc - 1, bad);
  return bad == 0 ? 0 : 1;
}
