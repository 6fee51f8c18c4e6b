// cuStreamBeginCapture and what belongs to it.
#include <set>

#include "tools/emulator/driver/capture.h"
#include "tools/emulator/driver/entry.h"
#include "tools/emulator/driver/queue.h"

namespace emu::driver {
namespace {

template <class Body>
CUresult WithStream(CUstream handle, Body&& body) {
  return InContext([&](Context& context) -> CUresult {
    Stream* stream = nullptr;
    const CUresult result = FindStream(context, handle, &stream);
    return result == CUDA_SUCCESS ? body(*stream) : result;
  });
}

CUresult Begin(Stream& stream, CUstreamCaptureMode mode, Graph* into, std::vector<Dependency> tail) {
  if (mode < CU_STREAM_CAPTURE_MODE_GLOBAL || mode > CU_STREAM_CAPTURE_MODE_RELAXED)
    return CUDA_ERROR_INVALID_VALUE;
  if (stream.legacy) return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  if (stream.capture != nullptr) return CUDA_ERROR_ILLEGAL_STATE;
  auto capture = std::make_shared<Capture>();
  if (into == nullptr) capture->graph = std::make_unique<Graph>();
  capture->into = into == nullptr ? capture->graph.get() : into;
  capture->origin = &stream;
  capture->streams = {&stream};
  capture->mode = mode;
  capture->thread = std::this_thread::get_id();
  capture->id = GetState().next_id++;
  stream.capture = capture;
  stream.capture_tail = std::move(tail);
  GetState().captures.insert(std::move(capture));
  return CUDA_SUCCESS;
}

// Whether all that other streams did in the capture comes before what the origin did last.
bool Joined(const Capture& capture) {
  std::set<const Node*> reached;
  std::vector<const Node*> open;
  for (const Dependency& dependency : capture.origin->capture_tail) open.push_back(dependency.node);
  while (!open.empty()) {
    const Node* node = open.back();
    open.pop_back();
    if (!reached.insert(node).second) continue;
    for (const Dependency& dependency : node->dependencies) open.push_back(dependency.node);
  }
  for (const Stream* stream : capture.streams) {
    for (const Dependency& dependency : stream->capture_tail) {
      if (reached.count(dependency.node) == 0) return false;
    }
  }
  return true;
}

CUresult End(Stream& stream, CUgraph* out) {
  const std::shared_ptr<Capture> capture = stream.capture;
  if (capture == nullptr) return CUDA_ERROR_ILLEGAL_STATE;
  if (capture->origin != &stream) return InvalidateCapture(*capture, CUDA_ERROR_STREAM_CAPTURE_UNMATCHED);
  if (capture->mode != CU_STREAM_CAPTURE_MODE_RELAXED && capture->thread != std::this_thread::get_id()) {
    return CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD;
  }
  const bool invalid = capture->invalid, joined = Joined(*capture);
  Graph* const graph = capture->into;
  std::unique_ptr<Graph> own = std::move(capture->graph);
  LeaveCapture(stream);
  if (out != nullptr) *out = nullptr;
  if (invalid) return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
  if (!joined) return CUDA_ERROR_STREAM_CAPTURE_UNJOINED;
  if (own != nullptr) GetState().graphs.Add(std::move(own));
  if (out != nullptr) *out = reinterpret_cast<CUgraph>(graph);
  return CUDA_SUCCESS;
}

// The nodes that the next captured one will depend on; valid until the stream's next call.
thread_local std::vector<CUgraphNode> reported_nodes;
thread_local std::vector<CUgraphEdgeData> reported_edges;

CUresult Info(CUstream handle, CUstreamCaptureStatus* status, cuuint64_t* id, CUgraph* graph,
              const CUgraphNode** nodes, const CUgraphEdgeData** edges, std::size_t* count) {
  return WithStream(handle, [&](Stream& stream) {
    if (status == nullptr) return CUDA_ERROR_INVALID_VALUE;
    if (const CUresult result = CheckImplicitUse(stream); result != CUDA_SUCCESS) return result;
    *status = CU_STREAM_CAPTURE_STATUS_NONE;
    if (stream.capture == nullptr) return CUDA_SUCCESS;
    *status = stream.capture->invalid ? CU_STREAM_CAPTURE_STATUS_INVALIDATED : CU_STREAM_CAPTURE_STATUS_ACTIVE;
    if (stream.capture->invalid) return CUDA_SUCCESS;
    reported_nodes.clear();
    reported_edges.clear();
    bool special = false;
    for (const Dependency& dependency : stream.capture_tail) {
      reported_nodes.push_back(reinterpret_cast<CUgraphNode>(dependency.node));
      reported_edges.push_back(dependency.edge);
      special = special || dependency.edge.type != CU_GRAPH_DEPENDENCY_TYPE_DEFAULT;
    }
    if (nodes != nullptr && edges == nullptr && special) return CUDA_ERROR_LOSSY_QUERY;
    if (id != nullptr) *id = stream.capture->id;
    if (graph != nullptr) *graph = reinterpret_cast<CUgraph>(stream.capture->into);
    if (nodes != nullptr) *nodes = reported_nodes.data();
    if (edges != nullptr) *edges = reported_edges.data();
    if (count != nullptr) *count = reported_nodes.size();
    return CUDA_SUCCESS;
  });
}

CUresult Update(CUstream handle, const CUgraphNode* nodes, const CUgraphEdgeData* edges, std::size_t count,
                unsigned flags) {
  return WithStream(handle, [&](Stream& stream) {
    if (flags > CU_STREAM_SET_CAPTURE_DEPENDENCIES || (count > 0 && nodes == nullptr))
      return CUDA_ERROR_INVALID_VALUE;
    if (stream.capture == nullptr) return CUDA_ERROR_ILLEGAL_STATE;
    std::vector<Dependency> tail;
    for (std::size_t i = 0; i < count; ++i) {
      auto* const node = reinterpret_cast<Node*>(nodes[i]);
      if (node == nullptr || node->graph != stream.capture->into) return CUDA_ERROR_INVALID_VALUE;
      tail.push_back({node, edges == nullptr ? CUgraphEdgeData{} : edges[i]});
    }
    if (flags == CU_STREAM_SET_CAPTURE_DEPENDENCIES) stream.capture_tail.clear();
    stream.capture_tail.insert(stream.capture_tail.end(), tail.begin(), tail.end());
    return CUDA_SUCCESS;
  });
}

}  // namespace
}  // namespace emu::driver

using namespace emu::driver;

CUresult cuStreamBeginCapture_v2(CUstream handle, CUstreamCaptureMode mode) {
  return WithStream(handle, [&](Stream& stream) { return Begin(stream, mode, nullptr, {}); });
}

CUresult cuStreamBeginCaptureToGraph(CUstream handle, CUgraph graph_handle, const CUgraphNode* nodes,
                                     const CUgraphEdgeData* edges, std::size_t count,
                                     CUstreamCaptureMode mode) {
  return WithStream(handle, [&](Stream& stream) -> CUresult {
    Graph* const graph = GetState().graphs.Find(graph_handle);
    if (graph == nullptr || (count > 0 && nodes == nullptr)) return CUDA_ERROR_INVALID_VALUE;
    std::vector<Dependency> tail;
    for (std::size_t i = 0; i < count; ++i) {
      Node* const node = FindNode(nodes[i]);
      if (node == nullptr || node->graph != graph) return CUDA_ERROR_INVALID_VALUE;
      tail.push_back({node, edges == nullptr ? CUgraphEdgeData{} : edges[i]});
    }
    return Begin(stream, mode, graph, std::move(tail));
  });
}

CUresult cuStreamEndCapture(CUstream handle, CUgraph* graph) {
  return WithStream(handle, [&](Stream& stream) { return End(stream, graph); });
}

CUresult cuStreamIsCapturing(CUstream handle, CUstreamCaptureStatus* status) {
  return Info(handle, status, nullptr, nullptr, nullptr, nullptr, nullptr);
}

CUresult cuStreamGetCaptureInfo(CUstream handle, CUstreamCaptureStatus* status, cuuint64_t* id) {
  return Info(handle, status, id, nullptr, nullptr, nullptr, nullptr);
}

CUresult cuStreamGetCaptureInfo_v2(CUstream handle, CUstreamCaptureStatus* status, cuuint64_t* id,
                                   CUgraph* graph, const CUgraphNode** nodes, std::size_t* count) {
  return Info(handle, status, id, graph, nodes, nullptr, count);
}

CUresult cuStreamGetCaptureInfo_v3(CUstream handle, CUstreamCaptureStatus* status, cuuint64_t* id,
                                   CUgraph* graph, const CUgraphNode** nodes, const CUgraphEdgeData** edges,
                                   std::size_t* count) {
  return Info(handle, status, id, graph, nodes, edges, count);
}

CUresult cuStreamUpdateCaptureDependencies(CUstream handle, CUgraphNode* nodes, std::size_t count,
                                           unsigned flags) {
  return Update(handle, nodes, nullptr, count, flags);
}

CUresult cuStreamUpdateCaptureDependencies_v2(CUstream handle, CUgraphNode* nodes, const CUgraphEdgeData* edges,
                                              std::size_t count, unsigned flags) {
  return Update(handle, nodes, edges, count, flags);
}

CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode* mode) {
  return Locked([&] {
    if (mode == nullptr || *mode < CU_STREAM_CAPTURE_MODE_GLOBAL || *mode > CU_STREAM_CAPTURE_MODE_RELAXED) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    *mode = ExchangeThreadMode(*mode);
    return CUDA_SUCCESS;
  });
}
