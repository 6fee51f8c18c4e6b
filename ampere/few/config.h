// What one line of kernels.inc means: a struct of named constants. Shared by host and device code.
#pragma once

#include "common/device/element_type.h"

namespace gemm::ampere::few {

// Most rows of the short operand: n of mma.sync m16n8k16. The longer one's take its m.
inline constexpr int kMostFew = 8;

inline constexpr int kWarpThreads = 32;
inline constexpr int kPieceBytes = 16;  // of one load or copy
inline constexpr int kPiece = 8;        // elements in it

// What one instruction of a warp brings of a row: 256 elements, 512 contiguous bytes.
inline constexpr int kWarpK = kWarpThreads * kPiece;

// The structs lie in namespace gemm::ampere::few::rows, where kernels are compiled those of one type alone: FP16's PTX may be made of BF16's.
//
// One row of the short operand: FP32 multiplications of what threads have loaded into registers. A warp takes kWide rows of the
// longer operand.
#define GEMM_AMPERE_GEMV_CONFIG(type, element, wide, warps, ctas)           \
  struct GEMM_AMPERE_GEMV_NAME(type, wide) {                                \
    static constexpr device::ElementType kType = device::kElement##element; \
    static constexpr int kFew = 1;                                          \
    static constexpr int kWide = wide;                                      \
    static constexpr int kWarps = warps;                                    \
    static constexpr int kTileK = kWarpK;                                   \
    static constexpr int kStages = 1;                                       \
    static constexpr int kThreads = kWarpThreads * kWarps;                  \
    static constexpr int kCtasPerSm = ctas;                                 \
    static constexpr bool kByMma = false;                                   \
  };

// Up to kMostFew rows: mma.sync. All warps of a CTA take the same 16 rows of the longer operand and K in turn, kTileK at a time, each
// through a ring of its own.
#define GEMM_AMPERE_FEW_CONFIG(type, element, warps, stages, ctas)          \
  struct GEMM_AMPERE_FEW_NAME(type, stages) {                               \
    static constexpr device::ElementType kType = device::kElement##element; \
    static constexpr int kFew = kMostFew;                                   \
    static constexpr int kWide = 16;                                        \
    static constexpr int kWarps = warps;                                    \
    static constexpr int kTileK = 64;                                       \
    static constexpr int kStages = stages;                                  \
    static constexpr int kThreads = kWarpThreads * kWarps;                  \
    static constexpr int kCtasPerSm = ctas;                                 \
    static constexpr bool kByMma = true;                                    \
  };

// One stage of a warp's ring: 64 elements of each row, 128 bytes, swizzled as ampere/swizzle.cuh says.
template <typename Config>
struct Stage {
  alignas(128) unsigned char wide[Config::kWide * Config::kTileK * 2];
  alignas(128) unsigned char few[Config::kFew * Config::kTileK * 2];
};

// What a warp hands to the CTA. With 17 words a row of the fragments' stores four meet in a bank, with 20 none would; not tried.
template <typename Config>
struct WarpSums {
  float of[Config::kFew][Config::kWide + (Config::kByMma ? 1 : 0)];
};

// The shared memory of a CTA; its sizeof is KernelRow::shared_bytes. A warp's sums take the place of its ring, which nobody else uses.
template <typename Config, bool kByMma = Config::kByMma>
struct Shared {
  union OfWarp {
    Stage<Config> ring[Config::kStages];
    WarpSums<Config> sums;
  } warps[Config::kWarps];
};
template <typename Config>
struct Shared<Config, false> {
  struct OfWarp {
    WarpSums<Config> sums;
  } warps[Config::kWarps];
};

}  // namespace gemm::ampere::few
