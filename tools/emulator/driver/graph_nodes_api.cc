// cuGraphAdd...Node, cuGraph...NodeGetParams and cuGraph...NodeSetParams.
#include <cstring>

#include "tools/emulator/driver/entry.h"
#include "tools/emulator/driver/graph_params.h"

namespace emu::driver {
namespace {

// Adds a node with what `make` gives.
template <class Make>
CUresult Add(CUgraphNode* out, CUgraph handle, const CUgraphNode* after, const CUgraphEdgeData* edges,
             std::size_t count, Make&& make) {
  return Locked([&]() -> CUresult {
    Graph* const graph = FindGraph(handle);
    if (out == nullptr || graph == nullptr || (count > 0 && after == nullptr)) return CUDA_ERROR_INVALID_VALUE;
    std::vector<Dependency> dependencies;
    for (std::size_t i = 0; i < count; ++i) {
      Node* const node = FindNode(after[i]);
      if (node == nullptr || node->graph != graph) return CUDA_ERROR_INVALID_VALUE;
      dependencies.push_back({node, edges == nullptr ? CUgraphEdgeData{} : edges[i]});
    }
    Action action;
    if (const CUresult result = make(&action); result != CUDA_SUCCESS) return result;
    *out = reinterpret_cast<CUgraphNode>(graph->Add(std::move(action), std::move(dependencies)));
    return CUDA_SUCCESS;
  });
}

template <class Parameters>
CUresult AddWith(CUgraphNode* out, CUgraph graph, const CUgraphNode* after, std::size_t count,
                 const Parameters* parameters) {
  if (parameters == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return Add(out, graph, after, nullptr, count,
             [&](Action* action) { return MakeAction(*parameters, action); });
}

template <class Parameters>
CUresult SetWith(CUgraphNode handle, CUgraphNodeType type, const Parameters* parameters) {
  return Locked([&]() -> CUresult {
    Node* const node = FindNode(handle);
    if (node == nullptr || parameters == nullptr || TypeOf(node->action) != type)
      return CUDA_ERROR_INVALID_VALUE;
    return MakeAction(*parameters, &node->action);
  });
}

// body(const A&) for a node whose action is an A.
template <class A, class Body>
CUresult WithAction(CUgraphNode handle, const void* out, Body&& body) {
  return Locked([&]() -> CUresult {
    Node* const node = FindNode(handle);
    if (node == nullptr || out == nullptr) return CUDA_ERROR_INVALID_VALUE;
    const A* action = std::get_if<A>(&node->action);
    if (action == nullptr) return CUDA_ERROR_INVALID_VALUE;
    body(*action, *node);
    return CUDA_SUCCESS;
  });
}

using Call = std::shared_ptr<const KernelCall>;

CUDA_KERNEL_NODE_PARAMS ParametersOf(const KernelCall& call) {
  const LaunchRequest& request = call.request;
  CUDA_KERNEL_NODE_PARAMS parameters{};
  const bool kernel = GetState().kernels.count(reinterpret_cast<Kernel*>(call.function)) == 1;
  if (kernel) {
    parameters.kern = reinterpret_cast<CUkernel>(call.function);
  } else {
    parameters.func = call.function;
  }
  parameters.gridDimX = request.blocks.x, parameters.gridDimY = request.blocks.y,
  parameters.gridDimZ = request.blocks.z;
  parameters.blockDimX = request.threads.x, parameters.blockDimY = request.threads.y;
  parameters.blockDimZ = request.threads.z;
  parameters.sharedMemBytes = request.dynamic_shared;
  parameters.kernelParams = const_cast<void**>(call.parameters.data());
  parameters.ctx = reinterpret_cast<CUcontext>(call.context);
  return parameters;
}

CUresult AddKernel(CUgraphNode* out, CUgraph graph, const CUgraphNode* after, const CUgraphEdgeData* edges,
                   std::size_t count, const CUDA_KERNEL_NODE_PARAMS& parameters) {
  return Add(out, graph, after, edges, count,
             [&](Action* action) { return MakeAction(parameters, nullptr, 0, action); });
}

CUresult SetKernel(CUgraphNode handle, const CUDA_KERNEL_NODE_PARAMS& parameters) {
  return Locked([&]() -> CUresult {
    Node* const node = FindNode(handle);
    const Call* call = node == nullptr ? nullptr : std::get_if<Call>(&node->action);
    if (call == nullptr) return CUDA_ERROR_INVALID_VALUE;
    const std::vector<CUlaunchAttribute> attributes = (*call)->attributes;
    return MakeAction(parameters, attributes.data(), static_cast<unsigned>(attributes.size()), &node->action);
  });
}

}  // namespace
}  // namespace emu::driver

using namespace emu::driver;

CUresult cuGraphAddKernelNode_v2(CUgraphNode* out, CUgraph graph, const CUgraphNode* after, std::size_t count,
                                 const CUDA_KERNEL_NODE_PARAMS* parameters) {
  return parameters == nullptr ? CUDA_ERROR_INVALID_VALUE
                               : AddKernel(out, graph, after, nullptr, count, *parameters);
}

CUresult cuGraphAddKernelNode(CUgraphNode* out, CUgraph graph, const CUgraphNode* after, std::size_t count,
                              const CUDA_KERNEL_NODE_PARAMS_v1* parameters) {
  if (parameters == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return AddKernel(out, graph, after, nullptr, count, FromVersion1(*parameters));
}

CUresult cuGraphKernelNodeGetParams_v2(CUgraphNode node, CUDA_KERNEL_NODE_PARAMS* out) {
  return WithAction<Call>(node, out, [&](const Call& call, Node&) { *out = ParametersOf(*call); });
}

CUresult cuGraphKernelNodeGetParams(CUgraphNode node, CUDA_KERNEL_NODE_PARAMS_v1* out) {
  return WithAction<Call>(node, out, [&](const Call& call, Node&) {
    const CUDA_KERNEL_NODE_PARAMS all = ParametersOf(*call);
    // A CUkernel stands for a function here.
    const CUfunction function = all.func != nullptr ? all.func : reinterpret_cast<CUfunction>(all.kern);
    *out = {function,      all.gridDimX,  all.gridDimY,       all.gridDimZ,     all.blockDimX,
            all.blockDimY, all.blockDimZ, all.sharedMemBytes, all.kernelParams, nullptr};
  });
}

CUresult cuGraphKernelNodeSetParams_v2(CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS* parameters) {
  return parameters == nullptr ? CUDA_ERROR_INVALID_VALUE : SetKernel(node, *parameters);
}

CUresult cuGraphKernelNodeSetParams(CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS_v1* parameters) {
  return parameters == nullptr ? CUDA_ERROR_INVALID_VALUE : SetKernel(node, FromVersion1(*parameters));
}

CUresult cuGraphKernelNodeGetAttribute(CUgraphNode node, CUkernelNodeAttrID id, CUkernelNodeAttrValue* value) {
  return WithAction<Call>(node, value, [&](const Call& call, Node&) {
    *value = {};
    for (const CUlaunchAttribute& attribute : call->attributes) {
      if (attribute.id == id) *value = attribute.value;
    }
  });
}

CUresult cuGraphKernelNodeSetAttribute(CUgraphNode handle, CUkernelNodeAttrID id,
                                       const CUkernelNodeAttrValue* value) {
  return Locked([&]() -> CUresult {
    Node* const node = FindNode(handle);
    const Call* call = node == nullptr ? nullptr : std::get_if<Call>(&node->action);
    if (call == nullptr || value == nullptr) return CUDA_ERROR_INVALID_VALUE;
    std::vector<CUlaunchAttribute> attributes = (*call)->attributes;
    std::erase_if(attributes, [&](const CUlaunchAttribute& attribute) { return attribute.id == id; });
    CUlaunchAttribute added{};
    added.id = id;
    added.value = *value;
    attributes.push_back(added);
    return MakeAction(ParametersOf(**call), attributes.data(), static_cast<unsigned>(attributes.size()),
                      &node->action);
  });
}

CUresult cuGraphAddMemcpyNode(CUgraphNode* out, CUgraph graph, const CUgraphNode* after, std::size_t count,
                              const CUDA_MEMCPY3D* parameters, CUcontext) {
  return AddWith(out, graph, after, count, parameters);
}
CUresult cuGraphMemcpyNodeGetParams(CUgraphNode node, CUDA_MEMCPY3D* out) {
  return WithAction<CopyAction>(node, out, [&](const CopyAction& copy, Node&) { *out = copy.parameters; });
}
CUresult cuGraphMemcpyNodeSetParams(CUgraphNode node, const CUDA_MEMCPY3D* parameters) {
  return SetWith(node, CU_GRAPH_NODE_TYPE_MEMCPY, parameters);
}

CUresult cuGraphAddMemsetNode(CUgraphNode* out, CUgraph graph, const CUgraphNode* after, std::size_t count,
                              const CUDA_MEMSET_NODE_PARAMS* parameters, CUcontext) {
  return AddWith(out, graph, after, count, parameters);
}
CUresult cuGraphMemsetNodeGetParams(CUgraphNode node, CUDA_MEMSET_NODE_PARAMS* out) {
  return WithAction<FillAction>(node, out, [&](const FillAction& fill, Node&) {
    *out = {fill.to, fill.pitch, fill.value, fill.element, fill.width, fill.height};
  });
}
CUresult cuGraphMemsetNodeSetParams(CUgraphNode node, const CUDA_MEMSET_NODE_PARAMS* parameters) {
  return SetWith(node, CU_GRAPH_NODE_TYPE_MEMSET, parameters);
}

CUresult cuGraphAddHostNode(CUgraphNode* out, CUgraph graph, const CUgraphNode* after, std::size_t count,
                            const CUDA_HOST_NODE_PARAMS* parameters) {
  return AddWith(out, graph, after, count, parameters);
}
CUresult cuGraphHostNodeGetParams(CUgraphNode node, CUDA_HOST_NODE_PARAMS* out) {
  return WithAction<HostAction>(node, out, [&](const HostAction& host, Node&) {
    *out = {host.function, host.data};
  });
}
CUresult cuGraphHostNodeSetParams(CUgraphNode node, const CUDA_HOST_NODE_PARAMS* parameters) {
  return SetWith(node, CU_GRAPH_NODE_TYPE_HOST, parameters);
}

CUresult cuGraphAddEmptyNode(CUgraphNode* out, CUgraph graph, const CUgraphNode* after, std::size_t count) {
  return Add(out, graph, after, nullptr, count, [](Action*) { return CUDA_SUCCESS; });
}

CUresult cuGraphAddEventRecordNode(CUgraphNode* out, CUgraph graph, const CUgraphNode* after, std::size_t count,
                                   CUevent event) {
  return Add(out, graph, after, nullptr, count, [&](Action* action) {
    *action = RecordAction{nullptr, GetState().events.Find(event)};
    return GetState().events.Find(event) == nullptr ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
  });
}

CUresult cuGraphAddEventWaitNode(CUgraphNode* out, CUgraph graph, const CUgraphNode* after, std::size_t count,
                                 CUevent event) {
  return Add(out, graph, after, nullptr, count, [&](Action* action) {
    *action = WaitAction{nullptr, GetState().events.Find(event)};
    return GetState().events.Find(event) == nullptr ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
  });
}

CUresult cuGraphEventRecordNodeGetEvent(CUgraphNode node, CUevent* out) {
  return WithAction<RecordAction>(
      node, out, [&](const RecordAction& record, Node&) { *out = reinterpret_cast<CUevent>(record.event); });
}

CUresult cuGraphEventWaitNodeGetEvent(CUgraphNode node, CUevent* out) {
  return WithAction<WaitAction>(
      node, out, [&](const WaitAction& wait, Node&) { *out = reinterpret_cast<CUevent>(wait.event); });
}

CUresult cuGraphAddChildGraphNode(CUgraphNode* out, CUgraph graph, const CUgraphNode* after, std::size_t count,
                                  CUgraph child_handle) {
  return Locked([&]() -> CUresult {
    Graph* const child = FindGraph(child_handle);
    if (child == nullptr || child_handle == graph) return CUDA_ERROR_INVALID_VALUE;
    std::map<const Node*, Node*> copies;
    auto copy = Copy(*child, &copies);
    const CUresult result = Add(out, graph, after, nullptr, count, [&](Action* action) {
      *action = GraphAction{nullptr, copy.get()};
      return CUDA_SUCCESS;
    });
    if (result == CUDA_SUCCESS) FindNode(*out)->child = std::move(copy);
    return result;
  });
}

CUresult cuGraphAddNode_v2(CUgraphNode* out, CUgraph graph, const CUgraphNode* after,
                           const CUgraphEdgeData* edges, std::size_t count, CUgraphNodeParams* parameters) {
  if (parameters == nullptr) return CUDA_ERROR_INVALID_VALUE;
  switch (parameters->type) {
    case CU_GRAPH_NODE_TYPE_KERNEL: {
      const auto& kernel = parameters->kernel;
      return AddKernel(out, graph, after, edges, count,
                       {kernel.func, kernel.gridDimX, kernel.gridDimY, kernel.gridDimZ, kernel.blockDimX,
                        kernel.blockDimY, kernel.blockDimZ, kernel.sharedMemBytes, kernel.kernelParams,
                        kernel.extra, kernel.kern, kernel.ctx});
    }
    case CU_GRAPH_NODE_TYPE_MEMCPY:
      return AddWith(out, graph, after, count, &parameters->memcpy.copyParams);
    case CU_GRAPH_NODE_TYPE_MEMSET: {
      const auto& fill = parameters->memset;
      const CUDA_MEMSET_NODE_PARAMS old{fill.dst,         fill.pitch, fill.value,
                                        fill.elementSize, fill.width, fill.height};
      return AddWith(out, graph, after, count, &old);
    }
    case CU_GRAPH_NODE_TYPE_HOST: {
      const CUDA_HOST_NODE_PARAMS old{parameters->host.fn, parameters->host.userData};
      return AddWith(out, graph, after, count, &old);
    }
    case CU_GRAPH_NODE_TYPE_EMPTY:
      return cuGraphAddEmptyNode(out, graph, after, count);
    case CU_GRAPH_NODE_TYPE_GRAPH:
      return cuGraphAddChildGraphNode(out, graph, after, count, parameters->graph.graph);
    case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
      return cuGraphAddEventRecordNode(out, graph, after, count, parameters->eventRecord.event);
    case CU_GRAPH_NODE_TYPE_WAIT_EVENT:
      return cuGraphAddEventWaitNode(out, graph, after, count, parameters->eventWait.event);
    default:
      return CUDA_ERROR_NOT_SUPPORTED;
  }
}

CUresult cuGraphAddNode(CUgraphNode* out, CUgraph graph, const CUgraphNode* after, std::size_t count,
                        CUgraphNodeParams* parameters) {
  return cuGraphAddNode_v2(out, graph, after, nullptr, count, parameters);
}
