// What the machine remembers of warps, CTAs and clusters.
#pragma once

namespace emu {

struct ExecState {};
struct CtaBarriers {};
struct ClusterBarrier {};

}  // namespace emu
