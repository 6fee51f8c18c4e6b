// The parts of a Checker together.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tools/emulator/check/barriers.h"
#include "tools/emulator/check/checker.h"
#include "tools/emulator/check/operations.h"
#include "tools/emulator/check/shadow.h"
#include "tools/emulator/check/sites.h"
#include "tools/emulator/check/warp_knowledge.h"

namespace emu {

// Somebody who did something: a thread, an asynchronous operation or the cp.async of a thread.
struct Actor {
  const Warp* warp = nullptr;  // the thread, or who issued
  std::uint32_t lane = 0;
  const Op* op = nullptr;  // null when it is not known any more
  bool asynchronous = false, copy = false;
  std::uint32_t slot = 0, time = 0;
  std::uint32_t issuer = 0, issue_time = 0;  // of an operation; see Operation

  // "st.shared.b32 at PTX line 12 by thread ..."; "cp.async.bulk issued at PTX line 12 by thread ..."
  std::string Text() const;
};

struct Checker::State : ConflictHandler {
  // `cluster` has its CTAs and its grid.
  explicit State(Cluster* cluster);

  // The last access to the memory or a barrier of a CTA that must be over before it exits.
  struct Touch {
    std::uint32_t time = 0;
    std::uint16_t site = 0;
  };

  WarpKnowledge& Of(const Warp& warp) { return warps[warp.cta().rank * warps_per_cta + warp.index()]; }
  std::uint32_t Slot(const Warp& warp, std::uint32_t lane) { return Of(warp).first_slot() + lane; }

  // Where the access is. False when that is in no shared memory: who executes the instruction reports it.
  bool Place(std::uint32_t address, std::uint32_t bytes, Access* access) const;
  // `access` says its kind and bytes.
  void Lanes(const Warp& warp, const Op& op, LaneMask mask, const std::uint32_t* address, Access access);
  void Reads(const Warp& warp, const Op& op, LaneMask mask, const std::uint32_t* address, std::uint32_t bytes);
  void Async(std::uint32_t slot, std::uint32_t time, std::uint32_t address, std::uint32_t bytes,
             AccessKind kind, bool generic, LaneMask by, bool unwritten_too = false);
  void NoteTouch(std::uint32_t rank, std::uint32_t slot, std::uint32_t time, std::uint16_t site);

  // barrier_life.cc
  void StartBarrier(const Warp& warp, const Op& op, std::uint32_t lane, std::uint32_t address);
  void EndBarrier(const Warp& warp, const Op& op, std::uint32_t lane, std::uint32_t address);
  void UseBarrier(const Warp& warp, const Op& op, std::uint32_t lane, std::uint32_t address);
  void UseBarrier(std::uint32_t slot, std::uint32_t time, std::uint32_t address, LaneMask by);

  // The CTA has exited: reports who may still have addressed it.
  void CheckExit(std::uint32_t rank) const;

  // report.cc
  Actor ActorOf(std::uint32_t slot, std::uint32_t time, std::uint16_t site) const;
  [[noreturn]] void OnConflict(const Conflict& conflict) override;
  [[noreturn]] void FailBarrier(const Actor& actor, std::uint32_t address, const BarrierLife* life,
                                const std::string& why) const;
  [[noreturn]] void FailExit(std::uint32_t rank, const Actor& actor) const;
  [[noreturn]] void FailOpen(const Actor& actor) const;
  std::string HistoryText(std::uint32_t rank, std::uint32_t offset) const;
  std::string HistoryText(const BarrierLife& life) const;
  std::string PlaceText(std::uint32_t rank, std::uint32_t offset, std::uint32_t bytes) const;

  Cluster* cluster;
  std::uint32_t warps_per_cta;
  std::vector<std::uint32_t> shared_bytes;  // by rank
  std::vector<WarpKnowledge> warps;         // by rank, then index in the CTA
  Operations operations;
  Shadow shadow;
  Sites sites;
  Barriers barriers;
  std::vector<Knowledge> exits;             // by rank: what the threads that have exited knew
  std::vector<std::vector<Touch>> touches;  // by rank, then slot
};

}  // namespace emu
