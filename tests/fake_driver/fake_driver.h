// A libcuda.so.1 for tests on machines without a GPU. It keeps the books of a driver (devices, contexts, code,
// memory in host RAM, streams, graphs), checks what it is given and records launches. IT COMPUTES NOTHING: a
// launched kernel does not run. Its exact failures follow the documentation of the Driver API and were not
// compared with a real driver.
//
// What it plays is set by settings. As environment variables GEMM_FAKE_CUDA_<NAME> they are read when it is
// loaded; FakeDriver::Set changes them at any time. Empty is the default of all but the first two.
//
// - DEVICES: profiles of its devices, separated by commas: h200 (the default), h100, a100, rtx3090, rtx4090,
//   rtx5070ti, rtx5060laptop, t4 (compute capability 7.5). "none": no device. Read by cuInit.
// - VERSION: of CUDA that it claims, 13000 by default.
// - MISSING: functions that it does not have: "cuLaunchKernelEx,cuMemAlloc".
// - FAIL: functions that fail, with the error's number: "cuInit:999,cuMemAlloc:2"; "cuCtxPushCurrent:2#3"
//   from the third call on.
// - REFUSE: code that it does not load: "cubin", "ptx" or "cubin,ptx".
// - REFUSE_LATE: 1 refuses such code at cuKernelGetFunction instead of cuLibraryLoadData, as lazy loading may.
// - MEMORY: bytes that can be allocated on each device.
//
// Use in a cc_test: depend on //tests/fake_driver and take //tests/fake_driver:libcuda.so.1 as data:
//
//   TEST(Plan, RunsOnH200) {
//     EXPECT_TRUE(fake::InChild([](fake::FakeDriver& driver) {
//       driver.Set("DEVICES", "h200,t4");
//       ...                                   // EXPECT_ and ASSERT_ as usual
//       EXPECT_EQ(driver.launch_count(), 1u);
//     }));
//   }
//
// libgemm loads the driver once per process, so each case gets a process of its own. It opens "libcuda.so.1" by
// that name; the fake, opened before by its path, carries the same SONAME, and the dynamic linker answers with
// what is already open. A program that is tested from outside gets it by LD_LIBRARY_PATH = FakeDriver::Folder()
// and the environment variables.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

namespace gemm::fake {

// A launch as it was asked for.
struct Launch {
  char kernel[256];  // its symbol
  const void* code;  // what cuLibraryLoadData was given: the driver's copy, until the library is unloaded
  std::size_t code_bytes;
  int is_ptx;
  int device;  // of the current context
  const void* context;
  unsigned grid[3];
  unsigned block[3];
  unsigned cluster[3];  // 0, 0, 0 when the launch had no such attribute
  unsigned shared_bytes;
  int programmatic;  // programmatic stream serialization was asked for
  const void* stream;
  int captured;  // became a node of a graph under capture; the graph's launches are counted on their own
};

// What EncodeTensorMap's driver function was given; the fake's CUtensorMap begins with it.
struct TensorMap {
  unsigned long long address;
  unsigned long long extent[5];
  unsigned long long stride_bytes[4];
  unsigned short box[5];
  unsigned char type;
  unsigned char rank;
  unsigned char swizzle;
  unsigned char promotion;
};

// Called for each launch before cuLaunchKernelEx returns; `params` are the launch's.
using LaunchObserver = void (*)(const Launch& launch, void** params, void* user);

class FakeDriver {
 public:
  // Opens the library of this test. Null when it cannot be found or opened; *why then says so.
  static FakeDriver* Open(std::string* why);
  // The folder that holds libcuda.so.1; "" when it is not found.
  static std::string Folder();

  // An unknown name or value aborts, as it is a mistake of the test.
  void Set(const std::string& name, const std::string& value);

  std::size_t launch_count() const;
  const Launch& launch(std::size_t index) const;
  void Observe(LaunchObserver observer, void* user);
  std::size_t graph_launch_count() const;

  // How often a driver function was called, by its base name: "cuCtxPushCurrent".
  std::size_t calls(const char* function) const;
  // Calls of all functions.
  std::size_t calls() const;
  // Objects that were made and not destroyed: "library", "context" (references to primary contexts included),
  // "memory", "stream", "event", "graph" (with executable ones).
  std::size_t alive(const char* kind) const;
  // Contexts on the calling thread's stack.
  std::size_t context_depth() const;

 private:
  FakeDriver() = default;
};

// Runs `body` in a child process with a fresh fake driver, and returns true when no check failed in it and it
// ended cleanly, LeakSanitizer's verdict included. Must be called before this process loads a driver. What the
// child prints goes to this process's outputs.
bool InChild(const std::function<void(FakeDriver&)>& body);
// The same without a driver of ours: what libgemm finds is what the machine has.
bool InChildWithoutDriver(const std::function<void()>& body);

}  // namespace gemm::fake
