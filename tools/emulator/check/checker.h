// Finds, whatever the order in which things happened to run, accesses to shared memory that nothing orders.
//
// Every thread of a cluster, and every asynchronous operation, has a logical time and a vector clock: what it knows of the
// others' times (Lamport 1978; Mattern 1989; FastTrack, Flanagan and Freund 2009). An access to a byte must know of the
// accesses before it that it conflicts with. Two clocks are kept per thread: what has happened before, and the part of it
// that a proxy fence has made visible to the async proxy (PTX ISA, "Memory Consistency Model", "Proxies"). An asynchronous
// operation is a thread of its own that starts with what its issuer knows and whose end is known to who waits for it.
//
// One checker per cluster. All addresses are shared::cluster addresses (exec/warp.h). What finds something throws Stop.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tools/emulator/check/knowledge.h"
#include "tools/emulator/exec/warp.h"

namespace emu {

// What somebody who waits learns. Copyable and cheap. Empty: nothing.
class SyncPoint {
 public:
  bool empty() const { return knowledge_.empty(); }
  void Clear() { knowledge_ = {}; }

 private:
  friend class Checker;
  Knowledge knowledge_;
};

// An asynchronous operation as the checker sees it. 0 is none.
using AsyncId = std::uint64_t;

class Checker {
 public:
  explicit Checker(Cluster* cluster);
  ~Checker();

  // --- Ordinary accesses (generic proxy) of the lanes in `mask`: [address[lane], + bytes). `op` is kept for messages.
  void Read(const Warp& warp, const Op& op, LaneMask mask, const std::uint32_t* address, std::uint32_t bytes);
  void Write(const Warp& warp, const Op& op, LaneMask mask, const std::uint32_t* address, std::uint32_t bytes);
  // Strong accesses (volatile, relaxed, acquire, release, atomics) do not race with each other, only with weak ones.
  void Strong(const Warp& warp, const Op& op, LaneMask mask, const std::uint32_t* address, std::uint32_t bytes,
              bool write);

  // --- Order between threads.
  // bar.warp.sync: each lane of `mask` learns what the others know.
  void SyncLanes(const Warp& warp, LaneMask mask);
  // The point learns what the lanes know; their time goes on. Whatever the lanes did before must have been told before:
  // UseBarrier and Remote come first. `relaxed` (arrivals and stores without release): the point learns only what the
  // lanes knew at their last Fence, and the barriers that FenceMbarrierInit has published.
  void Release(const Warp& warp, LaneMask mask, SyncPoint* point, bool relaxed = false);
  // The lanes learn what the point knows. `relaxed`: at their next Fence.
  void Acquire(const Warp& warp, LaneMask mask, const SyncPoint& point, bool relaxed = false);
  // fence.acq_rel, fence.sc, membar: for the relaxed operations above.
  void Fence(const Warp& warp, LaneMask mask);
  // The second point's knowledge is added to the first.
  void Join(SyncPoint* into, const SyncPoint& from);
  // fence.proxy.async: all that the lanes know of is visible to the async proxy.
  void FenceProxyAsync(const Warp& warp, LaneMask mask);

  // --- Asynchronous operations.
  // Starts one. `lanes`: who issues it, with what they know (several lanes: what all of them know together).
  AsyncId Begin(const Warp& warp, const Op& op, LaneMask lanes);
  // The lanes that know what this one knows, but for what each did itself.
  LaneMask Alike(const Warp& warp, std::uint32_t lane);
  // What it reads and writes in shared memory, through the async proxy unless `generic`. May be called at any time between
  // Begin and End: what is found is the same. Best at once: a read before the wait is then told as such and not as a read
  // of memory that nothing has written. An operation that signals several barriers is one operation for each. `by`, not 0:
  // which of the issuing lanes this is the doing of: it knows what it did itself, not what the others did.
  // `unwritten_too`: what nothing has written may be among it, as in rows of a wgmma's operand that no result is taken from.
  void AsyncRead(AsyncId id, std::uint32_t address, std::uint32_t bytes, bool unwritten_too = false);
  void AsyncWrite(AsyncId id, std::uint32_t address, std::uint32_t bytes, bool generic = false,
                  LaneMask by = 0);
  // A reduction into shared memory, which does not race with other strong accesses.
  void AsyncStrong(AsyncId id, std::uint32_t address, std::uint32_t bytes, bool generic = false,
                   LaneMask by = 0);
  // Its accesses are over; who acquires the point knows it.
  void End(AsyncId id, SyncPoint* point);
  // An operation whose end the threads of a CTA whose memory it touches do not know when they exit is reported then. (For
  // a copy to global memory the end of its reads is enough: cp.async.bulk.wait_group.read.)

  // cp.async without bulk: each lane for itself writes [address[lane], + bytes) through the generic proxy, some time
  // between now and its wait. What one thread copies completes in the order of issue, so that the result stands for the
  // copies of these lanes up to now. No Begin, no End.
  AsyncId Copy(const Warp& warp, const Op& op, LaneMask mask, const std::uint32_t* address,
               std::uint32_t bytes);
  // cp.async.wait_group: each lane learns of its own copies up to `last`. 0: of none.
  void AcquireCopies(const Warp& warp, LaneMask mask, AsyncId last);
  // cp.async.mbarrier.arrive, when it is issued: the point learns what the lanes know, and of all their copies. Join it to
  // the barrier's point when the copies are over.
  void ReleaseCopies(const Warp& warp, LaneMask mask, SyncPoint* point);

  // --- mbarriers. Init makes the bytes a barrier: ordinary accesses to them are kBarrierMisuse until Invalidate. The fence
  // that publishes it to the cluster and the async proxy is fence.mbarrier_init or fence.proxy.async by the same thread
  // (or, for use by threads of the same CTA, any ordering); UseBarrier checks that it happened before this use.
  void InitBarrier(const Warp& warp, const Op& op, std::uint32_t lane, std::uint32_t address);
  void InvalidateBarrier(const Warp& warp, const Op& op, std::uint32_t lane, std::uint32_t address);
  void FenceMbarrierInit(const Warp& warp, LaneMask mask);
  void UseBarrier(const Warp& warp, const Op& op, std::uint32_t lane, std::uint32_t address);
  void UseBarrier(AsyncId id, std::uint32_t address, LaneMask by = 0);  // complete_tx by a copy

  // --- Life of CTAs.
  // `lane` (or the operation) addresses the shared memory or a barrier of another CTA: must be over before that CTA exits.
  // Accesses, UseBarrier and the operations' reads and writes above imply it.
  void Remote(const Warp& warp, const Op& op, std::uint32_t lane, std::uint32_t rank);
  void Remote(AsyncId id, std::uint32_t rank);
  // The lanes exit.
  void Exit(const Warp& warp, LaneMask mask);
  // Every thread of the cluster has exited: reports unfinished operations and CTAs that could have been gone.
  void Finish();

 private:
  struct State;
  State& state();

  Cluster* cluster_;
  std::unique_ptr<State> state_;  // made when it is needed first: the cluster has its CTAs then
};

}  // namespace emu
