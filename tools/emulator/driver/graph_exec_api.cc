// cuGraphInstantiate, cuGraphLaunch and cuGraphExec*.
#include <algorithm>

#include "tools/emulator/driver/entry.h"
#include "tools/emulator/driver/graph_params.h"
#include "tools/emulator/driver/queue.h"

namespace emu::driver {
namespace {

constexpr unsigned long long kFlags = CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH |
                                      CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD |
                                      CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY;

CUresult Instantiate(CUgraphExec* out, CUgraph handle, unsigned long long flags) {
  return Locked([&] {
    Graph* const graph = FindGraph(handle);
    if (out == nullptr || graph == nullptr) return CUDA_ERROR_INVALID_VALUE;
    if ((flags & ~kFlags) != 0) return CUDA_ERROR_NOT_SUPPORTED;
    std::shared_ptr<Plan> plan = MakePlan(*graph);
    if (plan == nullptr) return CUDA_ERROR_INVALID_VALUE;
    auto executable = std::make_unique<GraphExec>();
    executable->plan = std::move(plan);
    executable->flags = flags;
    *out = reinterpret_cast<CUgraphExec>(GetState().executables.Add(std::move(executable)));
    return CUDA_SUCCESS;
  });
}

template <class Body>
CUresult WithExec(CUgraphExec handle, Body&& body) {
  return Locked([&]() -> CUresult {
    GraphExec* const executable = GetState().executables.Find(handle);
    return executable == nullptr ? CUDA_ERROR_INVALID_VALUE : body(*executable);
  });
}

// The step that was made from the node; null when there is none.
Plan::Step* StepOf(Plan& plan, CUgraphNode node) {
  const auto found = std::find_if(plan.steps.begin(), plan.steps.end(), [&](const Plan::Step& step) {
    return step.node == reinterpret_cast<Node*>(node);
  });
  return found == plan.steps.end() ? nullptr : &*found;
}

template <class Make>
CUresult SetStep(CUgraphExec handle, CUgraphNode node, CUgraphNodeType type, Make&& make) {
  return WithExec(handle, [&](GraphExec& executable) -> CUresult {
    Plan::Step* const step = StepOf(executable.Change(), node);
    if (step == nullptr || TypeOf(step->action) != type) return CUDA_ERROR_INVALID_VALUE;
    return make(&step->action);
  });
}

CUresult SetKernel(CUgraphExec handle, CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS& parameters) {
  return SetStep(handle, node, CU_GRAPH_NODE_TYPE_KERNEL, [&](Action* action) {
    const auto attributes = std::get<std::shared_ptr<const KernelCall>>(*action)->attributes;
    return MakeAction(parameters, attributes.data(), static_cast<unsigned>(attributes.size()), action);
  });
}

// Two plans of one shape: the same steps in the same order with the same dependencies.
bool SameShape(const Plan& a, const Plan& b, CUgraphExecUpdateResult* why) {
  *why = CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED;
  if (a.steps.size() != b.steps.size()) return false;
  for (std::size_t i = 0; i < a.steps.size(); ++i) {
    if (a.steps[i].after != b.steps[i].after) return false;
    if (a.steps[i].action.index() != b.steps[i].action.index()) {
      *why = CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED;
      return false;
    }
  }
  *why = CU_GRAPH_EXEC_UPDATE_SUCCESS;
  return true;
}

}  // namespace
}  // namespace emu::driver

using namespace emu::driver;

CUresult cuGraphInstantiateWithFlags(CUgraphExec* out, CUgraph graph, unsigned long long flags) {
  return Instantiate(out, graph, flags);
}

CUresult cuGraphInstantiate_v2(CUgraphExec* out, CUgraph graph, CUgraphNode* error_node, char* log,
                               std::size_t size) {
  if (error_node != nullptr) *error_node = nullptr;
  if (log != nullptr && size > 0) *log = 0;
  return Instantiate(out, graph, 0);
}

CUresult cuGraphInstantiateWithParams(CUgraphExec* out, CUgraph graph,
                                      CUDA_GRAPH_INSTANTIATE_PARAMS* parameters) {
  if (parameters == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const CUresult result = Instantiate(out, graph, parameters->flags);
  parameters->hErrNode_out = nullptr;
  parameters->result_out =
      result == CUDA_SUCCESS ? CUDA_GRAPH_INSTANTIATE_SUCCESS : CUDA_GRAPH_INSTANTIATE_ERROR;
  return result;
}

CUresult cuGraphExecGetFlags(CUgraphExec handle, cuuint64_t* flags) {
  return WithExec(handle, [&](GraphExec& executable) {
    if (flags == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *flags = executable.flags;
    return CUDA_SUCCESS;
  });
}

CUresult cuGraphExecDestroy(CUgraphExec handle) {
  return WithExec(handle, [](GraphExec& executable) {
    GetState().executables.Erase(&executable);
    return CUDA_SUCCESS;
  });
}

CUresult cuGraphLaunch(CUgraphExec handle, CUstream stream_handle) {
  return InContext([&](Context& context) -> CUresult {
    GraphExec* const executable = GetState().executables.Find(handle);
    Stream* stream = nullptr;
    if (executable == nullptr) return CUDA_ERROR_INVALID_VALUE;
    if (const CUresult result = FindStream(context, stream_handle, &stream); result != CUDA_SUCCESS)
      return result;
    if (stream->capture != nullptr) return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    return Submit(*stream, GraphAction{executable->plan, nullptr});
  });
}

CUresult cuGraphUpload(CUgraphExec handle, CUstream stream_handle) {
  return InContext([&](Context& context) -> CUresult {
    Stream* stream = nullptr;
    if (GetState().executables.Find(handle) == nullptr) return CUDA_ERROR_INVALID_VALUE;
    return FindStream(context, stream_handle, &stream);
  });
}

CUresult cuGraphExecUpdate_v2(CUgraphExec handle, CUgraph graph_handle, CUgraphExecUpdateResultInfo* info) {
  return WithExec(handle, [&](GraphExec& executable) {
    Graph* const graph = FindGraph(graph_handle);
    if (graph == nullptr || info == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *info = {};
    std::shared_ptr<Plan> plan = MakePlan(*graph);
    if (plan == nullptr) return CUDA_ERROR_INVALID_VALUE;
    if (!SameShape(*executable.plan, *plan, &info->result)) return CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE;
    // Handles of the first graph's nodes keep their meaning.
    for (std::size_t i = 0; i < plan->steps.size(); ++i) plan->steps[i].node = executable.plan->steps[i].node;
    executable.plan = std::move(plan);
    return CUDA_SUCCESS;
  });
}

CUresult cuGraphExecUpdate(CUgraphExec handle, CUgraph graph, CUgraphNode* error_node,
                           CUgraphExecUpdateResult* why) {
  CUgraphExecUpdateResultInfo info{};
  const CUresult result = cuGraphExecUpdate_v2(handle, graph, &info);
  if (error_node != nullptr) *error_node = nullptr;
  if (why != nullptr) *why = info.result;
  return result;
}

CUresult cuGraphExecKernelNodeSetParams_v2(CUgraphExec handle, CUgraphNode node,
                                           const CUDA_KERNEL_NODE_PARAMS* parameters) {
  return parameters == nullptr ? CUDA_ERROR_INVALID_VALUE : SetKernel(handle, node, *parameters);
}

CUresult cuGraphExecKernelNodeSetParams(CUgraphExec handle, CUgraphNode node,
                                        const CUDA_KERNEL_NODE_PARAMS_v1* parameters) {
  return parameters == nullptr ? CUDA_ERROR_INVALID_VALUE : SetKernel(handle, node, FromVersion1(*parameters));
}

CUresult cuGraphExecMemcpyNodeSetParams(CUgraphExec handle, CUgraphNode node, const CUDA_MEMCPY3D* parameters,
                                        CUcontext) {
  if (parameters == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return SetStep(handle, node, CU_GRAPH_NODE_TYPE_MEMCPY,
                 [&](Action* action) { return MakeAction(*parameters, action); });
}

CUresult cuGraphExecMemsetNodeSetParams(CUgraphExec handle, CUgraphNode node,
                                        const CUDA_MEMSET_NODE_PARAMS* parameters, CUcontext) {
  if (parameters == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return SetStep(handle, node, CU_GRAPH_NODE_TYPE_MEMSET,
                 [&](Action* action) { return MakeAction(*parameters, action); });
}

CUresult cuGraphExecHostNodeSetParams(CUgraphExec handle, CUgraphNode node,
                                      const CUDA_HOST_NODE_PARAMS* parameters) {
  if (parameters == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return SetStep(handle, node, CU_GRAPH_NODE_TYPE_HOST,
                 [&](Action* action) { return MakeAction(*parameters, action); });
}

CUresult cuGraphNodeSetEnabled(CUgraphExec handle, CUgraphNode node, unsigned enabled) {
  return WithExec(handle, [&](GraphExec& executable) {
    Plan::Step* const step = StepOf(executable.Change(), node);
    if (step == nullptr) return CUDA_ERROR_INVALID_VALUE;
    step->enabled = enabled != 0;
    return CUDA_SUCCESS;
  });
}

CUresult cuGraphNodeGetEnabled(CUgraphExec handle, CUgraphNode node, unsigned* enabled) {
  return WithExec(handle, [&](GraphExec& executable) {
    const Plan::Step* step = StepOf(*executable.plan, node);
    if (step == nullptr || enabled == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *enabled = step->enabled;
    return CUDA_SUCCESS;
  });
}
