// Bulk copies under way: into shared memory, counted by mbarriers; out of it, in groups of the thread (PTX ISA, "Bulk
// copy", "Asynchronous Operations"). Addresses, sizes and coordinates are taken when a copy is issued; data is read when it
// is performed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "tools/emulator/async/operands.h"

namespace emu {

// The side of a copy that is not the shared memory it fills or empties. In shared memory it is `units` of `unit_bytes`, each
// with `unit_gap` bytes that are not touched; within a unit and its gap the order is the transfer's own.
class Transfer {
 public:
  virtual ~Transfer() = default;
  std::uint32_t units = 0;
  std::uint32_t unit_bytes = 0;
  std::uint32_t unit_gap = 0;
  // What an mbarrier counts, and what it lies in.
  std::uint32_t bytes() const { return units * unit_bytes; }
  std::uint32_t pitch() const { return unit_bytes + unit_gap; }
  std::uint32_t span() const { return units * pitch(); }

  // Puts units [first, last) to `shared`, which is at `offset` of its CTA's shared memory and takes unit `first`.
  virtual void Load(std::uint32_t first, std::uint32_t last, std::byte* shared, std::uint32_t offset) const;
  // Takes all units from `shared`, a copy of what was at `offset` of the CTA's shared memory.
  virtual void Store(const std::byte* shared, std::uint32_t offset) const;
  using Range = std::function<void(std::uint32_t at, std::uint32_t bytes)>;
  // Calls visit(at, bytes) for what Load writes, as ranges of what begins at `offset`.
  virtual void VisitLoaded(std::uint32_t first, std::uint32_t last, std::uint32_t offset,
                           const Range& visit) const;
  // The same for what Store takes to its destination: what lies out of a tensor's bounds goes nowhere, so that it may be
  // anything.
  virtual void VisitStored(std::uint32_t offset, const Range& visit) const;
};

// A copy to the shared address `to`, whose end the barrier in the same CTA counts. `from`: the source, when it is shared
// memory. `reduces`: it combines with what is there. `lanes`: unit i is the doing of number i of them, each for itself; 0: all
// is that of the lane which issues it.
struct Landing {
  std::uint32_t to = 0;
  std::uint32_t barrier = 0;
  std::optional<std::uint32_t> from = std::nullopt;
  bool reduces = false;
  bool generic = false;  // not through the async proxy
  LaneMask lanes = 0;
};
void IssueLanding(const Who& who, std::shared_ptr<const Transfer> transfer, const Landing& landing);

// A copy from the shared address `from`, part of the lane's open group.
void IssueStore(const Who& who, std::shared_ptr<const Transfer> transfer, std::uint32_t from);

// cp.async.bulk.commit_group and wait_group.
Op LowerBulkGroup(const ptx::Instruction& instruction, Lowering& lowering);

}  // namespace emu
