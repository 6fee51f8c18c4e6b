// Streams, events and graphs. Work is done when it is submitted, so that waiting never waits.
#include <algorithm>
#include <chrono>

#include "tests/fake_driver/libcuda/functions.h"
#include "tests/fake_driver/libcuda/state.h"

namespace gemm::fake {
namespace {

// Null is the default stream, which always exists.
bool IsStream(const State& state, CUstream handle) {
  return handle == nullptr || state.streams.count(reinterpret_cast<Stream*>(handle)) == 1;
}

double Now() {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace

CUresult StreamCreate(CUstream* out, unsigned flags) {
  GEMM_FAKE_ENTER("cuStreamCreate");
  GEMM_FAKE_CONTEXT();
  if (flags > CU_STREAM_NON_BLOCKING) return CUDA_ERROR_INVALID_VALUE;
  auto* stream = new Stream;
  state.streams.insert(stream);
  *out = reinterpret_cast<CUstream>(stream);
  return CUDA_SUCCESS;
}

CUresult StreamDestroy(CUstream handle) {
  GEMM_FAKE_ENTER("cuStreamDestroy");
  auto* stream = reinterpret_cast<Stream*>(handle);
  if (state.streams.erase(stream) == 0) return CUDA_ERROR_INVALID_HANDLE;
  delete stream->capture;
  delete stream;
  return CUDA_SUCCESS;
}

CUresult StreamSynchronize(CUstream handle) {
  GEMM_FAKE_ENTER("cuStreamSynchronize");
  GEMM_FAKE_CONTEXT();
  if (!IsStream(state, handle)) return CUDA_ERROR_INVALID_HANDLE;
  const auto* stream = reinterpret_cast<const Stream*>(handle);
  return stream != nullptr && stream->capture != nullptr ? CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED : CUDA_SUCCESS;
}

CUresult StreamWaitEvent(CUstream handle, CUevent event, unsigned) {
  GEMM_FAKE_ENTER("cuStreamWaitEvent");
  GEMM_FAKE_CONTEXT();
  const bool known = IsStream(state, handle) && state.events.count(reinterpret_cast<Event*>(event)) == 1;
  return known ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

CUresult StreamBeginCapture(CUstream handle, CUstreamCaptureMode) {
  GEMM_FAKE_ENTER("cuStreamBeginCapture");
  GEMM_FAKE_CONTEXT();
  if (!IsStream(state, handle)) return CUDA_ERROR_INVALID_HANDLE;
  auto* stream = reinterpret_cast<Stream*>(handle);
  if (stream == nullptr) return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  if (stream->capture != nullptr) return CUDA_ERROR_ILLEGAL_STATE;
  stream->capture = new Graph;
  return CUDA_SUCCESS;
}

CUresult StreamEndCapture(CUstream handle, CUgraph* out) {
  GEMM_FAKE_ENTER("cuStreamEndCapture");
  GEMM_FAKE_CONTEXT();
  if (handle == nullptr || !IsStream(state, handle)) return CUDA_ERROR_INVALID_HANDLE;
  auto* stream = reinterpret_cast<Stream*>(handle);
  if (stream->capture == nullptr) return CUDA_ERROR_ILLEGAL_STATE;
  state.graphs.insert(stream->capture);
  *out = reinterpret_cast<CUgraph>(stream->capture);
  stream->capture = nullptr;
  return CUDA_SUCCESS;
}

CUresult EventCreate(CUevent* out, unsigned) {
  GEMM_FAKE_ENTER("cuEventCreate");
  GEMM_FAKE_CONTEXT();
  auto* event = new Event;
  state.events.insert(event);
  *out = reinterpret_cast<CUevent>(event);
  return CUDA_SUCCESS;
}

CUresult EventDestroy(CUevent handle) {
  GEMM_FAKE_ENTER("cuEventDestroy");
  auto* event = reinterpret_cast<Event*>(handle);
  if (state.events.erase(event) == 0) return CUDA_ERROR_INVALID_HANDLE;
  delete event;
  return CUDA_SUCCESS;
}

CUresult EventRecord(CUevent handle, CUstream stream) {
  GEMM_FAKE_ENTER("cuEventRecord");
  GEMM_FAKE_CONTEXT();
  auto* event = reinterpret_cast<Event*>(handle);
  if (state.events.count(event) == 0 || !IsStream(state, stream)) return CUDA_ERROR_INVALID_HANDLE;
  event->recorded = true;
  event->milliseconds = Now();
  return CUDA_SUCCESS;
}

CUresult EventSynchronize(CUevent handle) {
  GEMM_FAKE_ENTER("cuEventSynchronize");
  return state.events.count(reinterpret_cast<Event*>(handle)) == 1 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

CUresult EventElapsedTime(float* milliseconds, CUevent begin, CUevent end) {
  GEMM_FAKE_ENTER("cuEventElapsedTime");
  auto* first = reinterpret_cast<Event*>(begin);
  auto* second = reinterpret_cast<Event*>(end);
  if (state.events.count(first) == 0 || state.events.count(second) == 0) return CUDA_ERROR_INVALID_HANDLE;
  if (!first->recorded || !second->recorded) return CUDA_ERROR_INVALID_HANDLE;
  *milliseconds = static_cast<float>(second->milliseconds - first->milliseconds);
  return CUDA_SUCCESS;
}

CUresult GraphGetNodes(CUgraph handle, CUgraphNode* nodes, std::size_t* count) {
  GEMM_FAKE_ENTER("cuGraphGetNodes");
  auto* graph = reinterpret_cast<Graph*>(handle);
  if (state.graphs.count(graph) == 0) return CUDA_ERROR_INVALID_VALUE;
  // A node's handle is the address of its type.
  for (std::size_t i = 0; nodes != nullptr && i < *count; ++i) {
    nodes[i] = i < graph->nodes.size() ? reinterpret_cast<CUgraphNode>(&graph->nodes[i]) : nullptr;
  }
  *count = graph->nodes.size();
  return CUDA_SUCCESS;
}

CUresult GraphNodeGetType(CUgraphNode node, CUgraphNodeType* type) {
  GEMM_FAKE_ENTER("cuGraphNodeGetType");
  if (node == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *type = *reinterpret_cast<const CUgraphNodeType*>(node);
  return CUDA_SUCCESS;
}

CUresult GraphGetEdges(CUgraph handle, CUgraphNode* from, CUgraphNode* to, CUgraphEdgeData* data,
                       std::size_t* count) {
  GEMM_FAKE_ENTER("cuGraphGetEdges");
  auto* graph = reinterpret_cast<Graph*>(handle);
  if (state.graphs.count(graph) == 0) return CUDA_ERROR_INVALID_VALUE;
  const std::size_t edges = graph->nodes.empty() ? 0 : graph->nodes.size() - 1;
  for (std::size_t i = 0; from != nullptr && i < std::min(*count, edges); ++i) {
    from[i] = reinterpret_cast<CUgraphNode>(&graph->nodes[i]);
    to[i] = reinterpret_cast<CUgraphNode>(&graph->nodes[i + 1]);
    data[i] = {};
    // As the driver does, only where a kernel precedes.
    const bool programmatic = graph->programmatic[i + 1] && graph->nodes[i] == CU_GRAPH_NODE_TYPE_KERNEL;
    if (programmatic) data[i].type = CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC;
  }
  *count = edges;
  return CUDA_SUCCESS;
}

CUresult GraphInstantiateWithFlags(CUgraphExec* out, CUgraph handle, unsigned long long) {
  GEMM_FAKE_ENTER("cuGraphInstantiateWithFlags");
  auto* graph = reinterpret_cast<Graph*>(handle);
  if (state.graphs.count(graph) == 0) return CUDA_ERROR_INVALID_VALUE;
  auto* executable = new Graph(*graph);
  state.executables.insert(executable);
  *out = reinterpret_cast<CUgraphExec>(executable);
  return CUDA_SUCCESS;
}

CUresult GraphLaunch(CUgraphExec handle, CUstream stream) {
  GEMM_FAKE_ENTER("cuGraphLaunch");
  GEMM_FAKE_CONTEXT();
  if (state.executables.count(reinterpret_cast<Graph*>(handle)) == 0) return CUDA_ERROR_INVALID_VALUE;
  if (!IsStream(state, stream)) return CUDA_ERROR_INVALID_HANDLE;
  ++state.graph_launches;
  return CUDA_SUCCESS;
}

CUresult GraphExecDestroy(CUgraphExec handle) {
  GEMM_FAKE_ENTER("cuGraphExecDestroy");
  auto* executable = reinterpret_cast<Graph*>(handle);
  if (state.executables.erase(executable) == 0) return CUDA_ERROR_INVALID_VALUE;
  delete executable;
  return CUDA_SUCCESS;
}

CUresult GraphDestroy(CUgraph handle) {
  GEMM_FAKE_ENTER("cuGraphDestroy");
  auto* graph = reinterpret_cast<Graph*>(handle);
  if (state.graphs.erase(graph) == 0) return CUDA_ERROR_INVALID_VALUE;
  delete graph;
  return CUDA_SUCCESS;
}

}  // namespace gemm::fake
