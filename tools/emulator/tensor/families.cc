#include "tools/emulator/exec/families.h"

#include "tools/emulator/tensor/matrix_move.h"
#include "tools/emulator/tensor/mma.h"
#include "tools/emulator/tensor/wgmma.h"
#include "tools/emulator/tensor/wmma.h"

namespace emu {

namespace {

constexpr Family kFamilies[] = {
    {"ldmatrix", LowerLdmatrix}, {"stmatrix", LowerStmatrix}, {"movmatrix", LowerMovmatrix},
    {"mma", LowerMma},           {"wmma", LowerWmma},         {"wgmma", LowerWgmma},
};

}  // namespace

std::span<const Family> TensorFamilies() { return kFamilies; }

}  // namespace emu
