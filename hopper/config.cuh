// The constants of one kernel, all derived from its row of kernels.inc. Read by host and device code.
#pragma once

#include "hopper/clusters.h"
#include "hopper/raw.h"

namespace gemm::hopper {

enum class InputType { kFP16, kBF16 };

// How the consumers share the work.
enum class Schedule {
  kCooperative,  // each takes its share of the rows of every tile
  kPingpong,     // each takes every second tile, and one stores while the other multiplies
  kStreamK,      // as kCooperative; the clusters share the K steps of the first tiles evenly (stream_k.cuh)
  kSplitK,       // as kCooperative; CTAs of one cluster share the K of its one tile (split_k.cuh)
  // As kCooperative; clusters share the K of the tiles, and a second kernel adds up and stores (parallel_split_k.cuh).
  kParallelSplitK,
};

// Of a ring's stages of an operand that may be read early, how many are asked for before the kernel's predecessor in the stream has
// finished. What is asked for is served in order, so that a whole ring of weights would stand before the tokens that the first wgmma
// needs. One to four take 0.993 to 1.027 of the time, all 1.01 to 1.07 (H200, 2026-11-29, docs/perf/hopper/loaders.md).
constexpr int StagesEarly(int stages) { return (stages + 1) / 2; }

// Whether a kernel can ask for A early. A is the caller's B where D's transpose is computed, which no kernel does whose B is MN-major, or
// where D is stored by columns. With both to choose from stream-K 128x256 with an MN-major B spills (nvcc 13.0, 2026-11-29).
constexpr bool MayHaveAEarly(bool b_transposed) { return !b_transposed; }

constexpr int kWgmmaK = 16;  // of 16-bit elements

constexpr int kMnBox = 64;  // rows of a box of an MN-major operand

// Rows that boxes bring for `rows` of an operand: what the last one of an MN-major operand brings beyond them is not used.
constexpr int RowsInBoxes(bool mn_major, int rows) {
  return mn_major ? (rows + kMnBox - 1) / kMnBox * kMnBox : rows;
}

// Whether all K steps of a tile are one CTA's.
constexpr bool OwnsTiles(Schedule schedule) {
  return schedule == Schedule::kCooperative || schedule == Schedule::kPingpong;
}

// Whether clusters have parts of a tile's K.
constexpr bool CutsAcrossGrid(Schedule schedule) {
  return schedule == Schedule::kStreamK || schedule == Schedule::kParallelSplitK;
}

// Whether the last step of a tile may be narrower than the others (producer.cuh). Threads that copy make them whole by themselves where an
// operand's rows lie along M or N.
constexpr bool HasRagged(Schedule schedule, bool k_major, bool starts_anywhere) {
  return OwnsTiles(schedule) && (k_major || !starts_anywhere);
}

// Whether the kernel has the epilogue of sector_store.cuh, for CTAs that compute several tiles: their stores are what short K waits
// for. Tiles of 128 columns win 7% by it at K = 64, 3% at 128 and lose up to 11% at 192 to 384; of 144 and 192 they win 12 to 15, 10 and 2 to 10%
// (H100, 2026-11-25). Every second tile whose columns are an odd multiple of 8 begins within a sector.
constexpr bool HasSectorStore(Schedule schedule, int tile_n) {
  return OwnsTiles(schedule) && tile_n > 128 && tile_n % 16 == 0;
}

// Stream-K's sums go up a tree: on each level a part takes those of up to this many parts less its own. A power of two.
inline constexpr unsigned kSumsFan = 4;

// The epilogue works in chunks of one warp: 16 rows of 128 bytes.
constexpr int kChunkRows = 16;
constexpr int kChunkBytes = kChunkRows * 128;

constexpr int kSharedLimit = 227 * 1024;  // a CTA's most on sm_90

// How many chunks each of `consumer_warps` has buffers for beside a ring of `ring_bytes`. Where there is room for none the epilogue works
// in the ring itself (Config::kEpilogueInRing).
constexpr int ChunkBuffers(int ring_bytes, int consumer_warps) {
  constexpr int kBarrierBytes = 1024;  // room for all mbarriers
  const int room = (kSharedLimit - kBarrierBytes - ring_bytes) / (consumer_warps * kChunkBytes);
  return room >= 4 ? 4 : room >= 2 ? 2 : room;
}

// Producer warpgroups of a kernel: one, of which a thread gives the copy engine its orders, or where rows start anywhere four, which copy.
constexpr int ProducerGroups(bool starts_anywhere) { return starts_anywhere ? kRawGroups * kRawWarps / 4 : 1; }

// Row gives kInput, kATransposed, kBTransposed, kSchedule, kTileM, kTileN, kStages, kClusters and kStartsAnywhere (kernels.inc explains them). In which
// of its clusters a kernel runs is the launch's (clusters.h).
template <class Row>
struct Config : Row {
  static constexpr int kInputBytes = 2;
  static constexpr int kSwizzleBytes = 128;
  static constexpr int kTileK = kSwizzleBytes / kInputBytes;  // one swizzle row
  static constexpr int kWgmmaM = 64;
  static constexpr int kWgmmaK = hopper::kWgmmaK;
  static constexpr int kWgmmaSteps = kTileK / kWgmmaK;

  static constexpr bool kPingpong = Row::kSchedule == Schedule::kPingpong;
  static constexpr bool kSplitK = Row::kSchedule == Schedule::kSplitK;
  static constexpr bool kParallelSplitK = Row::kSchedule == Schedule::kParallelSplitK;  // no epilogue
  static constexpr bool kKMajor = !Row::kATransposed && !Row::kBTransposed;             // both operands

  // The first warpgroups are the producers; the others are consumers.
  static constexpr int kProducers = ProducerGroups(Row::kStartsAnywhere);
  // Where rows start anywhere; 1 elsewhere, for an array that is not there.
  static constexpr int kRawStages = Row::kStartsAnywhere ? RawStages(Row::kTileM, Row::kTileN) : 1;
  static constexpr int kConsumers = kPingpong || Row::kTileM % (2 * kWgmmaM) == 0 ? 2
                                    : Row::kTileM == kWgmmaM                      ? 1
                                                                                  : 3;
  static constexpr int kThreads = 128 * (kProducers + kConsumers);
  static constexpr int kConsumerWarps = 4 * kConsumers;
  static constexpr int kConsumerThreads = 128 * kConsumers;
  static constexpr int kReaders = kPingpong ? 1 : kConsumers;  // consumers that read a stage
  static constexpr int kConsumerRows = Row::kTileM / kReaders;
  static constexpr int kConsumerOffset = kPingpong ? 0 : kConsumerRows;  // between two consumers' first rows
  static constexpr int kBlocksM = kConsumerRows / kWgmmaM;  // wgmma tiles of a consumer, one above the other
  // Whether the kernel also has the epilogue of transposed_store.cuh. With 192 accumulators a thread it spills, in stream-K with 128
  // (nvcc 13.0, 2026-11-25).
  static constexpr int kTransposesBelow = Row::kSchedule == Schedule::kStreamK ? 128 : 192;
  static constexpr bool kTransposes = !Row::kBTransposed && !Row::kStartsAnywhere &&
                                      (kParallelSplitK || kBlocksM * Row::kTileN / 2 < kTransposesBelow);
  static constexpr bool kRagged = HasRagged(Row::kSchedule, kKMajor, Row::kStartsAnywhere);
  // Of a thread. One consumer has what it needs from the start. With 24, which would leave 240 to two consumers, a producer
  // spills (nvcc 13.0, 2026-11-22).
  static constexpr bool kMovesRegisters = kConsumers > 1 && !Row::kStartsAnywhere;
  static constexpr int kProducerRegisters = kConsumers == 3 ? 32 : 40;
  static constexpr int kConsumerRegisters = kConsumers == 3 ? 160 : 232;

  static constexpr int kStagesEarly = StagesEarly(Row::kStages);
  static constexpr bool kMayHaveAEarly = MayHaveAEarly(Row::kBTransposed);

  // Whether it ever runs with A shared by CTAs along N, or not, and with B shared by CTAs along M, or not.
  template <bool SharesA, bool SharesB>
  static constexpr bool kEver = HasCluster(Row::kClusters, SharesA, SharesB);
  static constexpr bool kEverAlone = kEver<false, false>;
  static constexpr bool kEverInCluster = Row::kClusters != k1x1;

  static constexpr int kABytes = Row::kTileM * kTileK * kInputBytes;
  static constexpr int kBRows = RowsInBoxes(Row::kBTransposed, Row::kTileN);
  static constexpr int kBBytes = kBRows * kTileK * kInputBytes;
  static constexpr int kStageBytes = kABytes + kBBytes;

  static constexpr int kChunkRows = hopper::kChunkRows;
  static constexpr int kChunkBytes = hopper::kChunkBytes;
  static constexpr int kBuffersBeside = ChunkBuffers(
      Row::kStages * kStageBytes + RawBytes(Row::kStartsAnywhere, Row::kTileM, Row::kTileN), kConsumerWarps);
  // Whether the ring fills shared memory, and a warp's buffers are where its rows of A were in the first stages. Each CTA then computes
  // one tile, behind which nothing is loaded into the ring.
  static constexpr bool kEpilogueInRing = kBuffersBeside == 0 && !kParallelSplitK;
  static constexpr int kChunkBuffers = kEpilogueInRing || kParallelSplitK ? 4 : kBuffersBeside;
  static constexpr bool kStoresSectors = HasSectorStore(Row::kSchedule, Row::kTileN) && !kEpilogueInRing;

  static_assert(kBlocksM * kWgmmaM * kReaders == Row::kTileM, "consumers take whole wgmma tiles");
  static_assert(Row::kTileN % 8 == 0 && Row::kTileN <= 256, "N of a wgmma");
  static_assert(!kParallelSplitK || kBlocksM == 1, "add_parts.cu adds up 64 rows at a time");
  static_assert(!kSplitK || !kEverAlone,
                "CTAs of a part wait for the cluster because they load for one another");
  static_assert(Row::kTileM <= 256 && Row::kTileN <= 256, "a box has at most 256 rows");
  static_assert(!Row::kATransposed || Row::kTileM % 64 == 0, "MN-major tiles are whole boxes of 64");
  static_assert(!kEpilogueInRing || (Row::kSchedule == Schedule::kCooperative && Row::kStages >= kChunkBuffers),
                "no room for the epilogue's chunks");
  static_assert(!Row::kStartsAnywhere || Row::kClusters == k1x1, "each CTA loads for itself");
  static_assert(!kMovesRegisters || kProducerRegisters * 128 + kConsumerRegisters * 128 * kConsumers <= 65536,
                "register file");
};

}  // namespace gemm::hopper
