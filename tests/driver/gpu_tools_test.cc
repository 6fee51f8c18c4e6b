// tools/gpu on the fake driver, which keeps device memory in host memory.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tests/driver/driver_test_image.h"
#include "tests/fake_driver/fake_driver.h"
#include "tools/gpu/gpu.h"

namespace gemm::gpu {
namespace {

using fake::FakeDriver;
using fake::InChild;

// Runs `body` with a primary context, and expects that nothing is left behind.
bool WithContext(const std::function<void(FakeDriver&)>& body) {
  return InChild([&](FakeDriver& driver) {
    {
      Context context;
      const Status status = Context::Primary(0, &context);
      ASSERT_TRUE(status.ok()) << status.message();
      body(driver);
    }
    for (const char* kind : {"memory", "stream", "event", "graph", "context"})
      EXPECT_EQ(driver.alive(kind), 0u) << kind;
    EXPECT_EQ(driver.context_depth(), 0u);
  });
}

TEST(GpuLoad, FindsEveryFunctionWithTheOldestDriver) {
  EXPECT_TRUE(InChild([](FakeDriver& driver) {
    driver.Set("VERSION", "12000");
    const Api* api = nullptr;
    const Status status = Load(&api);
    ASSERT_TRUE(status.ok()) << status.message();
    EXPECT_EQ(WhyNoGpu(), "");
    int version = 0;
    EXPECT_TRUE(DriverVersion(&version).ok());
    EXPECT_EQ(version, 12000);
  }));
}

TEST(GpuLoad, SaysWhyThereIsNoGpu) {
  EXPECT_TRUE(InChild([](FakeDriver& driver) {
    driver.Set("DEVICES", "none");
    EXPECT_EQ(WhyNoGpu(), "the NVIDIA driver sees no device");
    Context context;
    EXPECT_EQ(Context::Primary(0, &context).code(), StatusCode::kNoDevice);
    DeviceBuffer buffer;
    EXPECT_EQ(DeviceBuffer::Create(16, &buffer).code(), StatusCode::kNoDevice);
  }));
}

TEST(GpuContext, IsCurrentUntilItIsGone) {
  EXPECT_TRUE(InChild([](FakeDriver& driver) {
    driver.Set("DEVICES", "h200,a100");
    int device = -2;
    {
      Context outer;
      Context inner;
      ASSERT_TRUE(Context::Primary(1, &outer).ok());
      ASSERT_TRUE(Context::Separate(0, &inner).ok());
      EXPECT_TRUE(driver::CurrentDevice(&device).ok());
      EXPECT_EQ(device, 0);
      inner.Reset();
      EXPECT_TRUE(driver::CurrentDevice(&device).ok());
      EXPECT_EQ(device, 1);
      Context moved = std::move(outer);
      EXPECT_EQ(outer.handle(), nullptr);
      EXPECT_EQ(moved.device(), 1);
    }
    EXPECT_TRUE(driver::CurrentDevice(&device).ok());
    EXPECT_EQ(device, -1);
    EXPECT_EQ(driver.alive("context"), 0u);
    Context none;
    EXPECT_EQ(Context::Separate(2, &none).message(), "device is 2; the driver sees 2, numbered from 0");
    EXPECT_EQ(Context::Primary(-1, &none).code(), StatusCode::kNoDevice);
  }));
}

TEST(GpuContext, GivesBackWhatItRetainedWhenPushingFails) {
  EXPECT_TRUE(InChild([](FakeDriver& driver) {
    driver.Set("FAIL", "cuCtxPushCurrent:2");
    Context context;
    EXPECT_EQ(Context::Primary(0, &context).code(), StatusCode::kOutOfMemory);
    EXPECT_EQ(driver.alive("context"), 0u);
  }));
}

TEST(GpuDeviceBuffer, CopiesThereAndBack) {
  EXPECT_TRUE(WithContext([](FakeDriver&) {
    DeviceBuffer buffer;
    ASSERT_TRUE(DeviceBuffer::Create(100, &buffer).ok());
    EXPECT_EQ(buffer.address() % 256, 0u);
    std::vector<std::uint8_t> out(100);
    for (int i = 0; i < 100; ++i) out[i] = static_cast<std::uint8_t>(i);
    ASSERT_TRUE(buffer.CopyFrom(out.data(), 100).ok());
    std::vector<std::uint8_t> back(10);
    ASSERT_TRUE(buffer.CopyTo(back.data(), 10, 90).ok());
    EXPECT_EQ(back.front(), 90);
    EXPECT_EQ(back.back(), 99);
    ASSERT_TRUE(buffer.Fill(7).ok());
    ASSERT_TRUE(buffer.CopyTo(back.data(), 10).ok());
    EXPECT_EQ(back[5], 7);
    DeviceBuffer moved = std::move(buffer);
    EXPECT_EQ(buffer.data(), nullptr);
    EXPECT_EQ(moved.size(), 100u);
    ASSERT_TRUE(DeviceBuffer::Create(50, &moved).ok());
    EXPECT_EQ(moved.size(), 50u);
  }));
}

TEST(GpuDeviceBuffer, RefusesCopiesPastItsEnd) {
  EXPECT_TRUE(WithContext([](FakeDriver& driver) {
    DeviceBuffer buffer;
    ASSERT_TRUE(DeviceBuffer::Create(16, &buffer).ok());
    char host[64] = {};
    const std::size_t before = driver.calls();
    EXPECT_EQ(buffer.CopyFrom(host, 17).code(), StatusCode::kInvalidArgument);
    EXPECT_EQ(buffer.CopyTo(host, 1, 16).code(), StatusCode::kInvalidArgument);
    EXPECT_EQ(buffer.CopyTo(host, SIZE_MAX, 8).code(), StatusCode::kInvalidArgument);
    EXPECT_EQ(buffer.CopyTo(host, 0, 17).code(), StatusCode::kInvalidArgument);
    EXPECT_EQ(driver.calls(), before);
    EXPECT_TRUE(buffer.CopyTo(host, 0, 16).ok());
  }));
}

TEST(GpuDeviceBuffer, RunsOutOfMemoryInASentence) {
  EXPECT_TRUE(WithContext([](FakeDriver& driver) {
    driver.Set("MEMORY", "1000");
    DeviceBuffer buffer;
    ASSERT_TRUE(DeviceBuffer::Create(600, &buffer).ok());
    void* const before = buffer.data();
    const Status status = DeviceBuffer::Create(600, &buffer);
    EXPECT_EQ(status.code(), StatusCode::kOutOfMemory);
    EXPECT_EQ(status.message(), "the device has no room for 600 bytes");
    EXPECT_EQ(buffer.data(), before);
    std::size_t free = 0;
    std::size_t total = 0;
    ASSERT_TRUE(MemoryInfo(&free, &total).ok());
    EXPECT_EQ(free, 400u);
    EXPECT_EQ(total, 1000u);
    DeviceBuffer empty;
    EXPECT_TRUE(DeviceBuffer::Create(0, &empty).ok());
    EXPECT_EQ(empty.data(), nullptr);
    EXPECT_TRUE(empty.Fill(1).ok());
    EXPECT_TRUE(Synchronize().ok());
  }));
}

TEST(GpuGuardedBuffer, PlacesTheBytesAsAsked) {
  EXPECT_TRUE(WithContext([](FakeDriver&) {
    for (const std::size_t misalignment : {0, 1, 2, 16, 255}) {
      GuardedBuffer buffer;
      ASSERT_TRUE(GuardedBuffer::Create(33, misalignment, &buffer).ok());
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(buffer.data()) % 256, misalignment);
      std::vector<std::uint8_t> bytes(33);
      ASSERT_TRUE(buffer.CopyTo(bytes.data(), 33).ok());
      for (const std::uint8_t byte : bytes) EXPECT_EQ(byte, GuardedBuffer::kPoison);
      std::fill(bytes.begin(), bytes.end(), std::uint8_t{0});
      ASSERT_TRUE(buffer.CopyFrom(bytes.data(), 33).ok());
      EXPECT_TRUE(buffer.CheckGuards().ok());
      EXPECT_EQ(buffer.CopyFrom(bytes.data(), 34).code(), StatusCode::kInvalidArgument);
    }
    GuardedBuffer refused;
    EXPECT_EQ(GuardedBuffer::Create(1, 256, &refused).code(), StatusCode::kInvalidArgument);
    EXPECT_EQ(GuardedBuffer::Create(SIZE_MAX, 0, &refused).code(), StatusCode::kOutOfMemory);
  }));
}

// The sentence of CheckGuards after `distance` bytes from data() one byte was written.
std::string WriteAt(std::ptrdiff_t distance, std::size_t size) {
  GuardedBuffer buffer;
  EXPECT_TRUE(GuardedBuffer::Create(size, 0, &buffer).ok());
  EXPECT_TRUE(Fill(static_cast<char*>(buffer.data()) + distance, 3, 1, nullptr).ok());
  const Status status = buffer.CheckGuards();
  EXPECT_EQ(status.code(), status.ok() ? StatusCode::kOk : StatusCode::kInternal);
  EXPECT_TRUE(buffer.Poison().ok());
  EXPECT_TRUE(buffer.CheckGuards().ok());
  return status.message();
}

TEST(GpuGuardedBuffer, FindsWritesOnEitherSide) {
  EXPECT_TRUE(WithContext([](FakeDriver&) {
    const auto guard = static_cast<std::ptrdiff_t>(GuardedBuffer::kGuardBytes);
    EXPECT_EQ(WriteAt(0, 10), "");
    EXPECT_EQ(WriteAt(9, 10), "");
    EXPECT_EQ(WriteAt(-1, 10),
              "the guard before the buffer was written: the byte 1 before its start is 3 instead of 255");
    EXPECT_EQ(WriteAt(10, 10),
              "the guard behind the buffer was written: the byte 0 past its end is 3 instead of 255");
    EXPECT_NE(WriteAt(-guard, 10), "");
    EXPECT_NE(WriteAt(9 + guard, 10), "");
    EXPECT_NE(WriteAt(0, 0), "");
  }));
}

TEST(GpuStream, CapturesAGraph) {
  EXPECT_TRUE(WithContext([](FakeDriver& driver) {
    driver::Kernel kernel;
    ASSERT_TRUE(
        driver::FindKernel(images::driver_test_image, "probe", "driver_test_store", 0, 0, &kernel).ok());
    Stream stream;
    DeviceBuffer buffer;
    Graph graph;
    ASSERT_TRUE(Stream::Create(&stream).ok());
    ASSERT_TRUE(DeviceBuffer::Create(64, &buffer).ok());
    ASSERT_TRUE(stream.BeginCapture().ok());
    EXPECT_FALSE(stream.BeginCapture().ok());
    EXPECT_FALSE(stream.Synchronize().ok());
    ASSERT_TRUE(buffer.Fill(0, stream.handle()).ok());
    ASSERT_TRUE(driver::Launch(kernel, driver::LaunchShape(), stream.handle(), nullptr).ok());
    ASSERT_TRUE(driver::Launch(kernel, driver::LaunchShape(), stream.handle(), nullptr).ok());
    ASSERT_TRUE(stream.EndCapture(&graph).ok());
    EXPECT_EQ(graph.node_count(), 3u);
    EXPECT_EQ(graph.kernel_count(), 2u);
    ASSERT_TRUE(graph.edges().has_value());
    EXPECT_EQ(graph.edges()->plain, 2u);
    EXPECT_EQ(graph.edges()->programmatic, 0u);
    EXPECT_EQ(driver.launch(0).captured, 1);
    EXPECT_TRUE(graph.Launch(stream.handle()).ok());
    EXPECT_EQ(driver.graph_launch_count(), 1u);
    EXPECT_FALSE(stream.EndCapture(&graph).ok());
    EXPECT_EQ(graph.kernel_count(), 2u);
    Graph moved = std::move(graph);
    EXPECT_FALSE(graph.Launch(stream.handle()).ok());
    EXPECT_TRUE(moved.Launch(stream.handle()).ok());
  }));
}

// Edges of a fill, a kernel and two that may start early.
std::optional<GraphEdges> EdgesOfAChain() {
  driver::Kernel kernel;
  Stream stream;
  DeviceBuffer buffer;
  Graph graph;
  EXPECT_TRUE(driver::FindKernel(images::driver_test_image, "probe", "driver_test_store", 0, 0, &kernel).ok());
  EXPECT_TRUE(Stream::Create(&stream).ok());
  EXPECT_TRUE(DeviceBuffer::Create(64, &buffer).ok());
  EXPECT_TRUE(stream.BeginCapture().ok());
  EXPECT_TRUE(buffer.Fill(0, stream.handle()).ok());
  driver::LaunchShape early;
  early.programmatic = true;
  for (const driver::LaunchShape& shape : {driver::LaunchShape(), early, early})
    EXPECT_TRUE(driver::Launch(kernel, shape, stream.handle(), nullptr).ok());
  EXPECT_TRUE(stream.EndCapture(&graph).ok());
  return graph.edges();
}

TEST(GpuStream, CountsProgrammaticEdges) {
  EXPECT_TRUE(WithContext([](FakeDriver&) {
    const std::optional<GraphEdges> edges = EdgesOfAChain();
    ASSERT_TRUE(edges.has_value());
    EXPECT_EQ(edges->plain, 1u);
    EXPECT_EQ(edges->programmatic, 2u);
  }));
}

TEST(GpuStream, DoesNotAskAnOldDriverForEdges) {
  EXPECT_TRUE(WithContext([](FakeDriver& driver) {
    driver.Set("MISSING", "cuGraphGetEdges");
    EXPECT_FALSE(EdgesOfAChain().has_value());
  }));
}

TEST(GpuStream, AFailedInstantiationLeavesNothing) {
  EXPECT_TRUE(WithContext([](FakeDriver& driver) {
    Stream stream;
    Graph graph;
    ASSERT_TRUE(Stream::Create(&stream).ok());
    ASSERT_TRUE(stream.BeginCapture().ok());
    driver.Set("FAIL", "cuGraphInstantiateWithFlags:2");
    EXPECT_EQ(stream.EndCapture(&graph).code(), StatusCode::kOutOfMemory);
    EXPECT_EQ(driver.alive("graph"), 0u);
  }));
}

TEST(GpuEvent, MeasuresTime) {
  EXPECT_TRUE(WithContext([](FakeDriver&) {
    Event begin;
    Event end;
    Stream stream;
    float milliseconds = -1;
    ASSERT_TRUE(Event::Create(&begin).ok());
    ASSERT_TRUE(Event::Create(&end).ok());
    ASSERT_TRUE(Stream::Create(&stream).ok());
    EXPECT_FALSE(ElapsedMilliseconds(begin, end, &milliseconds).ok());
    ASSERT_TRUE(begin.Record(stream.handle()).ok());
    ASSERT_TRUE(stream.Wait(begin).ok());
    ASSERT_TRUE(end.Record(stream.handle()).ok());
    ASSERT_TRUE(end.Synchronize().ok());
    ASSERT_TRUE(ElapsedMilliseconds(begin, end, &milliseconds).ok());
    EXPECT_GE(milliseconds, 0);
    EXPECT_FALSE(Event().Record(stream.handle()).ok());
  }));
}

}  // namespace
}  // namespace gemm::gpu
