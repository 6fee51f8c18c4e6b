// The table of rungs.
#include <algorithm>
#include <utility>

#include "ladder/rung.h"
#include "ladder/simt/define.h"
#include "ladder/simt/ladder_simt.h"
#include "ladder/tensor/define.h"
#include "ladder/tensor/ladder_tensor.h"
#include "ladder/wgmma/define.h"
#include "ladder/wgmma/ladder_spilling.h"
#include "ladder/wgmma/ladder_wgmma.h"

// First every line as a struct of constants, then as a row.
#define GEMM_LADDER_REGISTERS(name, published, symbol, ...) GEMM_LADDER_SIMT_CONFIG(symbol, __VA_ARGS__)
#define GEMM_LADDER_WARPS GEMM_LADDER_REGISTERS
#define GEMM_LADDER_ASYNC GEMM_LADDER_REGISTERS
#include "ladder/simt/kernels.inc"
#define GEMM_LADDER_WMMA(name, published, symbol, ...) GEMM_LADDER_TENSOR_CONFIG(symbol, __VA_ARGS__)
#define GEMM_LADDER_MMA GEMM_LADDER_WMMA
#define GEMM_LADDER_BAND GEMM_LADDER_WMMA
#include "ladder/tensor/kernels.inc"
#define GEMM_LADDER_ONE_GROUP(name, published, symbol, ...) GEMM_LADDER_WGMMA_CONFIG(symbol, __VA_ARGS__)
#define GEMM_LADDER_SPILLING GEMM_LADDER_ONE_GROUP
#define GEMM_LADDER_PIPELINE GEMM_LADDER_ONE_GROUP
#include "ladder/wgmma/kernels.inc"

namespace gemm::ladder {
namespace {

DataType TypeOf(Type type) {
  return type == Type::kFP32 ? DataType::kFP32 : type == Type::kFP16 ? DataType::kFP16 : DataType::kBF16;
}

// `published`: the figure's id; "" for a step of a sweep, "-" for a rung of our own.
Rung Named(const char* name, const std::string& published, const char* source, const char* symbol,
           const char* idea) {
  Rung rung;
  rung.name = name;
  rung.sweep = published.empty();
  if (published != "-") rung.published = published;
  rung.source = source;
  rung.symbol = symbol;
  rung.idea = idea;
  return rung;
}

Rung Simple(Rung rung, DataType in, Grid grid, int tile_m, int tile_n, unsigned block_x, unsigned block_y) {
  rung.image = &images::ladder_simt;
  rung.in = in;
  rung.grid = grid;
  rung.tile_m = tile_m;
  rung.tile_n = tile_n;
  rung.block[0] = block_x;
  rung.block[1] = block_y;
  return rung;
}

// simt/naive.cuh: any size.
void AddNaive(std::vector<Rung>* rungs) {
  constexpr DataType kFP32 = DataType::kFP32, kBF16 = DataType::kBF16;
  const auto add = [&](const char* name, const char* symbol, DataType type, const char* idea) {
    rungs->push_back(Simple(Named(name, name, "naive", symbol, idea), type, Grid::kTiles, 32, 32, 32, 32));
    return &rungs->back();
  };
  add("S0-01", "naive_2d_fp32", kFP32, "naive: one thread, one element");
  add("S0-01", "naive_2d_bf16", kBF16, "naive: one thread, one element");
  add("S1-naive", "naive_2d_fp32", kFP32, "naive, 2D index");
  add("S1-transposed-b", "naive_transposed_b_fp32", kFP32, "B stored transposed")->b_layout =
      Layout::kColumnMajor;
  rungs->push_back(Simple(Named("S1-index-1d", "S1-index-1d", "naive", "naive_index_1d_fp32", "1D index"),
                          kFP32, Grid::kElements, 1, 256, 256, 1));
  Rung* remapped = add("S2-1", "naive_remapped_fp32", kFP32, "naive, coalesced: 1D block remapped");
  remapped->block[0] = 1024;
  remapped->block[1] = 1;
  add("S4-naive", "naive_2d_fp32", kFP32, "naive");
}

// simt/shared_tile.cuh.
void AddSharedTiles(std::vector<Rung>* rungs) {
  const auto add = [&](const char* name, const char* published, const char* symbol, DataType type, int tile,
                       const char* idea) {
    const auto threads = static_cast<unsigned>(std::min(tile * tile, 1024));
    Rung rung =
        Simple(Named(name, published, "naive", symbol, idea), type, Grid::kTiles, tile, tile, threads, 1);
    rung.multiple_m = rung.multiple_n = rung.multiple_k = tile;
    rungs->push_back(std::move(rung));
  };
  constexpr DataType kFP32 = DataType::kFP32;
  add("S0-02", "S0-02", "tile_32_fp32", kFP32, 32, "square tiles of 32x32 in shared memory");
  add("S0-02", "S0-02", "tile_32_bf16", DataType::kBF16, 32, "square tiles of 32x32 in shared memory");
  add("S1-shared-16", "S1-shared-16", "tile_16_fp32", kFP32, 16, "shared tiles of 16");
  add("S1-shared-32", "S1-shared-32", "tile_32_fp32", kFP32, 32, "shared tiles of 32");
  add("S2-2", "S2-2", "tile_32_fp32", kFP32, 32, "shared tiles of 32x32");
  add("S4-tiled-8", "", "tile_8_fp32", kFP32, 8, "shared tiles of 8");
  add("S4-tiled-16", "S4-tiled-16", "tile_16_fp32", kFP32, 16, "shared tiles of 16");
  add("S4-tiled-32", "S4-tiled-32", "tile_32_fp32", kFP32, 32, "shared tiles of 32");
  add("S4-tiled-64", "", "tile_64_fp32", kFP32, 64, "shared tiles of 64, four results a thread");
}

// What both kernels.inc say in the same words.
template <class C>
Rung Tiled(Rung rung) {
  rung.in = TypeOf(C::kType);
  rung.tile_m = rung.multiple_m = C::kTileM;
  rung.tile_n = rung.multiple_n = C::kTileN;
  rung.multiple_k = C::kTileK;
  rung.block[0] = C::kThreads;
  return rung;
}

template <class C>
Rung SimtRung(Rung rung) {
  rung = Tiled<C>(std::move(rung));
  rung.image = &images::ladder_simt;
  rung.buffers = C::kBuffers;
  return rung;
}

template <class C>
Rung TensorRung(Rung rung, Grid grid) {
  rung = Tiled<C>(std::move(rung));
  rung.image = &images::ladder_tensor;
  rung.out = TypeOf(C::kOut);
  rung.grid = grid;
  rung.shared_bytes = C::kSharedBytes;
  rung.buffers = C::kBuffers;
  if (C::kLoop == Loop::kThreeStages) rung.least_k = 3 * C::kTileK;
  return rung;
}

void AddSimt(std::vector<Rung>* rungs) {
#define GEMM_LADDER_ROW(source, name, published, symbol, type, tile_m, tile_n, tile_k, warp_m, warp_n, \
                        thread_m, thread_n, steps_m, steps_n, loads, unroll, idea)                     \
  rungs->push_back(SimtRung<rows::symbol>(Named(name, published, source, #symbol, idea)));
#define GEMM_LADDER_REGISTERS(...) GEMM_LADDER_ROW("registers", __VA_ARGS__)
#define GEMM_LADDER_WARPS(...) GEMM_LADDER_ROW("warps", __VA_ARGS__)
#define GEMM_LADDER_ASYNC(...) GEMM_LADDER_ROW("double_buffer", __VA_ARGS__)
#include "ladder/simt/kernels.inc"
#undef GEMM_LADDER_ROW
}

void AddTensor(std::vector<Rung>* rungs) {
  for (const auto& [symbol, type] :
       {std::pair("wmma_global_fp16", DataType::kFP16), std::pair("wmma_global_bf16", DataType::kBF16)}) {
    Rung rung = Simple(Named("S1-wmma-global", "S1-wmma-global", "wmma", symbol,
                             "wmma from global memory, one 16x16 tile a warp"),
                       type, Grid::kTiles, 32, 64, 256, 1);
    rung.image = &images::ladder_tensor;
    rung.multiple_m = 32;
    rung.multiple_n = 64;
    rung.multiple_k = 16;
    rungs->push_back(std::move(rung));
  }
#define GEMM_LADDER_ROW(source, grid, name, published, symbol, type, wide_out, tile_m, tile_n, tile_k, warp_m, \
                        warp_n, rows_a, rows_b, copies, loop, stores, idea)                                    \
  rungs->push_back(TensorRung<rows::symbol>(Named(name, published, source, #symbol, idea), grid));
#define GEMM_LADDER_WMMA(...) GEMM_LADDER_ROW("wmma", Grid::kTiles, __VA_ARGS__)
#define GEMM_LADDER_MMA(...) GEMM_LADDER_ROW("mma", Grid::kTiles, __VA_ARGS__)
#define GEMM_LADDER_BAND(...) GEMM_LADDER_ROW("mma_band", Grid::kFlat, __VA_ARGS__)
#include "ladder/tensor/kernels.inc"
#undef GEMM_LADDER_ROW
}

template <class C>
Rung WgmmaRung(const driver::Image& image, Rung rung) {
  rung.image = &image;
  rung.in = TypeOf(C::kType);
  rung.hopper_only = true;
  rung.tile_m = rung.multiple_m = C::kTileM;
  rung.tile_n = rung.multiple_n = C::kTileN;
  rung.multiple_k = C::kTileK;
  rung.buffers = C::kStages;
  const bool tiles = C::kSchedule == Schedule::kOneGroup || C::kSchedule == Schedule::kPipeline;
  rung.grid = tiles ? Grid::kTiles : Grid::kPersistent;
  rung.block[0] = C::kThreads;
  rung.shared_bytes = sizeof(WgmmaShared<C>);
  rung.launch = LaunchTma;
  return rung;
}

void AddWgmma(std::vector<Rung>* rungs) {
#define GEMM_LADDER_ROW(image, source, name, published, symbol, type, tile_m, tile_n, wgmma_n, stages, \
                        schedule, epilogue, ahead, idea)                                               \
  rungs->push_back(WgmmaRung<rows::symbol>(images::image, Named(name, published, source, #symbol, idea)));
#define GEMM_LADDER_ONE_GROUP(...) GEMM_LADDER_ROW(ladder_wgmma, "one_group", __VA_ARGS__)
#define GEMM_LADDER_SPILLING(...) GEMM_LADDER_ROW(ladder_spilling, "spilling", __VA_ARGS__)
#define GEMM_LADDER_PIPELINE(...) GEMM_LADDER_ROW(ladder_wgmma, "pipeline", __VA_ARGS__)
#include "ladder/wgmma/kernels.inc"
#undef GEMM_LADDER_ROW
}

std::vector<Rung> MakeRungs() {
  std::vector<Rung> rungs;
  AddNaive(&rungs);
  AddSharedTiles(&rungs);
  AddSimt(&rungs);
  AddTensor(&rungs);
  AddWgmma(&rungs);
  // The families stand apart above; within a write-up its own order is that of the names.
  std::stable_sort(rungs.begin(), rungs.end(),
                   [](const Rung& a, const Rung& b) { return a.name.substr(0, 2) < b.name.substr(0, 2); });
  return rungs;
}

}  // namespace

const std::vector<Rung>& Rungs() {
  static const std::vector<Rung>* const rungs = new std::vector<Rung>(MakeRungs());
  return *rungs;
}

}  // namespace gemm::ladder
