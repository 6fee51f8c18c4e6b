#include "tools/emulator/exec/program.h"

namespace emu {

Image::Image(const std::string& text, DeviceMemory* memory, std::span<const Family> families)
    : module_(ptx::Parse(text)), memory_(memory), families_(families) {}
Image::~Image() = default;

std::shared_ptr<const Program> Image::Kernel(const std::string&) { return nullptr; }
bool Image::GlobalVariable(const std::string&, std::uint64_t*, std::uint64_t*) const { return false; }

}  // namespace emu
