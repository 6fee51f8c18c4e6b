// Streams, events and graphs.
#include <new>
#include <utility>
#include <vector>

#include "common/base/status.h"
#include "common/driver/api.h"
#include "tools/gpu/gpu.h"

namespace gemm::gpu {

Event& Event::operator=(Event&& other) noexcept {
  if (this == &other) return *this;
  Reset();
  handle_ = std::exchange(other.handle_, nullptr);
  return *this;
}

Status Event::Create(Event* out) noexcept {
  const Api* api = nullptr;
  if (Status status = Load(&api); !status.ok()) return status;
  Event event;
  const CUresult result = api->EventCreate(&event.handle_, CU_EVENT_DEFAULT);
  if (result != CUDA_SUCCESS) return driver::Check(result, "cuEventCreate");
  *out = std::move(event);
  return Status();
}

void Event::Reset() noexcept {
  const Api* api = nullptr;
  if (handle_ != nullptr && Load(&api).ok()) (void)api->EventDestroy(handle_);
  handle_ = nullptr;
}

Status Event::Record(CUstream stream) const noexcept {
  const Api* api = nullptr;
  if (Status status = Load(&api); !status.ok()) return status;
  return driver::Check(api->EventRecord(handle_, stream), "cuEventRecord");
}

Status Event::Synchronize() const noexcept {
  const Api* api = nullptr;
  if (Status status = Load(&api); !status.ok()) return status;
  return driver::Check(api->EventSynchronize(handle_), "cuEventSynchronize");
}

Status ElapsedMilliseconds(const Event& begin, const Event& end, float* milliseconds) noexcept {
  const Api* api = nullptr;
  if (Status status = Load(&api); !status.ok()) return status;
  return driver::Check(api->EventElapsedTime(milliseconds, begin.handle(), end.handle()), "cuEventElapsedTime");
}

Stream& Stream::operator=(Stream&& other) noexcept {
  if (this == &other) return *this;
  Reset();
  handle_ = std::exchange(other.handle_, nullptr);
  return *this;
}

Status Stream::Create(Stream* out) noexcept {
  const Api* api = nullptr;
  if (Status status = Load(&api); !status.ok()) return status;
  Stream stream;
  const CUresult result = api->StreamCreate(&stream.handle_, CU_STREAM_NON_BLOCKING);
  if (result != CUDA_SUCCESS) return driver::Check(result, "cuStreamCreate");
  *out = std::move(stream);
  return Status();
}

void Stream::Reset() noexcept {
  const Api* api = nullptr;
  if (handle_ != nullptr && Load(&api).ok()) (void)api->StreamDestroy(handle_);
  handle_ = nullptr;
}

Status Stream::Synchronize() const noexcept {
  const Api* api = nullptr;
  if (Status status = Load(&api); !status.ok()) return status;
  return driver::Check(api->StreamSynchronize(handle_), "cuStreamSynchronize");
}

Status Stream::Wait(const Event& event) const noexcept {
  const Api* api = nullptr;
  if (Status status = Load(&api); !status.ok()) return status;
  return driver::Check(api->StreamWaitEvent(handle_, event.handle(), 0), "cuStreamWaitEvent");
}

Status Stream::BeginCapture() const noexcept {
  const Api* api = nullptr;
  if (Status status = Load(&api); !status.ok()) return status;
  return driver::Check(api->StreamBeginCapture(handle_, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL),
                       "cuStreamBeginCapture");
}

namespace {

Status CountNodes(const Api& api, CUgraph graph, std::size_t* count, std::size_t* kernels) noexcept try {
  CUresult result = api.GraphGetNodes(graph, nullptr, count);
  if (result != CUDA_SUCCESS) return driver::Check(result, "cuGraphGetNodes");
  std::vector<CUgraphNode> nodes(*count);
  if (nodes.empty()) return Status();
  result = api.GraphGetNodes(graph, nodes.data(), count);
  if (result != CUDA_SUCCESS) return driver::Check(result, "cuGraphGetNodes");
  for (const CUgraphNode node : nodes) {
    CUgraphNodeType type = CU_GRAPH_NODE_TYPE_EMPTY;
    result = api.GraphNodeGetType(node, &type);
    if (result != CUDA_SUCCESS) return driver::Check(result, "cuGraphNodeGetType");
    if (type == CU_GRAPH_NODE_TYPE_KERNEL) ++*kernels;
  }
  return Status();
} catch (const std::bad_alloc&) {
  return base::HostMemoryExhausted();
}

// Not in functions.inc: a driver without it runs everything else.
Status CountEdges(CUgraph graph, std::optional<GraphEdges>* edges) noexcept try {
  void* found = nullptr;
  if (!driver::FindFunction("cuGraphGetEdges", 12030, &found).ok()) return Status();
  const auto get = reinterpret_cast<PFN_cuGraphGetEdges_v12030>(found);
  std::size_t count = 0;
  CUresult result = get(graph, nullptr, nullptr, nullptr, &count);
  if (result != CUDA_SUCCESS) return driver::Check(result, "cuGraphGetEdges");
  std::vector<CUgraphNode> from(count);
  std::vector<CUgraphNode> to(count);
  std::vector<CUgraphEdgeData> data(count);
  if (count > 0) result = get(graph, from.data(), to.data(), data.data(), &count);
  if (result != CUDA_SUCCESS) return driver::Check(result, "cuGraphGetEdges");
  GraphEdges counted;
  for (const CUgraphEdgeData& edge : data) {
    ++(edge.type == CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC ? counted.programmatic : counted.plain);
  }
  *edges = counted;
  return Status();
} catch (const std::bad_alloc&) {
  return base::HostMemoryExhausted();
}

}  // namespace

Status Stream::EndCapture(Graph* out) const noexcept {
  const Api* api = nullptr;
  if (Status status = Load(&api); !status.ok()) return status;
  CUgraph captured = nullptr;
  const CUresult result = api->StreamEndCapture(handle_, &captured);
  if (result != CUDA_SUCCESS) return driver::Check(result, "cuStreamEndCapture");
  Graph graph;
  Status status = CountNodes(*api, captured, &graph.node_count_, &graph.kernel_count_);
  if (status.ok()) status = CountEdges(captured, &graph.edges_);
  if (status.ok()) {
    status = driver::Check(api->GraphInstantiateWithFlags(&graph.executable_, captured, 0),
                           "cuGraphInstantiateWithFlags");
  }
  (void)api->GraphDestroy(captured);
  if (status.ok()) *out = std::move(graph);
  return status;
}

Graph& Graph::operator=(Graph&& other) noexcept {
  if (this == &other) return *this;
  Reset();
  executable_ = std::exchange(other.executable_, nullptr);
  node_count_ = std::exchange(other.node_count_, 0);
  kernel_count_ = std::exchange(other.kernel_count_, 0);
  edges_ = std::exchange(other.edges_, std::nullopt);
  return *this;
}

void Graph::Reset() noexcept {
  const Api* api = nullptr;
  if (executable_ != nullptr && Load(&api).ok()) (void)api->GraphExecDestroy(executable_);
  executable_ = nullptr;
  node_count_ = 0;
  kernel_count_ = 0;
  edges_.reset();
}

Status Graph::Launch(CUstream stream) const noexcept {
  const Api* api = nullptr;
  if (Status status = Load(&api); !status.ok()) return status;
  return driver::Check(api->GraphLaunch(executable_, stream), "cuGraphLaunch");
}

}  // namespace gemm::gpu
