// Graphs, as they are built and as they are launched.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "tools/emulator/driver/state.h"

namespace emu::driver {

struct Node {
  Graph* graph = nullptr;
  std::uint64_t id = 0;
  Action action;
  std::vector<Dependency> dependencies;
  std::unique_ptr<Graph> child;  // of a graph node
  bool enabled = true;
};

struct Graph {
  std::vector<std::unique_ptr<Node>> nodes;  // in the order of their making
  std::map<const Node*, Node*> clone_of;     // of a clone: which node was made from which
  Node* Add(Action action, std::vector<Dependency> dependencies);
};

// A graph as it was when it was instantiated.
struct Plan {
  struct Step {
    Node* node = nullptr;  // from which it was made; only compared
    Action action;
    bool enabled = true;
    // Indices of earlier steps, and whether the edge is programmatic.
    std::vector<std::pair<std::size_t, bool>> after;
  };
  std::vector<Step> steps;  // each behind those it depends on
};

struct GraphExec {
  std::shared_ptr<Plan> plan;
  unsigned long long flags = 0;

  // The plan, for changing: launches that are queued keep the one they have.
  Plan& Change();
};

// Null when the graph has a cycle.
std::shared_ptr<Plan> MakePlan(const Graph& graph);
// Runs the steps in an order that the dependencies allow: the seed's. Throws Stop.
void Run(Context& context, const Plan& plan);
// Null when the handle is no graph: one that was made, one that is being captured into, a child.
Graph* FindGraph(CUgraph handle);
// Null when the handle is no node.
Node* FindNode(CUgraphNode handle);
CUgraphNodeType TypeOf(const Action& action);
std::unique_ptr<Graph> Copy(const Graph& graph, std::map<const Node*, Node*>* copies);

}  // namespace emu::driver
