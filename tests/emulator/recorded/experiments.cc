#include "tests/emulator/recorded/experiments.h"

#include <cuda.h>

#include <algorithm>
#include <iterator>

#include "common/driver/api.h"
#include "common/driver/driver.h"
#include "tests/emulator/recorded/ptx.h"
#include "tools/gpu/gpu.h"

namespace gemm::recorded {
namespace {

using driver::LaunchShape;

// PTX for the driver's own compiler: what is recorded is the instruction, not what a compiler made around it.
const driver::Image& RecordedImage() {
  static const std::string conversions = ConversionPtx(), warp = WarpPtx(), hopper = HopperPtx(),
                           async = AsyncPtx(), products = RandomProductPtx();
  static const driver::Code codes[] = {
      {"conversions", "compute_90a", conversions.c_str(), conversions.size(), true},
      {"warp", "compute_90a", warp.c_str(), warp.size(), true},
      {"hopper", "compute_90a", hopper.c_str(), hopper.size(), true},
      {"async", "compute_90a", async.c_str(), async.size(), true},
      {"products", "compute_90a", products.c_str(), products.size(), true},
  };
  static const driver::Image image = {"recorded", codes, std::size(codes)};
  return image;
}

Status Launch(const char* source, const std::string& symbol, unsigned threads, std::vector<void*> params) {
  driver::Kernel kernel;
  Status status = driver::FindKernel(RecordedImage(), source, symbol.c_str(), 0, 0, &kernel);
  if (!status.ok()) return status;
  LaunchShape shape;
  shape.block[0] = threads;
  status = driver::Launch(kernel, shape, nullptr, params.data());
  return status.ok() ? gpu::Synchronize() : status;
}

// Device memory of `words`, all bits set.
Status MakeOut(std::size_t words, gpu::DeviceBuffer* out) {
  Status status = gpu::DeviceBuffer::Create(words * 4, out);
  return status.ok() ? out->Fill(0xff) : status;
}

Status Download(const gpu::DeviceBuffer& buffer, std::size_t words, std::vector<std::uint32_t>* out) {
  out->resize(words);
  return buffer.CopyTo(out->data(), words * 4);
}

// --- Kernels that take only `out`.
struct Plain {
  const char* source;
  std::string symbol;
  unsigned threads;
  std::size_t words;  // that are compared
  double tolerance = 0;
  std::size_t scratch = 0;  // further words behind them
};

#define WARP(symbol, words) \
  { "warp", #symbol, 32, words }
const Plain kWarp[] = {
    WARP(shfl_idx, 64),
    WARP(shfl_idx_8, 64),
    WARP(shfl_up, 64),
    WARP(shfl_up_16, 64),
    WARP(shfl_down, 64),
    WARP(shfl_bfly, 64),
    WARP(shfl_bfly_8, 64),
    WARP(votes, 352),
    WARP(ldmatrix_x1, 32),
    WARP(ldmatrix_x2, 64),
    WARP(ldmatrix_x4, 128),
    WARP(ldmatrix_x1_trans, 32),
    WARP(ldmatrix_x2_trans, 64),
    WARP(ldmatrix_x4_trans, 128),
    WARP(stmatrix_x1, 256),
    WARP(stmatrix_x2, 256),
    WARP(stmatrix_x4, 256),
    WARP(stmatrix_x1_trans, 256),
    WARP(stmatrix_x4_trans, 256),
    WARP(movmatrix_trans, 32),
    {"warp", "cp_async_4", 32, 256, 0, 256},
    {"warp", "cp_async_8", 32, 256, 0, 256},
    {"warp", "cp_async_16", 32, 256, 0, 256},
    WARP(mma_m16n8k16_f16, 128),
    WARP(mma_m16n8k16_bf16, 128),
    WARP(mma_m16n8k8_f16, 128),
    WARP(mma_m16n8k8_tf32, 128),
    WARP(mma_m16n8k4_tf32, 128),
    WARP(mma_m16n8k32_e4m3, 128),
    WARP(mma_m16n8k32_s8, 128),
    // 17 terms below 4 in magnitude, each step rounded or truncated in FP32: well below 17 * 2^-21.
    {"warp", "mma_random_f16", 32, 128, 1e-5},
    {"warp", "mma_random_bf16", 32, 128, 1e-5},
    {"warp", "mma_random_tf32", 32, 128, 1e-5},
    WARP(redux, 320),
};
#undef WARP

const std::vector<Plain>& PlainKernels() {
  static const std::vector<Plain> kernels = [] {
    std::vector<Plain> all;
    for (const std::string& name : ConversionNames()) all.push_back({"conversions", name, 256, 256});
    all.insert(all.end(), std::begin(kWarp), std::end(kWarp));
    for (const OneCta& kernel : AsyncNames()) all.push_back({"async", kernel.name, 128, kernel.words});
    return all;
  }();
  return kernels;
}

Status RunPlain(const Experiment& experiment, std::vector<std::uint32_t>* words) {
  const Plain& plain = PlainKernels()[static_cast<std::size_t>(experiment.index)];
  gpu::DeviceBuffer out;
  Status status = MakeOut(plain.words + plain.scratch, &out);
  void* address = out.data();
  if (status.ok()) status = Launch(plain.source, plain.symbol, plain.threads, {&address});
  return status.ok() ? Download(out, plain.words, words) : status;
}

// --- Tensor copies. The tensor has 40 rows of 72 elements of 2 bytes, 160 bytes apart, or of another type in as many bytes.
constexpr std::size_t kTensorWords = 40 * 160 / 4;

struct TensorCopy {
  const char* name;
  const char* symbol;  // tensor_load_2d, tensor_store_2d, tensor_reduce_2d
  CUtensorMapDataType type;
  unsigned element_bytes;
  CUtensorMapSwizzle swizzle;
  unsigned box_x, box_y;
  int x, y;
  unsigned stride_x = 1, stride_y = 1;
  CUtensorMapFloatOOBfill fill = CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE;
  unsigned shown = 0;  // bytes of shared memory; 0: as many as the box has
};

constexpr auto kBF16 = CU_TENSOR_MAP_DATA_TYPE_BFLOAT16;
constexpr auto kU8 = CU_TENSOR_MAP_DATA_TYPE_UINT8;
constexpr auto kU32 = CU_TENSOR_MAP_DATA_TYPE_UINT32;
constexpr auto kF32 = CU_TENSOR_MAP_DATA_TYPE_FLOAT32;
constexpr auto kNone = CU_TENSOR_MAP_SWIZZLE_NONE;
constexpr auto k32 = CU_TENSOR_MAP_SWIZZLE_32B;
constexpr auto k64 = CU_TENSOR_MAP_SWIZZLE_64B;
constexpr auto k128 = CU_TENSOR_MAP_SWIZZLE_128B;
constexpr auto kZero = CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE;
constexpr auto kNaN = CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA;

const TensorCopy kTensorCopies[] = {
    {"load_none", "tensor_load_2d", kBF16, 2, kNone, 24, 10, 8, 3},
    {"load_32", "tensor_load_2d", kBF16, 2, k32, 16, 24, 8, 3},
    {"load_64", "tensor_load_2d", kBF16, 2, k64, 32, 24, 8, 3},
    {"load_128", "tensor_load_2d", kBF16, 2, k128, 64, 24, 0, 3},
    {"load_128_narrow", "tensor_load_2d", kBF16, 2, k128, 32, 24, 8, 3},
    {"load_128_narrow_whole", "tensor_load_2d", kBF16, 2, k128, 32, 24, 8, 3, 1, 1, kZero, 3072},
    {"load_128_narrow_32", "tensor_load_2d", kBF16, 2, k128, 16, 24, 8, 3, 1, 1, kZero, 3072},
    {"load_128_narrow_16", "tensor_load_2d", kBF16, 2, k128, 8, 24, 8, 3, 1, 1, kZero, 3072},
    {"load_64_narrow", "tensor_load_2d", kBF16, 2, k64, 16, 24, 8, 3, 1, 1, kZero, 1536},
    {"load_64_narrow_48", "tensor_load_2d", kBF16, 2, k64, 24, 24, 8, 3, 1, 1, kZero, 1536},
    {"load_32_narrow", "tensor_load_2d", kBF16, 2, k32, 8, 24, 8, 3, 1, 1, kZero, 768},
    {"load_before", "tensor_load_2d", kBF16, 2, k128, 64, 16, -5, -3},
    // Which starts a GPU refuses: negative ones, those that are no multiple of 16 bytes, or both; with a swizzle or without.
    {"load_at_-8_-3", "tensor_load_2d", kBF16, 2, k128, 64, 16, -8, -3},
    {"load_at_-8_3", "tensor_load_2d", kBF16, 2, k128, 64, 16, -8, 3},
    {"load_at_0_-3", "tensor_load_2d", kBF16, 2, k128, 64, 16, 0, -3},
    {"load_at_-64_-16", "tensor_load_2d", kBF16, 2, k128, 64, 16, -64, -16},
    {"load_at_5_3", "tensor_load_2d", kBF16, 2, k128, 64, 16, 5, 3},
    {"load_at_5_3_none", "tensor_load_2d", kBF16, 2, kNone, 24, 10, 5, 3},
    {"load_at_-5_-3_none", "tensor_load_2d", kBF16, 2, kNone, 24, 10, -5, -3},
    {"load_at_-8_-3_none", "tensor_load_2d", kBF16, 2, kNone, 24, 10, -8, -3},
    {"load_at_1_0_none", "tensor_load_2d", kBF16, 2, kNone, 24, 10, 1, 0},
    {"load_at_4_0_none", "tensor_load_2d", kBF16, 2, kNone, 24, 10, 4, 0},
    {"load_at_4_0", "tensor_load_2d", kBF16, 2, k128, 64, 16, 4, 0},
    {"load_f32_at_4_3", "tensor_load_2d", kF32, 4, k128, 32, 8, 4, 3},
    {"load_f32_at_-4_3", "tensor_load_2d", kF32, 4, k128, 32, 8, -4, 3},
    {"load_f32_at_2_3", "tensor_load_2d", kF32, 4, k128, 32, 8, 2, 3},
    {"load_f32_at_1_3_none", "tensor_load_2d", kF32, 4, kNone, 32, 8, 1, 3},
    {"load_f32_at_-1_3_none", "tensor_load_2d", kF32, 4, kNone, 32, 8, -1, 3},
    {"load_bytes_at_16_5", "tensor_load_2d", kU8, 1, k128, 128, 12, 16, 5},
    {"load_bytes_at_-16_5", "tensor_load_2d", kU8, 1, k128, 128, 12, -16, 5},
    {"load_bytes_at_8_5", "tensor_load_2d", kU8, 1, k128, 128, 12, 8, 5},
    {"load_bytes_at_1_5_none", "tensor_load_2d", kU8, 1, kNone, 64, 12, 1, 5},
    {"load_behind_at_40_33", "tensor_load_2d", kBF16, 2, k128, 64, 16, 40, 33},
    {"load_nan_at_56_36", "tensor_load_2d", kBF16, 2, k64, 32, 8, 56, 36, 1, 1, kNaN},
    {"load_steps_at_8_1", "tensor_load_2d", kBF16, 2, kNone, 32, 12, 8, 1, 1, 3},
    {"load_behind", "tensor_load_2d", kBF16, 2, k128, 64, 16, 41, 33},
    {"load_outside", "tensor_load_2d", kBF16, 2, k64, 32, 8, 72, 40},
    {"load_nan", "tensor_load_2d", kBF16, 2, k64, 32, 8, 60, 36, 1, 1, kNaN},
    {"load_f32_nan", "tensor_load_2d", kF32, 4, k128, 32, 8, 20, 36, 1, 1, kNaN},
    {"load_bytes", "tensor_load_2d", kU8, 1, k128, 128, 12, 37, 5},
    {"load_steps", "tensor_load_2d", kBF16, 2, kNone, 32, 12, 2, 1, 1, 3},
    {"store_none", "tensor_store_2d", kBF16, 2, kNone, 24, 10, 8, 3},
    {"store_32", "tensor_store_2d", kBF16, 2, k32, 16, 24, 8, 3},
    {"store_64", "tensor_store_2d", kBF16, 2, k64, 32, 24, 8, 3},
    {"store_128", "tensor_store_2d", kBF16, 2, k128, 64, 24, 0, 3},
    {"store_before", "tensor_store_2d", kBF16, 2, k128, 64, 16, -8, -3},
    {"store_behind", "tensor_store_2d", kBF16, 2, k128, 64, 16, 40, 33},
    {"store_bytes", "tensor_store_2d", kU8, 1, k64, 64, 12, 100, 35},
    {"store_at_5_3_none", "tensor_store_2d", kBF16, 2, kNone, 24, 10, 5, 3},
    {"store_at_4_3", "tensor_store_2d", kBF16, 2, k128, 64, 16, 4, 3},
    {"store_bytes_at_96_35", "tensor_store_2d", kU8, 1, k64, 64, 12, 96, 35},
    {"store_128_narrow", "tensor_store_2d", kBF16, 2, k128, 32, 24, 8, 3},
    {"store_64_narrow", "tensor_store_2d", kBF16, 2, k64, 16, 24, 8, 3},
    {"reduce_u32_narrow", "tensor_reduce_2d", kU32, 4, k128, 16, 12, 8, 3},
    {"reduce_u32", "tensor_reduce_2d", kU32, 4, k128, 32, 12, 8, 33},
};

// `columns`: elements of a row that the map shows; others of the 160 bytes lie between rows.
Status MakeMap(const TensorCopy& copy, CUdeviceptr data, unsigned columns, CUtensorMap* map) {
  const driver::Api* api = nullptr;
  Status status = driver::Load(&api);
  if (!status.ok()) return status;
  const cuuint64_t extent[2] = {columns, 40};
  const cuuint64_t stride[1] = {160};
  const cuuint32_t box[2] = {copy.box_x, copy.box_y};
  const cuuint32_t step[2] = {copy.stride_x, copy.stride_y};
  return driver::Check(api->TensorMapEncodeTiled(map, copy.type, 2, reinterpret_cast<void*>(data), extent,
                                                 stride, box, step, CU_TENSOR_MAP_INTERLEAVE_NONE, copy.swizzle,
                                                 CU_TENSOR_MAP_L2_PROMOTION_NONE, copy.fill),
                       "cuTensorMapEncodeTiled");
}

Status RunTensorCopy(const Experiment& experiment, std::vector<std::uint32_t>* words) {
  const TensorCopy& copy = kTensorCopies[experiment.index];
  gpu::DeviceBuffer data, out;
  Status status = gpu::DeviceBuffer::Create(kTensorWords * 4, &data);
  if (!status.ok()) return status;
  std::vector<std::uint32_t> content(kTensorWords);
  for (std::size_t i = 0; i < content.size(); ++i)
    content[i] = static_cast<std::uint32_t>(i * 0x00020002u + 0x00010000u);
  status = data.CopyFrom(content.data(), content.size() * 4);
  // 72 elements of 2 bytes, and as many bytes of the other types.
  alignas(64) CUtensorMap map;
  if (status.ok()) status = MakeMap(copy, data.address(), 144 / copy.element_bytes, &map);
  int x = copy.x, y = copy.y;
  const auto ceil = [](unsigned size, unsigned step) { return (size + step - 1) / step; };
  unsigned bytes = ceil(copy.box_x, copy.stride_x) * ceil(copy.box_y, copy.stride_y) * copy.element_bytes;
  unsigned shown = copy.shown != 0 ? copy.shown : bytes;
  const bool load = std::string(copy.symbol) == "tensor_load_2d";
  if (status.ok()) status = MakeOut(4096, &out);
  void* out_address = out.data();
  if (status.ok()) {
    status = load ? Launch("hopper", copy.symbol, 128, {&map, &out_address, &x, &y, &bytes, &shown})
                  : Launch("hopper", copy.symbol, 128, {&map, &x, &y});
  }
  if (!status.ok()) return status;
  return load ? Download(out, shown / 4, words) : Download(data, kTensorWords, words);
}

// --- wgmma: descriptors of every swizzle, with offsets that lie within the 32 KB of operands. The fields, PTX ISA "Matrix
// Descriptor Format": start address, leading and stride byte offset in units of 16, base offset, swizzle mode.
struct WarpgroupProduct {
  const char* name;
  const char* symbol;
  unsigned a_start, a_leading, a_stride;
  unsigned b_start, b_leading, b_stride;
  unsigned swizzle;  // 0 none, 1 128, 2 64, 3 32 bytes
};

const WarpgroupProduct kWarpgroupProducts[] = {
    {"wgmma_kk_none", "wgmma_n16_kk", 0, 128, 256, 16384, 128, 256, 0},
    {"wgmma_kk_none_wide", "wgmma_n16_kk", 0, 2048, 128, 16384, 1024, 128, 0},
    {"wgmma_kk_32", "wgmma_n16_kk", 0, 16, 256, 16384, 16, 256, 3},
    {"wgmma_kk_64", "wgmma_n16_kk", 0, 16, 512, 16384, 16, 512, 2},
    {"wgmma_kk_128", "wgmma_n16_kk", 0, 16, 1024, 16384, 16, 1024, 1},
    {"wgmma_kk_128_second_k", "wgmma_n16_kk", 32, 16, 1024, 16384 + 64, 16, 1024, 1},
    {"wgmma_kk_64_second_k", "wgmma_n16_kk", 32, 16, 512, 16384 + 32, 16, 512, 2},
    {"wgmma_kn_none", "wgmma_n16_kn", 0, 128, 256, 16384, 128, 256, 0},
    {"wgmma_kn_32", "wgmma_n16_kn", 0, 16, 256, 16384, 512, 256, 3},
    {"wgmma_kn_64", "wgmma_n16_kn", 0, 16, 512, 16384, 1024, 512, 2},
    {"wgmma_kn_128", "wgmma_n16_kn", 0, 16, 1024, 16384, 2048, 1024, 1},
    {"wgmma_mk_none", "wgmma_n16_mk", 0, 128, 1024, 16384, 128, 256, 0},
    {"wgmma_mk_32", "wgmma_n16_mk", 0, 512, 256, 16384, 16, 256, 3},
    {"wgmma_mk_64", "wgmma_n16_mk", 0, 1024, 512, 16384, 16, 512, 2},
    {"wgmma_mk_128", "wgmma_n16_mk", 0, 2048, 1024, 16384, 16, 1024, 1},
    {"wgmma_mn_128", "wgmma_n16_mn", 0, 2048, 1024, 16384, 2048, 1024, 1},
    {"wgmma_mn_64", "wgmma_n16_mn", 0, 1024, 512, 16384, 1024, 512, 2},
    {"wgmma_registers_128", "wgmma_n8_registers", 0, 0, 0, 16384, 16, 1024, 1},
};

std::uint64_t Descriptor(unsigned start, unsigned leading, unsigned stride, unsigned swizzle) {
  return std::uint64_t{start / 16} | std::uint64_t{leading / 16} << 16 | std::uint64_t{stride / 16} << 32 |
         std::uint64_t{swizzle} << 62;
}

Status RunWarpgroupProduct(const Experiment& experiment, std::vector<std::uint32_t>* words) {
  const WarpgroupProduct& product = kWarpgroupProducts[experiment.index];
  std::uint64_t a = Descriptor(product.a_start, product.a_leading, product.a_stride, product.swizzle);
  std::uint64_t b = Descriptor(product.b_start, product.b_leading, product.b_stride, product.swizzle);
  const bool registers = std::string(product.symbol) == "wgmma_n8_registers";
  const std::size_t count = registers ? 512 : 1024;
  gpu::DeviceBuffer out;
  Status status = MakeOut(count, &out);
  void* address = out.data();
  if (status.ok()) {
    status = registers ? Launch("hopper", product.symbol, 128, {&address, &b})
                       : Launch("hopper", product.symbol, 128, {&address, &a, &b});
  }
  return status.ok() ? Download(out, count, words) : status;
}

Status RunRandomProduct(const Experiment& experiment, std::vector<std::uint32_t>* words) {
  const OneCta product = RandomProductNames()[static_cast<std::size_t>(experiment.index)];
  std::uint64_t a = Descriptor(0, 128, 256, 0), b = Descriptor(16384, 128, 256, 0);
  gpu::DeviceBuffer out;
  Status status = MakeOut(product.words, &out);
  void* address = out.data();
  if (status.ok()) status = Launch("products", product.name, 128, {&address, &a, &b});
  return status.ok() ? Download(out, product.words, words) : status;
}

}  // namespace

const std::vector<Experiment>& Experiments() {
  static const std::vector<Experiment> experiments = [] {
    std::vector<Experiment> all;
    int index = 0;
    for (const Plain& plain : PlainKernels()) all.push_back({plain.symbol, plain.tolerance, RunPlain, index++});
    index = 0;
    for (const TensorCopy& copy : kTensorCopies) {
      all.push_back({std::string("tensor_") + copy.name, 0, RunTensorCopy, index++});
    }
    index = 0;
    for (const WarpgroupProduct& product : kWarpgroupProducts) {
      all.push_back({product.name, 0, RunWarpgroupProduct, index++});
    }
    index = 0;
    for (const OneCta& product : RandomProductNames()) {
      all.push_back({product.name, product.tolerance, RunRandomProduct, index++});
    }
    return all;
  }();
  return experiments;
}

}  // namespace gemm::recorded
