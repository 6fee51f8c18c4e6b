#include "tools/emulator/exec/families.h"

namespace emu {

namespace {

Op Unknown(const ptx::Instruction&, Lowering& lowering) { lowering.Refuse("not known to the emulator"); }

constexpr Family kFamilies[] = {
    {"ldmatrix", Unknown}, {"stmatrix", Unknown}, {"movmatrix", Unknown},
    {"mma", Unknown},      {"wmma", Unknown},     {"wgmma", Unknown},
};

}  // namespace

std::span<const Family> TensorFamilies() { return kFamilies; }

}  // namespace emu
