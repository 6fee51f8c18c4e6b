// What one turn of each kernel's loop does. Shared by the kernels and by who times them: plain constants only.
#pragma once

namespace gemm::ceilings {

// An even number of steps.
struct Ffma {
  static constexpr int kThreads = 256;
  static constexpr int kBlocksPerSm = 4;
  static constexpr int kSums = 32;
  static constexpr int kSteps = 16;
  static constexpr double kFlopsPerBlock = 2.0 * kThreads * kSums * kSteps;
};

// mma.sync m16n8k16: 4 x 4 of them a warp and step.
struct Mma {
  static constexpr int kThreads = 256;
  static constexpr int kBlocksPerSm = 2;
  static constexpr int kTile = 4;
  static constexpr int kSteps = 4;
  static constexpr double kFlopsPerBlock = 2.0 * (kThreads / 32) * kTile * kTile * kSteps * 16 * 8 * 16;
};

// wgmma m64n256k16, both operands from shared memory: a 128 x 256 x 64 stage of a ring, as a GEMM kernel's consumers
// see it, without a producer.
struct WgmmaRing {
  static constexpr int kGroups = 2;
  static constexpr int kThreads = 128 * kGroups;
  static constexpr int kM = 64 * kGroups;
  static constexpr int kN = 256;
  static constexpr int kK = 64;
  static constexpr int kStages = 4;
  // Sums start anew after so many stages, as those of a product of K = 8192 do.
  static constexpr unsigned kStagesPerTile = 128;
  static constexpr int kABytes = kM * kK * 2;
  static constexpr int kBBytes = kN * kK * 2;
  static constexpr int kSharedBytes = kStages * (kABytes + kBBytes);
  static constexpr double kFlopsPerBlock = 2.0 * kM * kN * kK;
};

// Vectors of 16 bytes; a block takes kUnroll * kThreads neighbours at a time.
struct Stream {
  static constexpr int kThreads = 512;
  static constexpr int kUnroll = 4;
  static constexpr int kChunk = kThreads * kUnroll;
  static constexpr long long kChunkBytes = 16LL * kChunk;
};

}  // namespace gemm::ceilings
