// cuGraph*: graphs and their shape.
#include <algorithm>
#include <set>

#include "tools/emulator/driver/capture.h"
#include "tools/emulator/driver/entry.h"
#include "tools/emulator/driver/graph.h"

namespace emu::driver {

Graph* FindGraph(CUgraph handle) {
  State& state = GetState();
  if (Graph* const graph = state.graphs.Find(handle)) return graph;
  for (const std::shared_ptr<Capture>& capture : state.captures) {
    if (capture->into == reinterpret_cast<Graph*>(handle)) return capture->into;
  }
  for (const auto& [key, graph] : state.graphs) {
    for (const auto& node : graph->nodes) {
      if (node->child != nullptr && node->child.get() == reinterpret_cast<Graph*>(handle))
        return node->child.get();
    }
  }
  return nullptr;
}

namespace {

template <class Body>
CUresult WithGraph(CUgraph handle, Body&& body) {
  return Locked([&]() -> CUresult {
    Graph* const graph = FindGraph(handle);
    return graph == nullptr ? CUDA_ERROR_INVALID_VALUE : body(*graph);
  });
}

template <class Body>
CUresult WithNode(CUgraphNode handle, Body&& body) {
  return Locked([&]() -> CUresult {
    Node* const node = FindNode(handle);
    return node == nullptr ? CUDA_ERROR_INVALID_VALUE : body(*node);
  });
}

CUgraphNode Handle(const Node* node) { return reinterpret_cast<CUgraphNode>(const_cast<Node*>(node)); }

// The pattern of the API's lists: without an array only the number; with one, as many as fit, nulls behind the last.
CUresult List(const std::vector<CUgraphNode>& found, CUgraphNode* nodes, std::size_t* count) {
  if (count == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (nodes == nullptr) {
    *count = found.size();
    return CUDA_SUCCESS;
  }
  for (std::size_t i = 0; i < *count; ++i) nodes[i] = i < found.size() ? found[i] : nullptr;
  *count = std::min(*count, found.size());
  return CUDA_SUCCESS;
}

CUresult Edges(CUgraph handle, CUgraphNode* from, CUgraphNode* to, CUgraphEdgeData* data, std::size_t* count,
               bool lossy) {
  return WithGraph(handle, [&](Graph& graph) {
    if (count == nullptr || (from == nullptr) != (to == nullptr)) return CUDA_ERROR_INVALID_VALUE;
    std::size_t i = 0;
    for (const auto& node : graph.nodes) {
      for (const Dependency& dependency : node->dependencies) {
        if (lossy && from != nullptr && dependency.edge.type != CU_GRAPH_DEPENDENCY_TYPE_DEFAULT)
          return CUDA_ERROR_LOSSY_QUERY;
        if (from != nullptr && i < *count) {
          from[i] = Handle(dependency.node);
          to[i] = Handle(node.get());
          if (data != nullptr) data[i] = dependency.edge;
        }
        ++i;
      }
    }
    *count = from == nullptr ? i : std::min(i, *count);
    return CUDA_SUCCESS;
  });
}

CUresult Dependencies(CUgraphNode handle, CUgraphNode* nodes, CUgraphEdgeData* data, std::size_t* count,
                      bool dependents) {
  return WithNode(handle, [&](Node& node) {
    std::vector<CUgraphNode> found;
    std::vector<CUgraphEdgeData> edges;
    const auto add = [&](const Node* other, const CUgraphEdgeData& edge) {
      found.push_back(Handle(other));
      edges.push_back(edge);
    };
    if (!dependents) {
      for (const Dependency& dependency : node.dependencies) add(dependency.node, dependency.edge);
    } else {
      for (const auto& other : node.graph->nodes) {
        for (const Dependency& dependency : other->dependencies) {
          if (dependency.node == &node) add(other.get(), dependency.edge);
        }
      }
    }
    for (std::size_t i = 0; data != nullptr && count != nullptr && i < std::min(*count, edges.size()); ++i)
      data[i] = edges[i];
    return List(found, nodes, count);
  });
}

CUresult ChangeDependencies(CUgraph handle, const CUgraphNode* from, const CUgraphNode* to,
                            const CUgraphEdgeData* data, std::size_t count, bool add) {
  return WithGraph(handle, [&](Graph& graph) {
    if (count > 0 && (from == nullptr || to == nullptr)) return CUDA_ERROR_INVALID_VALUE;
    for (std::size_t i = 0; i < count; ++i) {
      Node* const first = FindNode(from[i]);
      Node* const second = FindNode(to[i]);
      if (first == nullptr || second == nullptr || first->graph != &graph || second->graph != &graph ||
          first == second) {
        return CUDA_ERROR_INVALID_VALUE;
      }
      const auto same = [&](const Dependency& dependency) { return dependency.node == first; };
      const bool there = std::any_of(second->dependencies.begin(), second->dependencies.end(), same);
      if (there == add) return CUDA_ERROR_INVALID_VALUE;
      if (add) {
        second->dependencies.push_back({first, data == nullptr ? CUgraphEdgeData{} : data[i]});
      } else {
        std::erase_if(second->dependencies, same);
      }
    }
    return CUDA_SUCCESS;
  });
}

}  // namespace
}  // namespace emu::driver

using namespace emu::driver;

CUresult cuGraphCreate(CUgraph* out, unsigned flags) {
  return Locked([&] {
    if (out == nullptr || flags != 0) return CUDA_ERROR_INVALID_VALUE;
    *out = reinterpret_cast<CUgraph>(GetState().graphs.Add(std::make_unique<Graph>()));
    return CUDA_SUCCESS;
  });
}

CUresult cuGraphDestroy(CUgraph handle) {
  return Locked([&] {
    Graph* const graph = GetState().graphs.Find(handle);
    if (graph == nullptr) return CUDA_ERROR_INVALID_VALUE;
    GetState().graphs.Erase(graph);
    return CUDA_SUCCESS;
  });
}

CUresult cuGraphClone(CUgraph* out, CUgraph handle) {
  return WithGraph(handle, [&](Graph& graph) {
    if (out == nullptr) return CUDA_ERROR_INVALID_VALUE;
    std::map<const Node*, Node*> copies;
    auto copy = Copy(graph, &copies);
    for (const auto& [original, made] : copies) copy->clone_of[original] = made;
    *out = reinterpret_cast<CUgraph>(GetState().graphs.Add(std::move(copy)));
    return CUDA_SUCCESS;
  });
}

CUresult cuGraphNodeFindInClone(CUgraphNode* out, CUgraphNode original, CUgraph clone) {
  return WithGraph(clone, [&](Graph& graph) {
    if (out == nullptr) return CUDA_ERROR_INVALID_VALUE;
    const auto found = graph.clone_of.find(reinterpret_cast<const Node*>(original));
    if (found == graph.clone_of.end() || FindNode(Handle(found->second)) == nullptr)
      return CUDA_ERROR_INVALID_VALUE;
    *out = Handle(found->second);
    return CUDA_SUCCESS;
  });
}

CUresult cuGraphGetNodes(CUgraph handle, CUgraphNode* nodes, std::size_t* count) {
  return WithGraph(handle, [&](Graph& graph) {
    std::vector<CUgraphNode> found;
    for (const auto& node : graph.nodes) found.push_back(Handle(node.get()));
    return List(found, nodes, count);
  });
}

CUresult cuGraphGetRootNodes(CUgraph handle, CUgraphNode* nodes, std::size_t* count) {
  return WithGraph(handle, [&](Graph& graph) {
    std::vector<CUgraphNode> found;
    for (const auto& node : graph.nodes) {
      if (node->dependencies.empty()) found.push_back(Handle(node.get()));
    }
    return List(found, nodes, count);
  });
}

CUresult cuGraphGetEdges(CUgraph graph, CUgraphNode* from, CUgraphNode* to, std::size_t* count) {
  return Edges(graph, from, to, nullptr, count, true);
}
CUresult cuGraphGetEdges_v2(CUgraph graph, CUgraphNode* from, CUgraphNode* to, CUgraphEdgeData* data,
                            std::size_t* count) {
  return Edges(graph, from, to, data, count, data == nullptr);
}
CUresult cuGraphNodeGetDependencies(CUgraphNode node, CUgraphNode* nodes, std::size_t* count) {
  return Dependencies(node, nodes, nullptr, count, false);
}
CUresult cuGraphNodeGetDependencies_v2(CUgraphNode node, CUgraphNode* nodes, CUgraphEdgeData* data,
                                       std::size_t* count) {
  return Dependencies(node, nodes, data, count, false);
}
CUresult cuGraphNodeGetDependentNodes(CUgraphNode node, CUgraphNode* nodes, std::size_t* count) {
  return Dependencies(node, nodes, nullptr, count, true);
}
CUresult cuGraphNodeGetDependentNodes_v2(CUgraphNode node, CUgraphNode* nodes, CUgraphEdgeData* data,
                                         std::size_t* count) {
  return Dependencies(node, nodes, data, count, true);
}
CUresult cuGraphAddDependencies(CUgraph graph, const CUgraphNode* from, const CUgraphNode* to,
                                std::size_t count) {
  return ChangeDependencies(graph, from, to, nullptr, count, true);
}
CUresult cuGraphAddDependencies_v2(CUgraph graph, const CUgraphNode* from, const CUgraphNode* to,
                                   const CUgraphEdgeData* data, std::size_t count) {
  return ChangeDependencies(graph, from, to, data, count, true);
}
CUresult cuGraphRemoveDependencies(CUgraph graph, const CUgraphNode* from, const CUgraphNode* to,
                                   std::size_t count) {
  return ChangeDependencies(graph, from, to, nullptr, count, false);
}
CUresult cuGraphRemoveDependencies_v2(CUgraph graph, const CUgraphNode* from, const CUgraphNode* to,
                                      const CUgraphEdgeData*, std::size_t count) {
  return ChangeDependencies(graph, from, to, nullptr, count, false);
}

CUresult cuGraphNodeGetType(CUgraphNode handle, CUgraphNodeType* type) {
  return WithNode(handle, [&](Node& node) {
    if (type == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *type = TypeOf(node.action);
    return CUDA_SUCCESS;
  });
}

CUresult cuGraphDestroyNode(CUgraphNode handle) {
  return WithNode(handle, [](Node& node) {
    Graph& graph = *node.graph;
    for (const auto& other : graph.nodes) {
      std::erase_if(other->dependencies,
                    [&](const Dependency& dependency) { return dependency.node == &node; });
    }
    std::erase_if(graph.nodes, [&](const std::unique_ptr<Node>& other) { return other.get() == &node; });
    return CUDA_SUCCESS;
  });
}

CUresult cuGraphChildGraphNodeGetGraph(CUgraphNode handle, CUgraph* graph) {
  return WithNode(handle, [&](Node& node) {
    if (graph == nullptr || node.child == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *graph = reinterpret_cast<CUgraph>(node.child.get());
    return CUDA_SUCCESS;
  });
}
