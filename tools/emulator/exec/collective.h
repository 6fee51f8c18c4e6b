// Lanes that must execute an instruction together (PTX ISA, "shfl.sync", "vote.sync", "match.sync", "redux.sync",
// "elect.sync", "bar.warp.sync"): those that a member mask names. They may be in several fragments, and at several
// instructions of one kind with the same qualifiers.
#pragma once

#include <array>
#include <cstdint>

#include "tools/emulator/exec/op.h"
#include "tools/emulator/exec/warp.h"

namespace emu {

struct Party {
  struct Part {
    const Op* op;
    LaneMask lanes;
    int fragment;
  };
  std::array<Part, kWarpSize> parts;
  int count = 0;
  LaneMask lanes = 0;    // all of them
  LaneMask members = 0;  // the mask that they name
};

// What one kind of instruction does when its lanes are there.
using Together = void (*)(Warp& warp, const Party& party);

// Runs `together` once for each group of active lanes that name the same members, in op.at[5] (std::uint32_t[32]), when all
// members that have not exited have come; waits for them otherwise. Ops of one kind have the same `run`, imm and name.
Flow Assemble(Warp& warp, const Op& op, Together together);

// For instructions without a member mask: the active lanes as they are.
Flow AsTheyAre(Warp& warp, const Op& op, Together together);

// Value of type T in each lane of the party, from operand `operand` of each part's op.
template <class T>
void Collect(Warp& warp, const Party& party, int operand, T (&values)[kWarpSize]) {
  for (int i = 0; i < party.count; ++i) {
    const T* from = warp.Lanes<T>(party.parts[i].op->at[operand]);
    for (std::uint32_t lane : Each(party.parts[i].lanes)) values[lane] = from[lane];
  }
}
template <class T>
void Distribute(Warp& warp, const Party& party, int operand, const T (&values)[kWarpSize]) {
  for (int i = 0; i < party.count; ++i) {
    if (party.parts[i].op->at[operand] == Op::kNone) continue;
    T* to = warp.Lanes<T>(party.parts[i].op->at[operand]);
    for (std::uint32_t lane : Each(party.parts[i].lanes)) to[lane] = values[lane];
  }
}
// A predicate operand of the lanes of the party; `negated`: by part.
LaneMask CollectMask(Warp& warp, const Party& party, int operand, bool (*negated)(const Op&));
void DistributeMask(Warp& warp, const Party& party, int operand, LaneMask value);

}  // namespace emu
