// Where the lanes of a warp are. Lanes that part are fragments with a place of their own (independent thread scheduling);
// they meet again at joins: the immediate post-dominator of the branch where they parted, and the return of a call.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "tools/emulator/exec/warp.h"

namespace emu {

// What a fragment waits for.
enum class Wait : std::uint8_t {
  kNone,      // it can run
  kProgress,  // its op said kBlock: for the cluster's progress
  kLanes,     // for other lanes to come to their part of a collective op
  kGather,    // at an aligned op, for the rest of the warp
};

struct Fragment {
  int pc = 0;
  LaneMask mask = 0;
  int frame = -1;  // the call it is in: a join; -1: the kernel itself
  int join = -1;   // the innermost join that it is a member of
  Wait wait = Wait::kNone;
  std::uint64_t progress = 0;  // the cluster's when the op blocked
  LaneMask active = 0;         // the lanes of the op it waits at
  std::uint64_t token = 0;     // what that op remembers from one attempt to the next; 0 at its first
  std::uint64_t value = 0;     // what whoever ended the wait left for it
  const char* what = "";       // Warp::BlockedOn
  std::uint64_t object = 0;
  Warp::Explain explain = nullptr;
};

// What a recursive call overwrites: the callee's registers, and the tops of the stacks.
struct SavedLanes {
  std::vector<std::byte> bytes;
  std::vector<std::uint32_t> stack;
};

struct Join {
  int pc = -1;
  int frame = -1;   // the call in which pc is meant
  int parent = -1;  // the join around it, of which all members are members
  LaneMask members = 0, arrived = 0;
  // Of a join that is the frame of a call (pc is where it returns to): the call, and the callee's index in the module.
  const Op* call = nullptr;
  int callee = -1;
  std::uint64_t since = 0;  // when the first lanes arrived
  std::unique_ptr<SavedLanes> saved;
};

class Fragments {
 public:
  void Start(int pc, LaneMask mask);

  // The fragment that runs; there is one while now >= 0.
  int now = -1;
  Fragment& current() { return list_[now]; }
  std::vector<Fragment>& list() { return list_; }
  const std::vector<Fragment>& list() const { return list_; }
  std::vector<Join>& joins() { return joins_; }
  const std::vector<Join>& joins() const { return joins_; }
  bool parked() const { return parked_ != 0; }

  // The op at which the current fragment meets others; -1: none in this call.
  int MeetingPoint() const {
    const Fragment& fragment = list_[now];
    if (fragment.join < 0) return -1;
    const Join& join = joins_[fragment.join];
    return join.frame == fragment.frame ? join.pc : -1;
  }
  // The current fragment is at its meeting point: goes on with the others, or is parked there (false, now is -1).
  bool Meet(std::uint64_t time);
  // The current fragment goes on from its meeting point without waiting for the others, who do not wait for it.
  void PassBy();
  // `taken` lanes of the current fragment go to `target`, the others to `next`; both meet at `reconvergence` (-1: nowhere).
  // `taken_first`: which of the two goes on as the current fragment.
  void Branch(LaneMask taken, int target, int next, int reconvergence, bool taken_first);
  // `lanes` of the current fragment call `target` and return to `return_to`. The others go to `others_to` and meet them at
  // `return_to`. The callers are the current fragment.
  Join& Call(const Op* op, LaneMask lanes, int target, int return_to, int others_to);
  // `lanes` return from the call that the current fragment is in; the others go to `next`. The returning lanes are the
  // current fragment.
  void Return(LaneMask lanes, int next);
  // `lanes` of the current fragment are gone; the others go to `next`.
  void Exit(LaneMask lanes, int next);
  // Parked lanes go on without those that they wait for. False when nobody is parked. `since`: only lanes parked before.
  bool Release(std::uint64_t since);
  // Whether the two may become one, being at the same op of the same call.
  bool Mergeable(const Fragment& a, const Fragment& b) const;
  // Fragment `from` becomes part of `into`. Indices behind `from` move.
  void Merge(int from, int into);

 private:
  int NewJoin(int pc, int frame, int parent, LaneMask members);
  void FreeJoin(int join);
  void Leave(int join, int until, LaneMask lanes);
  void Remove(int fragment);
  bool SameFrame(int a, int b) const;

  std::vector<Fragment> list_;
  std::vector<Join> joins_;
  std::vector<int> free_;
  LaneMask parked_ = 0;
};

}  // namespace emu
