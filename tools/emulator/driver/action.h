// Units of work, as streams queue them and graphs hold them.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <variant>
#include <vector>

#include "tools/emulator/driver/cuda_api.h"
#include "tools/emulator/exec/machine.h"

namespace emu::driver {

struct Context;
struct Event;
struct Function;
struct Graph;
struct GraphExec;
struct Kernel;
struct MemoryPool;
struct Node;
struct Stream;

// A launch with all that describes it again: to a graph's owner, and to who repeats it with other parameters.
struct KernelCall {
  CUfunction function = nullptr;  // as it was given: a CUfunction or a CUkernel
  Context* context = nullptr;
  LaunchRequest request;
  bool cooperative = false;
  std::vector<CUlaunchAttribute> attributes;
  // Pointers to each parameter in request.params, for cuGraphKernelNodeGetParams.
  std::vector<void*> parameters;
};

// Bytes of a box from one place to another. Pitches are in bytes; a row is `width` bytes.
struct CopyAction {
  std::uint64_t from = 0, to = 0;
  std::size_t width = 0, height = 1, depth = 1;
  std::size_t from_pitch = 0, to_pitch = 0;  // from row to row
  std::size_t from_slice = 0, to_slice = 0;  // from slice to slice
  // What `from` held when the call was made, where the driver reads pageable memory at once. Then `from` points into it.
  std::shared_ptr<std::vector<std::byte>> staged;
  CUDA_MEMCPY3D parameters{};  // of a graph's node
};

struct FillAction {
  std::uint64_t to = 0;
  std::size_t pitch = 0, width = 0, height = 1;  // width in elements
  std::uint32_t value = 0;
  std::uint32_t element = 1;  // bytes: 1, 2 or 4
};

struct HostAction {
  CUhostFn function = nullptr;
  void* data = nullptr;
  CUstreamCallback callback = nullptr;  // of cuStreamAddCallback; then `function` is null
  CUstream stream = nullptr;
};

// One cuEventRecord.
struct Recording {
  Stream* stream = nullptr;  // not to be used once done: it may be gone
  std::uint64_t sequence = 0;
  bool done = false;
  std::chrono::steady_clock::time_point time;
};

struct RecordAction {
  std::shared_ptr<Recording> recording;  // null in a graph: a new one for each launch
  Event* event = nullptr;
};

struct WaitAction {
  std::shared_ptr<Recording> recording;  // null in a graph: the event's when the node runs
  Event* event = nullptr;
};

struct FreeAction {
  std::uint64_t address = 0;
};

struct EmptyAction {};

struct Plan;  // graph.h
struct GraphAction {
  std::shared_ptr<const Plan> plan;
  Graph* child = nullptr;  // of a node that holds a graph
};

using Action = std::variant<EmptyAction, std::shared_ptr<const KernelCall>, CopyAction, FillAction, HostAction,
                            RecordAction, WaitAction, FreeAction, GraphAction>;

struct Work {
  std::uint64_t sequence = 0;
  Action action;
};

struct Dependency {
  Node* node = nullptr;
  CUgraphEdgeData edge{};
};

}  // namespace emu::driver
