// y = x w^T in BF16, as an engine computes a layer, from allocation to a checked result: the public header, the CUDA
// Driver API and nothing else.
//
//   multiply [tokens [features [hidden]]]
#include <cuda.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "gemm/gemm.h"

namespace {

[[noreturn]] void Fail(const char* what, const char* why) {
  std::fprintf(stderr, "multiply: %s: %s\n", what, why);
  std::exit(1);
}

void Check(CUresult result, const char* call) {
  if (result == CUDA_SUCCESS) return;
  const char* why = nullptr;
  if (cuGetErrorString(result, &why) != CUDA_SUCCESS) why = "an unknown error";
  Fail(call, why);
}

void Check(const gemm::Status& status, const char* call) {
  if (!status.ok()) Fail(call, status.message().c_str());
}

struct Sizes {
  std::int64_t tokens = 16;
  std::int64_t features = 512;
  std::int64_t hidden = 512;
};

Sizes ParseSizes(int argc, char** argv) {
  Sizes sizes;
  std::int64_t* const values[] = {&sizes.tokens, &sizes.features, &sizes.hidden};
  if (argc > 4) Fail("usage", "multiply [tokens [features [hidden]]]");
  for (int i = 1; i < argc; ++i) {
    *values[i - 1] = std::atoll(argv[i]);
    if (*values[i - 1] < 1) Fail(argv[i], "sizes are 1 or more");
  }
  return sizes;
}

// To the nearest, ties to even: as the GPU rounds. Not for NaN.
std::uint16_t ToBF16(float value) {
  std::uint32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return static_cast<std::uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

float FromBF16(std::uint16_t value) {
  const std::uint32_t bits = std::uint32_t{value} << 16;
  float result;
  std::memcpy(&result, &bits, sizeof(result));
  return result;
}

// Integers from -3 to 3.
std::vector<std::uint16_t> SmallIntegers(std::int64_t count, std::uint32_t seed) {
  std::vector<std::uint16_t> values(static_cast<std::size_t>(count));
  for (std::uint16_t& value : values) {
    seed = seed * 1664525 + 1013904223;
    value = ToBF16(static_cast<float>(static_cast<int>(seed >> 24) % 7 - 3));
  }
  return values;
}

// The product on the CPU. Sums of small integers are exact in FP32 in whatever order, up to 2^24 / 9 of them, so y must come out bit for bit.
std::vector<std::uint16_t> Expected(const Sizes& sizes, const std::vector<std::uint16_t>& x,
                                    const std::vector<std::uint16_t>& w) {
  std::vector<std::uint16_t> y;
  for (std::int64_t i = 0; i < sizes.tokens; ++i) {
    for (std::int64_t j = 0; j < sizes.features; ++j) {
      float sum = 0;
      for (std::int64_t l = 0; l < sizes.hidden; ++l) {
        sum += FromBF16(x[i * sizes.hidden + l]) * FromBF16(w[j * sizes.hidden + l]);
      }
      y.push_back(ToBF16(sum));
    }
  }
  return y;
}

gemm::Plan MakePlan(const Sizes& sizes) {
  gemm::Problem problem;  // types default to BF16
  problem.m = sizes.tokens;
  problem.n = sizes.features;
  problem.k = sizes.hidden;
  problem.b.layout = gemm::Layout::kColumnMajor;  // w is stored [features, hidden]
  gemm::Plan plan;
  Check(gemm::Plan::Create(problem, {}, &plan), "Plan::Create");
  return plan;
}

CUdeviceptr Allocate(std::size_t bytes) {
  CUdeviceptr address = 0;  // stays so for 0 bytes, which cuMemAlloc refuses: many plans need no workspace
  if (bytes != 0) Check(cuMemAlloc(&address, bytes), "cuMemAlloc");
  return address;
}

void Free(CUdeviceptr address) {
  if (address != 0) Check(cuMemFree(address), "cuMemFree");
}

void* Pointer(CUdeviceptr address) { return reinterpret_cast<void*>(address); }

// Copies in, runs, copies out: all in `stream`, in the current context.
std::vector<std::uint16_t> Multiply(const gemm::Plan& plan, const Sizes& sizes, CUstream stream,
                                    const std::vector<std::uint16_t>& x, const std::vector<std::uint16_t>& w) {
  std::vector<std::uint16_t> y(static_cast<std::size_t>(sizes.tokens * sizes.features));
  const std::size_t x_bytes = x.size() * sizeof(x[0]);
  const std::size_t w_bytes = w.size() * sizeof(w[0]);
  const std::size_t y_bytes = y.size() * sizeof(y[0]);
  const CUdeviceptr device_x = Allocate(x_bytes);
  const CUdeviceptr device_w = Allocate(w_bytes);
  const CUdeviceptr device_y = Allocate(y_bytes);
  const CUdeviceptr workspace = Allocate(plan.workspace_size());
  Check(cuMemcpyHtoDAsync(device_x, x.data(), x_bytes, stream), "cuMemcpyHtoDAsync");
  Check(cuMemcpyHtoDAsync(device_w, w.data(), w_bytes, stream), "cuMemcpyHtoDAsync");

  gemm::Arguments args;
  args.a = Pointer(device_x);
  args.b = Pointer(device_w);
  args.d = Pointer(device_y);
  args.workspace = Pointer(workspace);
  args.workspace_size = plan.workspace_size();
  args.stream = stream;
  Check(plan.Run(args), "Plan::Run");  // launches and returns: the product is done when the stream is

  Check(cuMemcpyDtoHAsync(y.data(), device_y, y_bytes, stream), "cuMemcpyDtoHAsync");
  Check(cuStreamSynchronize(stream), "cuStreamSynchronize");
  for (const CUdeviceptr address : {device_x, device_w, device_y, workspace}) Free(address);
  return y;
}

}  // namespace

int main(int argc, char** argv) {
  const Sizes sizes = ParseSizes(argc, argv);
  CUdevice device;
  char name[256];
  CUcontext context;  // the device's primary one, which the CUDA runtime would use too
  CUstream stream;
  Check(cuInit(0), "cuInit");
  Check(cuDeviceGet(&device, 0), "cuDeviceGet");
  Check(cuDeviceGetName(name, sizeof(name), device), "cuDeviceGetName");
  Check(cuDevicePrimaryCtxRetain(&context, device), "cuDevicePrimaryCtxRetain");
  Check(cuCtxSetCurrent(context), "cuCtxSetCurrent");
  Check(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING), "cuStreamCreate");

  const gemm::Plan plan = MakePlan(sizes);  // once for each shape
  std::printf("device %s\nkernel %s\nworkspace %zu bytes\n", name, plan.kernel_name(), plan.workspace_size());
  const std::vector<std::uint16_t> x = SmallIntegers(sizes.tokens * sizes.hidden, 1);
  const std::vector<std::uint16_t> w = SmallIntegers(sizes.features * sizes.hidden, 2);
  if (Multiply(plan, sizes, stream, x, w) != Expected(sizes, x, w)) Fail("y", "differs from the CPU's product");
  std::printf("ok\n");

  Check(cuStreamDestroy(stream), "cuStreamDestroy");
  Check(cuDevicePrimaryCtxRelease(device), "cuDevicePrimaryCtxRelease");
  return 0;
}
