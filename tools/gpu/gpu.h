// Device memory, streams, events and graphs on the Driver API, for tests and tools. No cudart, so that what
// runs beside libgemm here is only what libgemm brings.
//
// Every object owns one driver handle, can be moved and not copied, and frees its handle when destroyed; it
// must be destroyed while the context it was made in is current or at least alive. A default-constructed object
// is empty. The static Create functions fill *out, which they leave unchanged on failure; what it held before
// is freed. Nothing throws. Objects are not locked: one thread at a time each.
#pragma once

#include <cuda.h>
#include <cudaTypedefs.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/driver/driver.h"
#include "gemm/status.h"

namespace gemm::gpu {

// Pointers to the functions of tools/gpu/functions.inc, without the "cu"; common/driver/api.h has the others.
struct Api {
#define GEMM_GPU_FUNCTION(name, version) PFN_cu##name##_v##version name = nullptr;
#include "tools/gpu/functions.inc"
#undef GEMM_GPU_FUNCTION
};

// As driver::Load, for this table.
Status Load(const Api** api) noexcept;

// "no GPU" reasons for a test to skip with: "" when the driver loads and sees a device, else the status's
// sentence.
std::string WhyNoGpu();

// Version of the CUDA API that the driver supports, as cuda.h writes it: 13000.
Status DriverVersion(int* version) noexcept;

// A context, current on the creating thread from Create until the object is destroyed or moved onto; destroy it
// there.
class Context {
 public:
  Context() = default;
  ~Context() { Reset(); }
  Context(Context&& other) noexcept { *this = static_cast<Context&&>(other); }
  Context& operator=(Context&& other) noexcept;

  // The device's primary context, which the CUDA runtime and libgemm use too.
  static Status Primary(int device, Context* out) noexcept;
  // A context of its own, for tests of programs that have several.
  static Status Separate(int device, Context* out) noexcept;

  CUcontext handle() const { return handle_; }
  int device() const { return device_; }
  void Reset() noexcept;

 private:
  CUcontext handle_ = nullptr;
  int device_ = -1;
  bool primary_ = false;
};

// The functions below work in the calling thread's current context.

// Waits for all work in the context and returns its first asynchronous error.
Status Synchronize() noexcept;

// Free and total device memory in bytes.
Status MemoryInfo(std::size_t* free, std::size_t* total) noexcept;

// Size of the device's L2 cache.
Status L2Bytes(int device, std::size_t* bytes) noexcept;

// `size` bytes of device memory, 256-byte aligned. Its contents are undefined at first.
class DeviceBuffer {
 public:
  DeviceBuffer() = default;
  ~DeviceBuffer() { Reset(); }
  DeviceBuffer(DeviceBuffer&& other) noexcept { *this = static_cast<DeviceBuffer&&>(other); }
  DeviceBuffer& operator=(DeviceBuffer&& other) noexcept;

  // A size of 0 gives an empty buffer. kOutOfMemory names the size.
  static Status Create(std::size_t size, DeviceBuffer* out) noexcept;

  void* data() const { return reinterpret_cast<void*>(address_); }
  CUdeviceptr address() const { return address_; }
  std::size_t size() const { return size_; }
  void Reset() noexcept;

  // Blocking copies of `count` bytes from and to host memory, starting `offset` bytes into the buffer, ordered
  // after the work in `stream`. kInvalidArgument when they pass its end.
  Status CopyFrom(const void* host, std::size_t count, std::size_t offset = 0,
                  CUstream stream = nullptr) const noexcept;
  Status CopyTo(void* host, std::size_t count, std::size_t offset = 0,
                CUstream stream = nullptr) const noexcept;
  // Sets every byte; asynchronous in `stream`.
  Status Fill(unsigned char byte, CUstream stream = nullptr) const noexcept;

 private:
  CUdeviceptr address_ = 0;
  std::size_t size_ = 0;
};

// Exactly `size` usable bytes between two poisoned zones that touch them without a gap: a write one byte too
// far is found by CheckGuards, and a read too far fetches 0xFF bytes, NaN in every floating-point type of
// libgemm. The usable bytes are poisoned as well at first.
class GuardedBuffer {
 public:
  static constexpr unsigned char kPoison = 0xFF;
  static constexpr std::size_t kGuardBytes = 64 * 1024;

  // data() is `misalignment` bytes (less than 256) past a multiple of 256. `size` may be 0: data() is then an
  // address between the zones.
  static Status Create(std::size_t size, std::size_t misalignment, GuardedBuffer* out) noexcept;

  void* data() const;
  std::size_t size() const { return size_; }

  // As DeviceBuffer's, relative to data().
  Status CopyFrom(const void* host, std::size_t count, std::size_t offset = 0,
                  CUstream stream = nullptr) const noexcept;
  Status CopyTo(void* host, std::size_t count, std::size_t offset = 0,
                CUstream stream = nullptr) const noexcept;
  // Poisons the usable bytes and both zones again.
  Status Poison(CUstream stream = nullptr) const noexcept;
  // OK when both zones are untouched; else kInternal with the first changed byte's distance from the usable
  // bytes. Waits for the work in `stream`.
  Status CheckGuards(CUstream stream = nullptr) const noexcept;

 private:
  DeviceBuffer buffer_;
  std::size_t begin_ = 0;  // of the usable bytes, in the buffer
  std::size_t size_ = 0;
};

// Asynchronous in `stream`.
Status Copy(void* destination, const void* source, std::size_t bytes, CUstream stream) noexcept;
Status Fill(void* destination, unsigned char byte, std::size_t bytes, CUstream stream) noexcept;

class Event {
 public:
  Event() = default;
  ~Event() { Reset(); }
  Event(Event&& other) noexcept { *this = static_cast<Event&&>(other); }
  Event& operator=(Event&& other) noexcept;

  // An event with timing.
  static Status Create(Event* out) noexcept;

  CUevent handle() const { return handle_; }
  void Reset() noexcept;
  Status Record(CUstream stream) const noexcept;
  Status Synchronize() const noexcept;

 private:
  CUevent handle_ = nullptr;
};

// Milliseconds between two recorded events, the second of which has completed.
Status ElapsedMilliseconds(const Event& begin, const Event& end, float* milliseconds) noexcept;

class Graph;

class Stream {
 public:
  Stream() = default;
  ~Stream() { Reset(); }
  Stream(Stream&& other) noexcept { *this = static_cast<Stream&&>(other); }
  Stream& operator=(Stream&& other) noexcept;

  // A stream that does not synchronise with the legacy default stream.
  static Status Create(Stream* out) noexcept;

  CUstream handle() const { return handle_; }
  void Reset() noexcept;
  Status Synchronize() const noexcept;
  // Work submitted from now on waits for the event.
  Status Wait(const Event& event) const noexcept;

  // Between the two calls, what is launched into the stream becomes the nodes of a graph instead of running.
  // Capture is thread-local: other threads are not restricted meanwhile.
  Status BeginCapture() const noexcept;
  // Ends the capture and instantiates the graph.
  Status EndCapture(Graph* out) const noexcept;

 private:
  CUstream handle_ = nullptr;
};

// Dependencies between a graph's nodes. A programmatic one lets the later kernel start before the earlier one has ended.
struct GraphEdges {
  std::size_t plain = 0;
  std::size_t programmatic = 0;
};

// A captured graph, ready to launch.
class Graph {
 public:
  Graph() = default;
  ~Graph() { Reset(); }
  Graph(Graph&& other) noexcept { *this = static_cast<Graph&&>(other); }
  Graph& operator=(Graph&& other) noexcept;

  void Reset() noexcept;
  Status Launch(CUstream stream) const noexcept;
  // Nodes of all kinds, and those that are kernels.
  std::size_t node_count() const { return node_count_; }
  std::size_t kernel_count() const { return kernel_count_; }
  // Nothing where the driver cannot tell kinds of edges (before 12.3).
  const std::optional<GraphEdges>& edges() const { return edges_; }

 private:
  friend class Stream;
  CUgraphExec executable_ = nullptr;
  std::size_t node_count_ = 0;
  std::size_t kernel_count_ = 0;
  std::optional<GraphEdges> edges_;
};

// What the driver says of a kernel on `device`.
struct KernelInfo {
  int registers = 0;       // per thread
  int local_bytes = 0;     // per thread: spills and stack
  int max_threads = 0;     // per block
  int binary_version = 0;  // 90 for code made for sm_90
};
Status GetKernelInfo(driver::Kernel kernel, int device, KernelInfo* info) noexcept;

// Blocks of `threads` threads and `shared_bytes` of dynamic shared memory that fit one SM.
Status BlocksPerSm(driver::Kernel kernel, int threads, int shared_bytes, int* blocks) noexcept;
// Clusters of the shape's size that fit the device at once.
Status MaxActiveClusters(driver::Kernel kernel, const driver::LaunchShape& shape, int* clusters) noexcept;

}  // namespace gemm::gpu
