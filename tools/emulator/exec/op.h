// One lowered instruction, and what its handler may do.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

namespace emu {

class Warp;
struct Op;

// What became of an op for the lanes in Warp::active().
enum class Flow : std::uint8_t {
  kNext,   // done: on to the next op
  kBlock,  // not yet: nothing was changed; ask again when the cluster has made progress (Warp::BlockedOn says on what)
  kMoved,  // done, and the handler has set where the lanes go (branches, exit, call)
};

using Handler = Flow (*)(Warp&, const Op&);

// What an instruction needs beyond Op's fields. Owned by the Program.
struct Details {
  virtual ~Details() = default;
};

struct Op {
  static constexpr std::uint32_t kNone = 0xffffffff;

  Handler run = nullptr;
  // Byte offsets into the warp's register file (Warp::Lanes); which is which is the handler's own matter.
  std::uint32_t at[6] = {kNone, kNone, kNone, kNone, kNone, kNone};
  std::int64_t imm = 0;
  const Details* details = nullptr;
  std::uint32_t guard = kNone;  // a predicate's offset
  bool guard_negated = false;
  // True for ops that any subset of lanes may run only together (".aligned"): the machine brings the warp's lanes together
  // first and reports kDivergence when they cannot come.
  bool aligned = false;
  std::int32_t target = -1;       // of a branch: index of an op
  std::int32_t reconvergence = -1;
  std::int32_t line = 0;          // of the PTX text
  // Offsets of the registers that the instruction names, read or written. For CheckInFlight.
  std::span<const std::uint32_t> registers;
  const char* name = "";          // "cp.async.bulk.tensor.3d": for messages; owned by the Program
};

}  // namespace emu
