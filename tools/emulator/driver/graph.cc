#include "tools/emulator/driver/graph.h"

#include <algorithm>

#include "tools/emulator/driver/queue.h"

namespace emu::driver {
namespace {

const KernelCall* CallOf(const Plan::Step& step) {
  const auto* call = std::get_if<std::shared_ptr<const KernelCall>>(&step.action);
  return call == nullptr || !step.enabled ? nullptr : call->get();
}

// One launch of a plan.
class Runner {
 public:
  Runner(Context& context, const Plan& plan) : context_(context), plan_(plan), waits_(plan.steps.size()) {
    for (std::size_t i = 0; i < plan.steps.size(); ++i) {
      waits_[i] = plan.steps[i].after.size();
      if (waits_[i] == 0) ready_.push_back(i);
    }
  }

  void Run() {
    while (!ready_.empty()) {
      const std::size_t at = Choose();
      if (CallOf(plan_.steps[at]) != nullptr) {
        RunChain(at);
      } else {
        if (plan_.steps[at].enabled) Perform(context_, plan_.steps[at].action);
        Finish(at);
      }
    }
  }

 private:
  std::size_t Choose() {
    State& state = GetState();
    std::size_t which =
        static_cast<std::size_t>(std::min_element(ready_.begin(), ready_.end()) - ready_.begin());
    if (state.settings.seed != 0) which = state.random.Below(static_cast<std::uint32_t>(ready_.size()));
    const std::size_t at = ready_[which];
    ready_.erase(ready_.begin() + static_cast<std::ptrdiff_t>(which));
    return at;
  }

  void Finish(std::size_t done) {
    for (std::size_t i = done + 1; i < plan_.steps.size(); ++i) {
      for (const auto& [before, programmatic] : plan_.steps[i].after) {
        if (before == done && --waits_[i] == 0) ready_.push_back(i);
      }
    }
  }

  // The launch that waits for nothing but this one, by a programmatic edge; steps.size() when there is none.
  std::size_t Overlapping(std::size_t at) const {
    for (std::size_t i = at + 1; i < plan_.steps.size(); ++i) {
      const auto& after = plan_.steps[i].after;
      if (after.size() == 1 && after[0] == std::pair(at, true) && CallOf(plan_.steps[i]) != nullptr) return i;
    }
    return plan_.steps.size();
  }

  void RunChain(std::size_t first) {
    std::vector<std::size_t> steps;
    std::vector<LaunchRequest> chain;
    for (std::size_t at = first; at < plan_.steps.size(); at = Overlapping(at)) {
      steps.push_back(at);
      chain.push_back(CallOf(plan_.steps[at])->request);
      chain.back().programmatic = chain.size() > 1;
    }
    Context* const of_node = CallOf(plan_.steps[first])->context;
    RunKernels(Exists(of_node) ? *of_node : context_, chain);
    for (const std::size_t step : steps) {
      Finish(step);
      // Those that ran in the chain are not to run again.
      std::erase_if(ready_,
                    [&](std::size_t at) { return std::find(steps.begin(), steps.end(), at) != steps.end(); });
    }
  }

  Context& context_;
  const Plan& plan_;
  std::vector<std::size_t> waits_;
  std::vector<std::size_t> ready_;
};

}  // namespace

Node* Graph::Add(Action action, std::vector<Dependency> dependencies) {
  auto node = std::make_unique<Node>();
  node->graph = this;
  node->id = GetState().next_id++;
  node->action = std::move(action);
  node->dependencies = std::move(dependencies);
  nodes.push_back(std::move(node));
  return nodes.back().get();
}

Plan& GraphExec::Change() {
  if (plan.use_count() > 1) plan = std::make_shared<Plan>(*plan);
  return *plan;
}

std::shared_ptr<Plan> MakePlan(const Graph& graph) {
  auto plan = std::make_shared<Plan>();
  std::map<const Node*, std::size_t> places;
  while (places.size() < graph.nodes.size()) {
    const std::size_t before = places.size();
    for (const auto& node : graph.nodes) {
      const auto placed = [&](const Dependency& dependency) { return places.count(dependency.node) == 1; };
      if (places.count(node.get()) == 1) continue;
      if (!std::all_of(node->dependencies.begin(), node->dependencies.end(), placed)) continue;
      Plan::Step step{node.get(), node->action, node->enabled, {}};
      if (node->child != nullptr) {
        std::shared_ptr<Plan> inner = MakePlan(*node->child);
        if (inner == nullptr) return nullptr;
        step.action = GraphAction{std::move(inner), nullptr};
      }
      for (const Dependency& dependency : node->dependencies) {
        const bool programmatic = dependency.edge.type == CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC;
        step.after.emplace_back(places[dependency.node], programmatic);
      }
      places[node.get()] = plan->steps.size();
      plan->steps.push_back(std::move(step));
    }
    if (places.size() == before) return nullptr;
  }
  return plan;
}

void Run(Context& context, const Plan& plan) { Runner(context, plan).Run(); }

Node* FindNode(CUgraphNode handle) {
  const auto find = [&](const Graph& graph, const auto& self) -> Node* {
    for (const auto& node : graph.nodes) {
      if (node.get() == reinterpret_cast<Node*>(handle)) return node.get();
      if (node->child == nullptr) continue;
      if (Node* const inner = self(*node->child, self)) return inner;
    }
    return nullptr;
  };
  for (const auto& [key, graph] : GetState().graphs) {
    if (Node* const node = find(*graph, find)) return node;
  }
  return nullptr;
}

CUgraphNodeType TypeOf(const Action& action) {
  static constexpr CUgraphNodeType kTypes[] = {
      CU_GRAPH_NODE_TYPE_EMPTY,      CU_GRAPH_NODE_TYPE_KERNEL,   CU_GRAPH_NODE_TYPE_MEMCPY,
      CU_GRAPH_NODE_TYPE_MEMSET,     CU_GRAPH_NODE_TYPE_HOST,     CU_GRAPH_NODE_TYPE_EVENT_RECORD,
      CU_GRAPH_NODE_TYPE_WAIT_EVENT, CU_GRAPH_NODE_TYPE_MEM_FREE, CU_GRAPH_NODE_TYPE_GRAPH,
  };
  static_assert(std::size(kTypes) == std::variant_size_v<Action>);
  return kTypes[action.index()];
}

std::unique_ptr<Graph> Copy(const Graph& graph, std::map<const Node*, Node*>* copies) {
  auto copy = std::make_unique<Graph>();
  for (const auto& node : graph.nodes) {
    Node* const made = copy->Add(node->action, node->dependencies);
    made->enabled = node->enabled;
    if (node->child != nullptr) made->child = Copy(*node->child, copies);
    (*copies)[node.get()] = made;
  }
  for (const auto& node : copy->nodes) {
    for (Dependency& dependency : node->dependencies) dependency.node = (*copies)[dependency.node];
  }
  return copy;
}

}  // namespace emu::driver
