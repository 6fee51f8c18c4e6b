// Handlers for the conversions that kernels use most.
#pragma once

#include "tools/emulator/alu/convert.h"
#include "tools/emulator/alu/lanes.h"

namespace emu::alu {

// Null when there is none and the general one is to be used. at: d, a; *imm is for Op::imm.
Handler HotConversion(const Conversion& conversion, ptx::Type to, ptx::Type from, std::uint32_t to_bytes,
                      std::uint32_t from_bytes, std::int64_t* imm);

// cvt.rn.f16x2.f32 and cvt.rn.bf16x2.f32 without more; at: d, a, b.
Handler HotPackedConversion(ptx::Type to);

}  // namespace emu::alu
