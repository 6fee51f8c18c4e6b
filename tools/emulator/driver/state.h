// What the driver knows. One lock guards it all; every function of the API holds it from its first line to its last, so that
// only one thread at a time runs kernels (entry.h).
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "tools/emulator/base/random.h"
#include "tools/emulator/driver/action.h"
#include "tools/emulator/driver/cuda_api.h"
#include "tools/emulator/driver/registry.h"
#include "tools/emulator/driver/settings.h"
#include "tools/emulator/exec/machine.h"
#include "tools/emulator/memory/device_memory.h"

namespace emu::driver {

struct Capture;
struct Library;
struct Link;
struct Module;

struct Device {
  int ordinal = 0;
  const Profile* profile = nullptr;
  std::unique_ptr<Machine> machine;
  std::unique_ptr<Context> primary;  // made by the first retain; its handle stays valid for later ones
  int primary_references = 0;
  unsigned primary_flags = 0;
  std::uint64_t used_bytes = 0;
  std::unique_ptr<MemoryPool> default_pool;
  MemoryPool* pool = nullptr;  // the current one
};

struct MemoryPool {
  Device* device = nullptr;
  std::uint64_t release_threshold = 0;
  std::uint64_t used = 0, used_high = 0;
  std::map<int, int> flags;  // CUmemPool_attribute -> value, of those that nothing depends on
};

struct Stream {
  Context* context = nullptr;
  std::uint64_t id = 0;
  unsigned flags = 0;
  int priority = 0;
  bool legacy = false;
  std::deque<Work> queue;
  std::shared_ptr<Capture> capture;
  std::vector<Dependency> capture_tail;  // what the next captured node depends on
  std::map<int, CUlaunchAttributeValue> attributes;

  // Blocking streams and the legacy default stream wait for each other.
  bool blocking() const { return (flags & CU_STREAM_NON_BLOCKING) == 0; }
};

struct Event {
  Context* context = nullptr;
  unsigned flags = 0;
  std::shared_ptr<Recording> recording;  // null before the first record
  // Where it was recorded in a capture; null otherwise.
  std::shared_ptr<Capture> capture;
  std::vector<Dependency> capture_tail;
};

struct Context {
  Device* device = nullptr;
  bool primary = false;
  bool alive = true;  // false for a primary context that nobody holds
  unsigned flags = 0;
  unsigned api_version = 3020;
  std::uint64_t id = 0;
  CUresult error = CUDA_SUCCESS;  // of a kernel; sticks
  std::uint64_t launches = 0;     // so far: each launch makes other choices
  std::unique_ptr<Stream> legacy;
  std::map<std::thread::id, std::unique_ptr<Stream>> per_thread;
  Registry<Stream> streams;
  std::map<int, std::size_t> limits;
  CUfunc_cache cache_config = CU_FUNC_CACHE_PREFER_NONE;
  std::set<Context*> peers;

  Context();
  ~Context();
};

struct Allocation {
  enum class Kind { kDevice, kHost, kManaged, kRegistered };
  Kind kind = Kind::kDevice;
  std::uint64_t bytes = 0;
  Context* context = nullptr;
  Device* device = nullptr;
  unsigned flags = 0;
  std::uint64_t id = 0;
  MemoryPool* pool = nullptr;  // of cuMemAllocAsync
  bool sync_memops = false;
};

struct State {
  Settings settings;
  bool initialized = false;
  // One memory for all devices: addresses are unique, as with unified addressing. Each device's share is counted apart.
  std::unique_ptr<DeviceMemory> memory;
  std::vector<std::unique_ptr<Device>> devices;
  Random random{0};
  std::uint64_t next_id = 1;
  std::uint64_t next_sequence = 1;  // of work, over all streams

  std::map<std::uint64_t, Allocation> allocations;  // by address
  Registry<Context> contexts;                       // not the primary ones
  // Those that were destroyed: a handle on some thread's stack must not come to mean a younger context.
  std::vector<std::unique_ptr<Context>> destroyed;
  Registry<Event> events;
  Registry<Module> modules;
  Registry<Library> libraries;
  std::set<Function*> functions;
  std::set<Kernel*> kernels;
  Registry<Graph> graphs;
  Registry<GraphExec> executables;
  Registry<MemoryPool> pools;
  Registry<Link> links;
  std::set<std::shared_ptr<Capture>> captures;
  std::string last_report;

  State();
  ~State();
};

// The lock must be held.
State& GetState();

// Null for a handle that is none.
Device* FindDevice(CUdevice handle);

// The calling thread's stack of contexts. Those that were destroyed may be in it.
std::vector<Context*>& ContextStack();
// Whether the handle is a context that exists (a primary one may be inactive).
bool Exists(Context* context);
// In which an API call works; null for none.
Context* Current();

// Every context of the device, active ones only.
std::vector<Context*> ContextsOf(const Device& device);
// Destroys all that belongs to the context: streams, events, modules, memory. Pending work is dropped.
void Empty(Context& context);
// A context with its legacy stream; not yet registered.
std::unique_ptr<Context> MakeContext(Device& device, unsigned flags);

}  // namespace emu::driver
