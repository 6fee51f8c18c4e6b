// What one row of kernels.inc means: a struct of named constants. Shared by host and device code; includes
// nothing.
#pragma once

namespace gemm::ampere {

// How the producer copies an operand's rows into shared memory.
enum class Copy {
  kAligned,  // cp.async of 16 bytes: what problem::Input::alignment must promise for both operands
  kAny,      // chosen at run time per operand: cp.async of 16, 8 or 4 bytes, or loads of 2 and 4 bytes
};

enum class Element {
  kFP16,
  kBF16,
  kTF32,  // FP32 in memory, rounded on the way from shared memory to mma.sync
};

// Instruction shape of mma.sync, whose operands have 32 bytes along K; swizzles and copies deal in chunks of 16 bytes.
inline constexpr int kMmaM = 16;
inline constexpr int kMmaN = 8;
inline constexpr int kMmaBytesK = 32;
inline constexpr int kChunkBytes = 16;

// Tiles up to this area come in two rows, one of which splits K (kCanSplit). Larger ones have too many sums to hand over; but
// the largest, of which a round that is not full costs most, have a row that splits just the tiles of that round (kSplitsRest).
inline constexpr int kMaxSplitArea = 128 * 128;

// The words that stand in kernels.inc.
namespace words {
inline constexpr Element fp16 = Element::kFP16;
inline constexpr Element bf16 = Element::kBF16;
inline constexpr Element tf32 = Element::kTF32;
inline constexpr Copy aligned = Copy::kAligned;
inline constexpr Copy any = Copy::kAny;
inline constexpr bool k = false;  // is the operand MN-major?
inline constexpr bool mn = true;
}  // namespace words

// Defines the struct `name` with the constants of one row. kWarpM x kWarpN is what a warp computes; kCtasPerSm,
// the CTAs resident together, bounds the registers of a thread. kAInPlace: they hold A's fragments once only (pipeline.cuh).
// kPersistent: a CTA computes tile after tile, and the ring is filled for the next one while the epilogue writes the last
// (tiles.cuh). TF32 has no registers for that. kPacks: sums are staged as 16 bits where D has them; kn has no register for that.
#define GEMM_AMPERE_CONFIG(name, type, a, b, copy, tile_m, tile_n, tile_k, warps_m, warps_n, stages, ctas) \
  struct name {                                                                                            \
    static constexpr ::gemm::ampere::Element kElement = ::gemm::ampere::words::type;                       \
    static constexpr int kElementBytes = kElement == ::gemm::ampere::Element::kTF32 ? 4 : 2;               \
    static constexpr int kChunk = ::gemm::ampere::kChunkBytes / kElementBytes;                             \
    static constexpr int kMmaK = ::gemm::ampere::kMmaBytesK / kElementBytes;                               \
    static constexpr ::gemm::ampere::Copy kCopy = ::gemm::ampere::words::copy;                             \
    static constexpr bool kAIsMnMajor = ::gemm::ampere::words::a;                                          \
    static constexpr bool kBIsMnMajor = ::gemm::ampere::words::b;                                          \
    static constexpr int kTileM = tile_m;                                                                  \
    static constexpr int kTileN = tile_n;                                                                  \
    static constexpr int kTileK = tile_k;                                                                  \
    static constexpr int kWarpsM = warps_m;                                                                \
    static constexpr int kWarpsN = warps_n;                                                                \
    static constexpr int kStages = stages;                                                                 \
    static constexpr int kCtasPerSm = ctas;                                                                \
    static constexpr int kWarpM = kTileM / kWarpsM;                                                        \
    static constexpr int kWarpN = kTileN / kWarpsN;                                                        \
    static constexpr int kThreads = 32 * kWarpsM * kWarpsN;                                                \
    static constexpr bool kAInPlace = kWarpM > 64;                                                         \
    static constexpr bool kCanSplit = kTileM * kTileN <= ::gemm::ampere::kMaxSplitArea;                    \
    static constexpr bool kSplitsRest = kAInPlace && !kCanSplit;                                           \
    static constexpr bool kPersistent = kTileM == 128 && kTileN == 256 && kElementBytes == 2;              \
    static constexpr bool kPacks = kPersistent && !kAIsMnMajor && !kBIsMnMajor;                            \
  }

// The columns of A and B that one CTA multiplies: all of them, or a part of a split.
struct KRange {
  int begin;
  int count;
};

// The epilogue's staging of one warp: rows of FP32 results, padded so that the fragments' 8-byte stores (8 rows
// x 4 columns) and the row reads of 16 bytes meet no bank conflict beyond what their width asks for. kPersistent, where bytes are
// short, columns are exchanged instead: c of row r lies at c ^ r % 4 * kExchange.
template <typename Config>
struct WarpStaging {
  static constexpr int kRows = Config::kPersistent || Config::kWarpM % 32 != 0 ? 16 : 32;
  static constexpr int kStride = Config::kWarpN + (Config::kPersistent ? 0 : 8);
  static constexpr int kExchange = Config::kPersistent ? 8 : 0;
  alignas(16) float values[kRows][kStride];
  // C, as whole 16-byte chunks in the order in which the lanes use them: kRows of FP32 or twice as many of a 16-bit type.
  static constexpr int kChunks = kRows * Config::kWarpN / 4;
  alignas(16) unsigned c[kChunks][4];
};

// The same where C is not read and D has 16 bits: all rows of the warp as they will be in D, half as many bytes to store and read.
// Chunk c of row r lies at c ^ r % 8, so that the fragments' stores of 4 bytes (8 rows x 4 columns) and the row reads of 16
// bytes meet no bank conflict.
template <typename Config>
struct PackedStaging {
  static constexpr int kRowChunks = Config::kWarpN / 8;
  alignas(16) unsigned chunks[Config::kWarpM][kRowChunks][4];
};

// What of a split tile one CTA writes where kSplitsRest: the rows that every warp stages at once.
template <typename Config>
inline constexpr int kSlices = Config::kSplitsRest ? Config::kWarpM / WarpStaging<Config>::kRows : 1;
inline constexpr int kMostSlices = 5;

// The ring: tiles of A and B, swizzled as swizzle.cuh says, at multiples of 128 bytes. A stage's A and B lie together where
// kPersistent, otherwise all of A before all of B.
template <typename Config>
struct Ring {
  static constexpr int kBytesA = Config::kTileM * Config::kTileK * Config::kElementBytes;
  static constexpr int kBytesB = Config::kTileN * Config::kTileK * Config::kElementBytes;
  static constexpr int kBytes = Config::kStages * (kBytesA + kBytesB);
  // From one stage to the next, and to the first one's B.
  static constexpr int kStrideA = kBytesA + (Config::kPersistent ? kBytesB : 0);
  static constexpr int kStrideB = kBytesB + (Config::kPersistent ? kBytesA : 0);
  static constexpr int kFirstB = Config::kPersistent ? kBytesA : Config::kStages * kBytesA;
  static_assert(kBytesA % 128 == 0 && kBytesB % 128 == 0, "every stage is aligned");
};

// The staging of a CTA's warps, behind kBefore bytes.
template <typename Config, int kBefore>
struct StagingBehind {
  unsigned char before[kBefore];
  WarpStaging<Config> of_warp[Config::kWarpsM * Config::kWarpsN];
};
template <typename Config>
struct StagingBehind<Config, 0> {
  WarpStaging<Config> of_warp[Config::kWarpsM * Config::kWarpsN];
};

// The dynamic shared memory of a CTA; its sizeof is KernelRow::shared_bytes. The epilogue reuses the ring; where kPersistent, only
// the last stage, which the first copies leave alone.
template <typename Config>
struct Shared {
  static constexpr int kStagingAt =
      Config::kPersistent ? Ring<Config>::kBytes - Ring<Config>::kBytes / Config::kStages : 0;
  union {
    alignas(128) unsigned char ring[Ring<Config>::kBytes];
    StagingBehind<Config, kStagingAt> staging;
  };
  int arrived[kSlices<Config>];  // CTAs at each counter of a tile, where K is split
  // Where kSplitsRest: the CTA's number, and whether its main loop multiplies a part.
  unsigned block;
  bool is_part;
  int started[Config::kWarpsM * Config::kWarpsN];  // where kPersistent: the tiles that each warp has begun
};

}  // namespace gemm::ampere
