// What one line of kernels.inc means: a struct of named constants. Shared by host and device code.
#pragma once

#include "common/device/element_type.h"

namespace gemm::ampere::few {

// Rows of the short operand that an mma.sync m16n8k16 multiplies: its n. The longer one's take its m.
inline constexpr int kFewOfMma = 8;

inline constexpr int kWarpThreads = 32;
inline constexpr int kPieceBytes = 16;  // of one load or copy
inline constexpr int kPiece = 8;        // elements in it

// Multiples of how many elements in memory the copies of rows that start anywhere begin at, by the rows of the short operand that there is room
// for: a line of 128 bytes, whose parts are not asked for twice then, or 16 bytes, with which rows have fewer steps. 1x28672x4097 59.8 us for
// 61.2, 32x8192x2047 30.7 for 26.3 (H200, 2026-11-29).
constexpr int StartsAt(int room) { return room > kFewOfMma ? kPiece : 64; }

// Bits of KernelRow::variant, whose others are the CTAs of an SM.
inline constexpr int kStartsAnywhere = 1 << 8;
inline constexpr int kSplitsK = 1 << 9;  // of a matrix by columns: CTAs share K through workspace
inline constexpr int kVariantCtas = kStartsAnywhere - 1;

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
    static constexpr bool kStartsAnywhere = false;                          \
    static constexpr bool kWideIsKMajor = true;                             \
  };

// Up to `room` rows: mma.sync. All warps of a CTA take the same `wide` rows of the longer operand and K in turn, kTileK at a time, each
// through a ring of its own. `layouts`: kk, or kn where the longer operand lies by columns.
#define GEMM_AMPERE_FEW_CONFIG(type, element, layouts, room, wide, stages, ctas)     \
  struct GEMM_AMPERE_FEW_NAME(type, layouts, room, wide, stages) {                   \
    static constexpr device::ElementType kType = device::kElement##element;          \
    static constexpr int kFew = room;                                                \
    static constexpr int kWide = wide;                                               \
    static constexpr int kWarps = 8;                                                 \
    static constexpr int kTileK = 64;                                                \
    static constexpr int kStages = stages;                                           \
    static constexpr int kThreads = kWarpThreads * kWarps;                           \
    static constexpr int kCtasPerSm = ctas;                                          \
    static constexpr bool kByMma = true;                                             \
    static constexpr bool kStartsAnywhere = false;                                   \
    static constexpr bool kWideIsKMajor = GEMM_AMPERE_FEW_WIDE_IS_K_MAJOR_##layouts; \
  };
#define GEMM_AMPERE_FEW_WIDE_IS_K_MAJOR_kk true
#define GEMM_AMPERE_FEW_WIDE_IS_K_MAJOR_kn false

// The same of rows that start anywhere.
#define GEMM_AMPERE_FEW_ANY_CONFIG(type, element, room, wide, warps, stages, ctas) \
  struct GEMM_AMPERE_FEW_ANY_NAME(type, room, wide, warps) {                       \
    static constexpr device::ElementType kType = device::kElement##element;        \
    static constexpr int kFew = room;                                              \
    static constexpr int kWide = wide;                                             \
    static constexpr int kWarps = warps;                                           \
    static constexpr int kTileK = 64;                                              \
    static constexpr int kStages = stages;                                         \
    static constexpr int kThreads = kWarpThreads * kWarps;                         \
    static constexpr int kCtasPerSm = ctas;                                        \
    static constexpr bool kByMma = true;                                           \
    static constexpr bool kStartsAnywhere = true;                                  \
    static constexpr bool kWideIsKMajor = true;                                    \
    static constexpr int kStartsAt = StartsAt(room);                               \
  };

// Pieces of a row in a stage.
template <typename Config>
inline constexpr int kPieces = Config::kTileK / kPiece;

// One stage of a warp's ring: kTileK elements of each row, or rows of kTileK k, swizzled as ampere/swizzle.cuh says; of rows that start anywhere
// the longer operand's alone, as any_kernel.cuh says.
template <typename Config, bool kStartsAnywhere = Config::kStartsAnywhere>
struct Stage {
  alignas(128) unsigned char wide[Config::kWide * Config::kTileK * 2];
  alignas(128) unsigned char few[Config::kFew * Config::kTileK * 2];
};
template <typename Config>
struct Stage<Config, true> {
  alignas(128) unsigned char wide[Config::kWide * Config::kTileK * 2];
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
