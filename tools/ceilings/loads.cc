#include "tools/ceilings/loads.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "common/driver/driver.h"
#include "tools/ceilings/ceilings_ffma.h"
#include "tools/ceilings/ceilings_mma.h"
#include "tools/ceilings/ceilings_stream.h"
#include "tools/ceilings/ceilings_wgmma.h"
#include "tools/ceilings/work.h"

namespace gemm::ceilings {
namespace {

constexpr double kDefaultBytes = 4.0 * (1 << 30);
// Of the L2: what is read from it. A device whose L2 has two parts may keep a copy in each.
constexpr int kL2Part = 4;

driver::LaunchShape Shape(unsigned blocks, int threads, unsigned shared_bytes = 0) {
  driver::LaunchShape shape;
  shape.grid[0] = blocks;
  shape.block[0] = static_cast<unsigned>(threads);
  shape.shared_bytes = shared_bytes;
  return shape;
}

// A kernel that only computes: parameters (turns, sink).
Load Compute(const dispatch::Device& device, driver::Kernel kernel, const Memory& memory, const char* name,
             const char* what, double flops_per_block, int blocks_per_sm, int threads, int shared_bytes) {
  Load load;
  load.name = name;
  load.unit = "TFLOP/s";
  load.what = what;
  load.work_per_turn = flops_per_block * device.sm_count * blocks_per_sm * 1e-12;
  load.blocks_per_sm = {blocks_per_sm};
  load.launch = [=, sms = device.sm_count, sink = memory.sink.data()](unsigned turns, int blocks,
                                                                      CUstream stream) mutable {
    void* params[] = {&turns, &sink};
    return driver::Launch(
        kernel, Shape(static_cast<unsigned>(sms * blocks), threads, static_cast<unsigned>(shared_bytes)),
        stream, params);
  };
  return load;
}

// Reading the first `chunks` chunks again and again.
Load Read(const dispatch::Device& device, driver::Kernel kernel, const Memory& memory, unsigned chunks,
          const char* name, std::string what) {
  Load load;
  load.name = name;
  load.unit = "GB/s";
  load.what = std::move(what);
  load.work_per_turn = static_cast<double>(chunks) * Stream::kChunkBytes * 1e-9;
  load.blocks_per_sm = {1, 2, 4};
  load.launch = [=, sms = device.sm_count, data = memory.buffer.data(), sink = memory.sink.data()](
                    unsigned turns, int blocks, CUstream stream) mutable {
    void* params[] = {&turns, &data, &chunks, &sink};
    return driver::Launch(kernel, Shape(static_cast<unsigned>(sms * blocks), Stream::kThreads), stream, params);
  };
  return load;
}

// Copying the memory's first half to its second.
Load Copy(const dispatch::Device& device, driver::Kernel kernel, const Memory& memory) {
  unsigned chunks = memory.chunks / 2;
  const double bytes = static_cast<double>(chunks) * Stream::kChunkBytes;
  Load load;
  load.name = "memory_copy";
  load.unit = "GB/s";
  load.what = fmt::format("copying {:.1f} MiB in device memory, bytes read and written", bytes / (1 << 20));
  load.work_per_turn = 2 * bytes * 1e-9;
  load.blocks_per_sm = {1, 2, 4};
  void* from = memory.buffer.data();
  void* to = static_cast<char*>(from) + static_cast<std::int64_t>(bytes);
  load.launch = [=, sms = device.sm_count](unsigned turns, int blocks, CUstream stream) mutable {
    void* params[] = {&turns, &from, &to, &chunks};
    return driver::Launch(kernel, Shape(static_cast<unsigned>(sms * blocks), Stream::kThreads), stream, params);
  };
  return load;
}

// wgmma is an instruction of one architecture.
Status FindWgmma(const dispatch::Device& device, int ordinal, driver::Kernel* kernel) {
  if (device.compute_capability() != 90) {
    return Status(StatusCode::kUnsupported,
                  fmt::format("compute capability {}.{} has no wgmma", device.compute_capability_major,
                              device.compute_capability_minor));
  }
  return driver::FindKernel(images::ceilings_wgmma, "wgmma", "ceilings_wgmma_bf16", ordinal,
                            WgmmaRing::kSharedBytes, kernel);
}

}  // namespace

Status CreateMemory(const dispatch::Device& device, int ordinal, double bytes, Memory* memory) {
  std::size_t free = 0, total = 0;
  Status status = gpu::MemoryInfo(&free, &total);
  if (!status.ok()) return status;
  if (bytes <= 0) bytes = std::min(kDefaultBytes, static_cast<double>(free) / 4);
  memory->chunks = 2 * std::max(1u, static_cast<unsigned>(bytes / (2.0 * Stream::kChunkBytes)));
  status = gpu::DeviceBuffer::Create(static_cast<std::size_t>(memory->chunks * Stream::kChunkBytes),
                                     &memory->buffer);
  if (status.ok()) status = gpu::DeviceBuffer::Create(sizeof(float), &memory->sink);
  driver::Kernel fill;
  if (status.ok())
    status = driver::FindKernel(images::ceilings_stream, "stream", "ceilings_fill", ordinal, 0, &fill);
  if (!status.ok()) return status;
  void* data = memory->buffer.data();
  void* params[] = {&data, &memory->chunks};
  status = driver::Launch(fill, Shape(static_cast<unsigned>(2 * device.sm_count), Stream::kThreads), nullptr,
                          params);
  return status.ok() ? gpu::Synchronize() : status;
}

Status MakeLoads(const dispatch::Device& device, int ordinal, const Memory& memory, std::vector<Load>* loads) {
  driver::Kernel read, copy, ffma, mma, wgmma;
  Status status = driver::FindKernel(images::ceilings_stream, "stream", "ceilings_read", ordinal, 0, &read);
  if (status.ok())
    status = driver::FindKernel(images::ceilings_stream, "stream", "ceilings_copy", ordinal, 0, &copy);
  if (status.ok())
    status = driver::FindKernel(images::ceilings_ffma, "ffma", "ceilings_ffma", ordinal, 0, &ffma);
  if (status.ok())
    status = driver::FindKernel(images::ceilings_mma, "mma", "ceilings_mma_bf16", ordinal, 0, &mma);
  if (!status.ok()) return status;
  const double mib = memory.chunks * static_cast<double>(Stream::kChunkBytes) / (1 << 20);
  loads->push_back(Read(device, read, memory, memory.chunks, "memory_read",
                        fmt::format("reading {:.1f} MiB of device memory", mib)));
  loads->push_back(Copy(device, copy, memory));
  const unsigned in_l2 =
      std::clamp(static_cast<unsigned>(device.l2_bytes / kL2Part / Stream::kChunkBytes), 1u, memory.chunks);
  loads->push_back(Read(device, read, memory, in_l2, "l2_read",
                        fmt::format("reading {:.1f} MiB again and again, which lie in the L2, by ld.global.cg",
                                    in_l2 * static_cast<double>(Stream::kChunkBytes) / (1 << 20))));
  loads->push_back(Compute(device, ffma, memory, "ffma_fp32", "FP32 multiply-adds from registers",
                           Ffma::kFlopsPerBlock, Ffma::kBlocksPerSm, Ffma::kThreads, 0));
  loads->push_back(Compute(device, mma, memory, "mma_bf16",
                           "mma.sync m16n8k16, BF16 with FP32 sums, from registers", Mma::kFlopsPerBlock,
                           Mma::kBlocksPerSm, Mma::kThreads, 0));
  status = FindWgmma(device, ordinal, &wgmma);
  loads->push_back(Compute(device, wgmma, memory, "wgmma_bf16",
                           "wgmma m64n256k16, BF16 with FP32 sums, from shared memory",
                           WgmmaRing::kFlopsPerBlock, 1, WgmmaRing::kThreads, WgmmaRing::kSharedBytes));
  loads->back().possible = status;
  // No wgmma on this device is no failure; anything else is.
  return status.code() == StatusCode::kUnsupported ? Status() : status;
}

}  // namespace gemm::ceilings
