// What the fake driver knows. Guarded by one mutex, which every driver function holds from its first line
// (Call).
#pragma once

#include <cuda.h>

#include <cstddef>
#include <deque>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/fake_driver/fake_driver.h"

namespace gemm::fake {

struct Profile {
  const char* short_name;
  const char* name;
  int major;
  int minor;
  int sm_count;
  int clock_khz;
  int memory_clock_khz;
  int bus_bits;
  int l2_bytes;
  int shared_optin_bytes;
  int shared_per_sm_bytes;
  int threads_per_sm;
  std::size_t memory_bytes;
};

// Null for an unknown name.
const Profile* FindProfile(const std::string& short_name);

struct Library {
  const void* code;  // of `copy`
  std::size_t size;
  bool is_ptx;
  int architecture;  // 90 for sm_90 and compute_90a
  std::string copy;  // the caller may free his
};

struct Kernel {
  Library* library;
  std::string symbol;
  std::map<int, int> shared_limit;  // per device
};

struct Context {
  int device;
  bool primary;
  int references;
  std::set<Kernel*> loaded;
};

struct Function {  // of a kernel in a context
  Kernel* kernel;
  Context* context;
};

struct Graph {
  // Captured from one stream, so each node depends on the one before.
  std::vector<CUgraphNodeType> nodes;
  std::vector<bool> programmatic;  // the edge that leads to each

  void Add(CUgraphNodeType type, bool by_programmatic_edge) {
    nodes.push_back(type);
    programmatic.push_back(by_programmatic_edge);
  }
};

struct Stream {
  Graph* capture = nullptr;
};

struct Event {
  bool recorded = false;
  double milliseconds = 0;
};

struct DeviceState {
  const Profile* profile = nullptr;
  Context* primary = nullptr;
  std::size_t used_bytes = 0;
};

struct State {
  std::mutex mutex;
  std::map<std::string, std::string> settings;
  bool initialized = false;
  std::vector<DeviceState> devices;
  std::map<std::string, std::size_t> calls;
  std::set<Library*> libraries;
  std::map<std::pair<Library*, std::string>, Kernel*> kernels;
  std::map<std::pair<Kernel*, Context*>, Function*> functions;
  std::set<Context*> contexts;
  std::map<CUdeviceptr, std::pair<std::size_t, int>> memory;  // size and device
  std::set<Stream*> streams;
  std::set<Event*> events;
  std::set<Graph*> graphs;       // cuGraph_t
  std::set<Graph*> executables;  // cuGraphExec_t
  std::deque<Launch> launches;   // addresses stay valid
  std::size_t graph_launches = 0;
  LaunchObserver observer = nullptr;
  void* observer_user = nullptr;
};

State& GetState();
std::vector<Context*>& ContextStack();  // of the calling thread

// "" when it is not set.
std::string Setting(const std::string& name);
int ClaimedVersion();
// Whether the comma-separated setting lists `item`.
bool Lists(const std::string& setting, const std::string& item);

// A call of a driver function: locks, counts, and decides whether it fails at once.
class Call {
 public:
  explicit Call(const char* function, bool needs_init = true);
  CUresult result() const { return result_; }

 private:
  std::lock_guard<std::mutex> lock_;
  CUresult result_;
};

// The calling thread's current context; null for none.
inline Context* Current() { return ContextStack().empty() ? nullptr : ContextStack().back(); }

}  // namespace gemm::fake

// The first line of a driver function.
#define GEMM_FAKE_ENTER(function)                          \
  State& state = GetState();                               \
  const Call call(function);                               \
  if (call.result() != CUDA_SUCCESS) return call.result(); \
  (void)state
// Behind it, where a context is needed.
#define GEMM_FAKE_CONTEXT()                                  \
  Context* const context = Current();                        \
  if (context == nullptr) return CUDA_ERROR_INVALID_CONTEXT; \
  (void)context
