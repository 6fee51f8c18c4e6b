// The driver layer and tools/gpu on a real GPU. Skipped without one.
#include <gtest/gtest.h>

#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "common/driver/api.h"
#include "common/driver/driver.h"
#include "tests/driver/driver_test_hopper_image.h"
#include "tests/driver/driver_test_image.h"
#include "tests/support/gpu_environment.h"
#include "tools/gpu/gpu.h"

namespace gemm {
namespace {

using driver::FindKernel;
using driver::Kernel;
using driver::LaunchShape;
using images::driver_test_hopper_image;
using images::driver_test_image;

#define ASSERT_OK(expression)                                     \
  do {                                                            \
    const Status status_of_call = (expression);                   \
    ASSERT_TRUE(status_of_call.ok()) << status_of_call.message(); \
  } while (false)

class DriverGpu : public testing::Test {
 protected:
  void SetUp() override {
    const std::string why = tests::WhyNoGpu();
    if (!why.empty()) GTEST_SKIP() << why;
  }

  static int Capability() {
    int major = 0;
    int minor = 0;
    EXPECT_TRUE(driver::DeviceAttribute(0, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, &major).ok());
    EXPECT_TRUE(driver::DeviceAttribute(0, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, &minor).ok());
    return 10 * major + minor;
  }
};

// Launches driver_test_store over 256 threads and checks what it stored.
void StoreAndCheck(Kernel kernel, const gpu::DeviceBuffer& buffer, unsigned value, bool programmatic,
                   CUstream stream) {
  void* out = buffer.data();
  void* params[] = {&out, &value};
  LaunchShape shape;
  shape.grid[0] = 4;
  shape.block[0] = 64;
  shape.programmatic = programmatic;
  ASSERT_OK(buffer.Fill(0, stream));
  ASSERT_OK(driver::Launch(kernel, shape, stream, params));
  std::vector<unsigned> got(256);
  ASSERT_OK(buffer.CopyTo(got.data(), 1024, 0, stream));
  std::vector<unsigned> want(256);
  std::iota(want.begin(), want.end(), value);
  EXPECT_EQ(got, want);
}

TEST_F(DriverGpu, RunsAKernelInALentContext) {
  const driver::ContextScope scope(0);
  ASSERT_OK(scope.status());
  Kernel kernel;
  ASSERT_OK(FindKernel(driver_test_image, "probe", "driver_test_store", 0, 0, &kernel));
  gpu::DeviceBuffer buffer;
  ASSERT_OK(gpu::DeviceBuffer::Create(1024, &buffer));
  StoreAndCheck(kernel, buffer, 5, false, nullptr);
  if (Capability() >= 90) StoreAndCheck(kernel, buffer, 6, true, nullptr);
}

TEST_F(DriverGpu, LeavesTheThreadWithoutAContext) {
  int device = -2;
  ASSERT_OK(driver::CurrentDevice(&device));
  EXPECT_EQ(device, -1);
  {
    const driver::ContextScope scope(0);
    ASSERT_OK(driver::CurrentDevice(&device));
    EXPECT_EQ(device, 0);
  }
  ASSERT_OK(driver::CurrentDevice(&device));
  EXPECT_EQ(device, -1);
}

TEST_F(DriverGpu, OneKernelRunsInSeveralContexts) {
  Kernel kernel;
  {
    const driver::ContextScope scope(0);
    ASSERT_OK(FindKernel(driver_test_image, "probe", "driver_test_store", 0, 0, &kernel));
  }
  for (unsigned i = 0; i < 2; ++i) {
    gpu::Context context;
    ASSERT_OK(gpu::Context::Separate(0, &context));
    const driver::ContextScope scope(0);
    ASSERT_OK(scope.status());
    gpu::DeviceBuffer buffer;
    ASSERT_OK(gpu::DeviceBuffer::Create(1024, &buffer));
    StoreAndCheck(kernel, buffer, 100 + i, false, nullptr);
  }
}

TEST_F(DriverGpu, ThreadsFindAndLaunchAtOnce) {
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < 8; ++i) {
    threads.emplace_back([i] {
      const driver::ContextScope scope(0);
      ASSERT_OK(scope.status());
      Kernel kernel;
      ASSERT_OK(FindKernel(driver_test_image, "probe", "driver_test_store", 0, 0, &kernel));
      gpu::Stream stream;
      gpu::DeviceBuffer buffer;
      ASSERT_OK(gpu::Stream::Create(&stream));
      ASSERT_OK(gpu::DeviceBuffer::Create(1024, &buffer));
      for (unsigned repeat = 0; repeat < 20; ++repeat) {
        StoreAndCheck(kernel, buffer, 1000 * i + repeat, false, stream.handle());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST_F(DriverGpu, RaisesTheSharedMemoryLimit) {
  const driver::ContextScope scope(0);
  int most = 0;
  ASSERT_OK(driver::DeviceAttribute(0, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, &most));
  gpu::DeviceBuffer buffer;
  ASSERT_OK(gpu::DeviceBuffer::Create(16, &buffer));
  for (const int bytes : {1024, most, 4096}) {
    Kernel kernel;
    ASSERT_OK(FindKernel(driver_test_image, "probe", "driver_test_shared", 0, bytes, &kernel));
    void* out = buffer.data();
    unsigned size = static_cast<unsigned>(most);  // the limit never sinks
    if (bytes == 1024) size = 1024;
    void* params[] = {&out, &size};
    LaunchShape shape;
    shape.block[0] = 32;
    shape.shared_bytes = size;
    ASSERT_OK(buffer.Fill(0));
    ASSERT_OK(driver::Launch(kernel, shape, nullptr, params));
    unsigned got = 0;
    ASSERT_OK(buffer.CopyTo(&got, sizeof(got)));
    EXPECT_EQ(got, 1024u) << bytes;
  }
  Kernel kernel;
  EXPECT_EQ(FindKernel(driver_test_image, "probe", "driver_test_shared", 0, most + 1, &kernel).code(),
            StatusCode::kDriverError);
}

TEST_F(DriverGpu, LaunchesClusters) {
  if (Capability() != 90) GTEST_SKIP() << tests::ReasonToSkip("the kernel is for compute capability 9.0");
  const driver::ContextScope scope(0);
  Kernel kernel;
  ASSERT_OK(FindKernel(driver_test_hopper_image, "probe_hopper", "driver_test_cluster", 0, 0, &kernel));
  gpu::DeviceBuffer buffer;
  ASSERT_OK(gpu::DeviceBuffer::Create(8 * sizeof(unsigned), &buffer));
  for (const unsigned size : {1u, 2u, 4u, 8u}) {
    void* out = buffer.data();
    void* params[] = {&out};
    LaunchShape shape;
    shape.grid[0] = 8;
    shape.block[0] = 32;
    shape.cluster[0] = size;
    ASSERT_OK(driver::Launch(kernel, shape, nullptr, params));
    std::vector<unsigned> got(8);
    ASSERT_OK(buffer.CopyTo(got.data(), 32));
    EXPECT_EQ(got, std::vector<unsigned>(8, size));
    int clusters = 0;
    ASSERT_OK(gpu::MaxActiveClusters(kernel, shape, &clusters));
    EXPECT_GT(clusters, 0);
  }
  LaunchShape uneven;
  uneven.grid[0] = 3;
  uneven.cluster[0] = 2;
  void* out = buffer.data();
  void* params[] = {&out};
  EXPECT_EQ(driver::Launch(kernel, uneven, nullptr, params).code(), StatusCode::kDriverError);
}

TEST_F(DriverGpu, CapturesAndReplays) {
  const driver::ContextScope scope(0);
  Kernel kernel;
  ASSERT_OK(FindKernel(driver_test_image, "probe", "driver_test_store", 0, 0, &kernel));
  gpu::Stream stream;
  gpu::DeviceBuffer buffer;
  gpu::Graph graph;
  ASSERT_OK(gpu::Stream::Create(&stream));
  ASSERT_OK(gpu::DeviceBuffer::Create(1024, &buffer));
  void* out = buffer.data();
  unsigned value = 9;
  void* params[] = {&out, &value};
  LaunchShape shape;
  shape.grid[0] = 4;
  shape.block[0] = 64;
  ASSERT_OK(stream.BeginCapture());
  ASSERT_OK(driver::Launch(kernel, shape, stream.handle(), params));
  ASSERT_OK(stream.EndCapture(&graph));
  EXPECT_EQ(graph.node_count(), 1u);
  EXPECT_EQ(graph.kernel_count(), 1u);
  for (int repeat = 0; repeat < 3; ++repeat) {
    ASSERT_OK(buffer.Fill(0, stream.handle()));
    gpu::Event begin;
    gpu::Event end;
    float milliseconds = -1;
    ASSERT_OK(gpu::Event::Create(&begin));
    ASSERT_OK(gpu::Event::Create(&end));
    ASSERT_OK(begin.Record(stream.handle()));
    ASSERT_OK(graph.Launch(stream.handle()));
    ASSERT_OK(end.Record(stream.handle()));
    unsigned last = 0;
    ASSERT_OK(buffer.CopyTo(&last, sizeof(last), 1020, stream.handle()));
    EXPECT_EQ(last, 9u + 255);
    ASSERT_OK(gpu::ElapsedMilliseconds(begin, end, &milliseconds));
    EXPECT_GE(milliseconds, 0);
  }
}

TEST_F(DriverGpu, GuardsSeeWhatAKernelWrites) {
  const driver::ContextScope scope(0);
  Kernel kernel;
  ASSERT_OK(FindKernel(driver_test_image, "probe", "driver_test_store", 0, 0, &kernel));
  gpu::GuardedBuffer buffer;
  ASSERT_OK(gpu::GuardedBuffer::Create(255 * sizeof(unsigned), 4, &buffer));
  void* out = buffer.data();
  unsigned value = 1;
  void* params[] = {&out, &value};
  LaunchShape shape;
  shape.block[0] = 255;
  ASSERT_OK(driver::Launch(kernel, shape, nullptr, params));
  ASSERT_OK(buffer.CheckGuards());
  shape.block[0] = 256;
  ASSERT_OK(driver::Launch(kernel, shape, nullptr, params));
  EXPECT_EQ(buffer.CheckGuards().message(),
            "the guard behind the buffer was written: the byte 0 past its end is 0 instead of 255");
}

TEST_F(DriverGpu, DescribesKernels) {
  const driver::ContextScope scope(0);
  Kernel kernel;
  ASSERT_OK(FindKernel(driver_test_image, "probe", "driver_test_store", 0, 0, &kernel));
  gpu::KernelInfo info;
  ASSERT_OK(gpu::GetKernelInfo(kernel, 0, &info));
  EXPECT_GT(info.registers, 0);
  EXPECT_EQ(info.local_bytes, 0);
  EXPECT_EQ(info.max_threads, 1024);
  if (Capability() == 90) {
    EXPECT_EQ(info.binary_version, 90);
  }
  int blocks = 0;
  ASSERT_OK(gpu::BlocksPerSm(kernel, 256, 0, &blocks));
  EXPECT_GT(blocks, 0);
  std::size_t l2 = 0;
  ASSERT_OK(gpu::L2Bytes(0, &l2));
  EXPECT_GT(l2, std::size_t{1} << 20);
}

TEST_F(DriverGpu, TakesPtxWhereThereIsNoCubin) {
  // The same image without its cubins: the driver compiles the PTX.
  std::vector<driver::Code> ptx;
  for (std::size_t i = 0; i < driver_test_image.count; ++i) {
    if (driver_test_image.codes[i].is_ptx) ptx.push_back(driver_test_image.codes[i]);
  }
  // Static, as an image's address identifies it for the life of the process.
  static std::vector<driver::Code> codes = ptx;
  static const driver::Image image = {"ptx only", codes.data(), codes.size()};
  const driver::ContextScope scope(0);
  Kernel kernel;
  ASSERT_OK(FindKernel(image, "probe", "driver_test_store", 0, 0, &kernel));
  gpu::DeviceBuffer buffer;
  ASSERT_OK(gpu::DeviceBuffer::Create(1024, &buffer));
  StoreAndCheck(kernel, buffer, 11, false, nullptr);
}

TEST_F(DriverGpu, FallsThroughFromACubinThatTheDriverRefuses) {
  // A cubin of garbage that claims to be this architecture's, then the PTX.
  static const std::string target = "sm_" + std::to_string(Capability());
  static const char garbage[256] = "\177ELF and nothing else";
  static std::vector<driver::Code> codes = {{"probe", target.c_str(), garbage, sizeof(garbage), false}};
  for (std::size_t i = 0; i < driver_test_image.count; ++i) {
    if (driver_test_image.codes[i].is_ptx) codes.push_back(driver_test_image.codes[i]);
  }
  static const driver::Image image = {"with garbage", codes.data(), codes.size()};
  const driver::ContextScope scope(0);
  Kernel kernel;
  ASSERT_OK(FindKernel(image, "probe", "driver_test_store", 0, 0, &kernel));
  gpu::DeviceBuffer buffer;
  ASSERT_OK(gpu::DeviceBuffer::Create(1024, &buffer));
  StoreAndCheck(kernel, buffer, 12, false, nullptr);
}

TEST_F(DriverGpu, NamesASymbolThatIsNotThere) {
  const driver::ContextScope scope(0);
  Kernel kernel;
  EXPECT_EQ(FindKernel(driver_test_image, "probe", "driver_test_nothing", 0, 0, &kernel).code(),
            StatusCode::kInternal);
}

TEST_F(DriverGpu, EncodesTensorMaps) {
  if (Capability() < 90) GTEST_SKIP() << tests::ReasonToSkip("no tensor maps below compute capability 9.0");
  const driver::ContextScope scope(0);
  gpu::DeviceBuffer buffer;
  ASSERT_OK(gpu::DeviceBuffer::Create(1 << 20, &buffer));
  driver::TensorMapShape shape;
  shape.extent[0] = 512;
  shape.extent[1] = 512;
  shape.stride_bytes[0] = 1024;
  shape.box[0] = 64;
  shape.box[1] = 128;
  CUtensorMap map;
  ASSERT_OK(driver::EncodeTensorMap(shape, buffer.data(), &map));
  EXPECT_EQ(driver::EncodeTensorMap(shape, static_cast<char*>(buffer.data()) + 8, &map).code(),
            StatusCode::kDriverError);
  // A batch that is broadcast: a stride of 0.
  shape.rank = 3;
  shape.extent[2] = 4;
  shape.stride_bytes[1] = 0;
  shape.box[2] = 1;
  ASSERT_OK(driver::EncodeTensorMap(shape, buffer.data(), &map));
}

}  // namespace
}  // namespace gemm
