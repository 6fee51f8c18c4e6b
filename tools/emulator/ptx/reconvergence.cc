// Where lanes that part at a branch meet again: immediate post-dominators, of a graph without the ways on which lanes go
// for good.
#include <algorithm>
#include <utility>

#include "tools/emulator/ptx/control_flow.h"

namespace emu::ptx {
namespace {

using Graph = std::vector<std::vector<int>>;

// Appends the nodes of `graph` that `root` leads to and that were not seen, every node behind those it leads to.
void PostOrder(const Graph& graph, int root, std::vector<bool>& seen, std::vector<int>& order) {
  if (seen[static_cast<std::size_t>(root)]) return;
  std::vector<std::pair<int, std::size_t>> stack{{root, 0}};
  seen[static_cast<std::size_t>(root)] = true;
  while (!stack.empty()) {
    auto& [node, next] = stack.back();
    const std::vector<int>& successors = graph[static_cast<std::size_t>(node)];
    if (next == successors.size()) {
      order.push_back(node);
      stack.pop_back();
      continue;
    }
    const int to = successors[next++];
    if (seen[static_cast<std::size_t>(to)]) continue;
    seen[static_cast<std::size_t>(to)] = true;
    stack.push_back({to, 0});
  }
}

std::vector<int> PostOrder(const Graph& graph, int root) {
  std::vector<bool> seen(graph.size(), false);
  std::vector<int> order;
  PostOrder(graph, root, seen, order);
  return order;
}

Graph Reverse(const Graph& graph) {
  Graph reverse(graph.size());
  for (std::size_t from = 0; from < graph.size(); ++from) {
    for (const int to : graph[from]) reverse[static_cast<std::size_t>(to)].push_back(static_cast<int>(from));
  }
  return reverse;
}

std::vector<bool> Reachable(const Graph& graph, int root) {
  std::vector<bool> reachable(graph.size(), false);
  for (const int node : PostOrder(graph, root)) reachable[static_cast<std::size_t>(node)] = true;
  return reachable;
}

// The immediate dominator of each node in `graph` from `root`; -1 for nodes out of its reach (Cooper, Harvey, Kennedy: "A
// Simple, Fast Dominance Algorithm", 2001).
std::vector<int> Dominators(const Graph& graph, int root) {
  const Graph predecessors = Reverse(graph);
  const std::vector<int> order = PostOrder(graph, root);
  std::vector<int> number(graph.size(), -1);
  for (std::size_t i = 0; i < order.size(); ++i)
    number[static_cast<std::size_t>(order[i])] = static_cast<int>(i);
  std::vector<int> dominator(graph.size(), -1);
  dominator[static_cast<std::size_t>(root)] = root;
  const auto meet = [&](int a, int b) {
    while (a != b) {
      int& lower = number[static_cast<std::size_t>(a)] < number[static_cast<std::size_t>(b)] ? a : b;
      lower = dominator[static_cast<std::size_t>(lower)];
    }
    return a;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (auto node = order.rbegin(); node != order.rend(); ++node) {
      if (*node == root) continue;
      int best = -1;
      for (const int from : predecessors[static_cast<std::size_t>(*node)]) {
        if (dominator[static_cast<std::size_t>(from)] < 0) continue;
        best = best < 0 ? from : meet(best, from);
      }
      if (best != dominator[static_cast<std::size_t>(*node)]) changed = true;
      dominator[static_cast<std::size_t>(*node)] = best;
    }
  }
  return dominator;
}

// The graph of blocks, with one node more for the end of the function.
class Ways {
 public:
  Ways(const Function& function, const std::vector<Block>& blocks)
      : function_(function),
        blocks_(blocks),
        end_(static_cast<int>(blocks.size())),
        graph_(blocks.size() + 1) {}

  Graph Run() {
    FindComingBack();
    for (int i = 0; i < end_; ++i) Connect(i);
    OpenLoops();
    return std::move(graph_);
  }

  // The block of a node; end() for the end.
  int BlockOf(int node) const {
    return node <= end_ ? node : stands_for_[static_cast<std::size_t>(node - end_ - 1)];
  }
  int end() const { return end_; }

  // A block with which every thread that enters it is gone at once: a kernel's "ret;".
  bool IsGone(int block) const {
    const Block& what = blocks_[static_cast<std::size_t>(block)];
    return what.end - what.begin == 1 && what.successors.empty() && what.leave != Leave::kNone &&
           (function_.entry || what.leave != Leave::kReturn);
  }

 private:
  // Whether a thread that leaves here does so in the way in which the function ends when nothing special happens.
  bool LeavesNormally(const Block& block) const {
    return block.leave == Leave::kReturn || (block.leave == Leave::kExit && function_.entry);
  }

  void FindComingBack() {
    Graph all(graph_.size());
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
      all[i] = blocks_[i].successors;
      if (LeavesNormally(blocks_[i])) all[i].push_back(end_);
    }
    ends_ = Reachable(Reverse(all), end_);
  }

  // Threads never come back from a trap or an endless loop: those ways do not count, if there are others. Nor do those on
  // which a kernel's threads exit at once.
  void Connect(int node) {
    const Block& block = blocks_[static_cast<std::size_t>(node)];
    std::vector<int>& to = graph_[static_cast<std::size_t>(node)];
    const bool normal = ends_[static_cast<std::size_t>(node)];
    std::vector<int> gone;
    for (const int next : block.successors) {
      if (normal && !ends_[static_cast<std::size_t>(next)]) continue;
      (IsGone(next) ? gone : to).push_back(next);
    }
    const bool leaves = normal ? LeavesNormally(block) : block.leave != Leave::kNone;
    const bool only = to.empty();
    if (only && (function_.entry || !leaves)) to.insert(to.end(), gone.begin(), gone.end());
    if (leaves && (only || !function_.entry)) to.push_back(end_);
  }

  // Loops that nothing leaves get a way to the end, so that what is in them has post-dominators: from a node in front of
  // the block where they are entered, which stands for that block. Such loops are the strongly connected components
  // without a way out (Kosaraju's algorithm: the first node of each, in the reverse post-order, is where it is entered).
  void OpenLoops() {
    std::vector<bool> seen(graph_.size(), false);
    std::vector<int> order;
    for (int i = 0; i < end_; ++i) PostOrder(graph_, i, seen, order);
    const Graph reverse = Reverse(graph_);
    std::vector<bool> assigned(graph_.size(), false);
    std::vector<int> component(graph_.size(), end_);
    std::vector<int> members;
    assigned[static_cast<std::size_t>(end_)] = true;
    for (auto entered = order.rbegin(); entered != order.rend(); ++entered) {
      members.clear();
      PostOrder(reverse, *entered, assigned, members);
      for (const int member : members) component[static_cast<std::size_t>(member)] = *entered;
    }
    std::vector<bool> has_way_out(graph_.size(), false);
    for (int i = 0; i < end_; ++i) {
      const int own = component[static_cast<std::size_t>(i)];
      for (const int to : graph_[static_cast<std::size_t>(i)]) {
        if (component[static_cast<std::size_t>(to)] != own) has_way_out[static_cast<std::size_t>(own)] = true;
      }
    }
    std::vector<int> front(graph_.size(), -1);
    for (int i = 0; i < end_; ++i) {
      if (component[static_cast<std::size_t>(i)] != i || has_way_out[static_cast<std::size_t>(i)]) continue;
      front[static_cast<std::size_t>(i)] = end_ + 1 + static_cast<int>(stands_for_.size());
      stands_for_.push_back(i);
    }
    for (std::vector<int>& successors : graph_) {
      for (int& to : successors)
        to = front[static_cast<std::size_t>(to)] < 0 ? to : front[static_cast<std::size_t>(to)];
    }
    for (const int block : stands_for_) graph_.push_back({block, end_});
  }

  const Function& function_;
  const std::vector<Block>& blocks_;
  int end_;
  Graph graph_;
  std::vector<int> stands_for_;  // the block of each node behind end_
  std::vector<bool> ends_;       // a thread can come from here to a normal end
};

}  // namespace

std::vector<int> Reconvergence(const Function& function) {
  std::vector<int> meet(function.code.size(), -1);
  const std::vector<Block> blocks = ControlFlow(function);
  if (blocks.empty()) return meet;
  Ways ways(function, blocks);
  const std::vector<int> dominators = Dominators(Reverse(ways.Run()), ways.end());
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const std::size_t last = static_cast<std::size_t>(blocks[i].end) - 1;
    const std::string& opcode = function.code[last].opcode;
    if (opcode != "bra" && opcode != "brx") continue;
    const int at = ways.BlockOf(dominators[i]);
    const bool nowhere = at < 0 || at == ways.end() || ways.IsGone(at);
    meet[last] = nowhere ? static_cast<int>(function.code.size()) : blocks[static_cast<std::size_t>(at)].begin;
  }
  return meet;
}

}  // namespace emu::ptx
