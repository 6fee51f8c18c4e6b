// A race detector that keeps everything: which event happens before which, and every access of every byte.
#pragma once

#include <bitset>
#include <cstdint>
#include <set>
#include <vector>

#include "tools/emulator/base/finding.h"

namespace emu::testing {

// Events of a history, added in an order in which each comes after those that happen before it.
class Reference {
 public:
  static constexpr int kMaxNodes = 1024;
  enum class Kind { kRead, kWrite, kStrongRead, kStrongWrite };

  struct Access {
    int node = 0;
    int actor = 0;  // accesses of one asynchronous operation are no threat to each other
    Kind kind = Kind::kRead;
    bool asynchronous = false, async_proxy = false;
    std::uint32_t offset = 0, bytes = 0;
    bool Touches(std::uint32_t byte) const { return byte - offset < bytes; }
    bool Writes() const { return kind == Kind::kWrite || kind == Kind::kStrongWrite; }
  };

  // Adds an event that the given ones happen before; returns its number.
  int Add(const std::vector<int>& before, bool proxy_fence = false) {
    Node node;
    for (int other : before) {
      node.before |= nodes_[other].before;
      node.before.set(other);
      node.fenced |= nodes_[other].fenced;
    }
    if (proxy_fence) node.fenced = node.before;
    nodes_.push_back(node);
    return static_cast<int>(nodes_.size()) - 1;
  }
  bool Full() const { return nodes_.size() + 64 > kMaxNodes; }

  // What is wrong with the access, given those before it: every kind of finding that may be reported for it.
  std::set<FindingKind> Judge(const Access& access) const {
    std::set<FindingKind> findings;
    for (std::uint32_t byte = access.offset; byte < access.offset + access.bytes; ++byte)
      JudgeByte(access, byte, &findings);
    return findings;
  }
  void Remember(const Access& access) { accesses_.push_back(access); }

 private:
  using Set = std::bitset<kMaxNodes>;
  struct Node {
    Set before;  // happen before it
    Set fenced;  // of those: with a proxy fence on the way
  };

  static bool Conflict(Kind a, Kind b) {
    if (a == Kind::kWrite || b == Kind::kWrite) return true;
    return (a == Kind::kStrongWrite && b == Kind::kRead) || (a == Kind::kRead && b == Kind::kStrongWrite);
  }

  bool Before(const Access& first, const Access& second) const {
    return first.node == second.node ? first.actor == second.actor : nodes_[second.node].before[first.node];
  }

  void JudgeByte(const Access& now, std::uint32_t byte, std::set<FindingKind>* findings) const {
    bool written = false;
    for (const Access& then : accesses_) {
      if (!then.Touches(byte) || then.actor == now.actor) {
        written |= then.Touches(byte) && then.Writes();
        continue;
      }
      const bool ordered = Before(then, now);
      written |= then.Writes() && ordered;
      if (!ordered && Conflict(then.kind, now.kind)) NameRace(then, now, findings);
      if (ordered && MissesFence(then, now, byte)) findings->insert(FindingKind::kMissingProxyFence);
    }
    if (!written && (now.kind == Kind::kRead || now.kind == Kind::kStrongRead)) {
      findings->insert(FindingKind::kUnwrittenShared);
    }
  }

  static void NameRace(const Access& a, const Access& b, std::set<FindingKind>* findings) {
    if (!a.asynchronous && !b.asynchronous) {
      findings->insert(FindingKind::kRace);
      return;
    }
    const bool reads = (a.asynchronous && !a.Writes()) || (b.asynchronous && !b.Writes());
    const bool writes = (a.asynchronous && a.Writes()) || (b.asynchronous && b.Writes());
    if (reads) findings->insert(FindingKind::kOverwrittenInFlight);
    if (writes) findings->insert(FindingKind::kUnwaitedCopy);
    // What runs first and finds nothing written says so.
    if (!a.Writes() || !b.Writes()) findings->insert(FindingKind::kUnwrittenShared);
  }

  // A generic write that an async access sees, unless another write hides it.
  bool MissesFence(const Access& then, const Access& now, std::uint32_t byte) const {
    if (!now.async_proxy || then.async_proxy || !then.Writes() || nodes_[now.node].fenced[then.node])
      return false;
    if (then.kind == Kind::kStrongWrite && now.kind == Kind::kStrongWrite) return false;
    for (const Access& other : accesses_) {
      if (!other.Touches(byte) || !other.Writes() || &other == &then || other.node == then.node) continue;
      const bool hides = other.kind == Kind::kWrite || then.kind == Kind::kStrongWrite;
      if (hides && Before(then, other) && Before(other, now)) return false;
    }
    return true;
  }

  std::vector<Node> nodes_;
  std::vector<Access> accesses_;
};

}  // namespace emu::testing
