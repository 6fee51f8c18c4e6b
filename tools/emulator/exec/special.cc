#include "tools/emulator/exec/special.h"

#include <cstring>
#include <map>

#include "tools/emulator/exec/machine.h"
#include "tools/emulator/exec/program.h"
#include "tools/emulator/exec/state.h"
#include "tools/emulator/exec/warp.h"

namespace emu {
namespace {

Dim3 Thread(const Warp& warp, std::uint32_t lane) {
  const Dim3& size = warp.grid().threads;
  const std::uint32_t thread = warp.ThreadInCta(lane);
  return {thread % size.x, thread / size.x % size.y, thread / size.x / size.y};
}
// 0 unless the launch is cooperative.
std::uint64_t Workspace(const Warp& warp) {
  const RunningGrid& grid = RunningGridOf(warp);
  return grid.workspace == nullptr ? 0 : grid.workspace->address();
}
Dim3 Over(const Dim3& a, const Dim3& b) { return {a.x / b.x, a.y / b.y, a.z / b.z}; }
Dim3 Within(const Dim3& a, const Dim3& b) { return {a.x % b.x, a.y % b.y, a.z % b.z}; }

#define EMU_DIM(prefix, expression)                                                                           \
  {prefix ".x", [](const Warp& w, std::uint32_t l) -> std::uint64_t { return (void)l, (expression).x; }},     \
      {prefix ".y", [](const Warp& w, std::uint32_t l) -> std::uint64_t { return (void)l, (expression).y; }}, \
  {                                                                                                           \
    prefix ".z", [](const Warp& w, std::uint32_t l) -> std::uint64_t { return (void)l, (expression).z; }      \
  }
#define EMU_VALUE(name, expression)                                                                      \
  {                                                                                                      \
    name, [](const Warp& w, std::uint32_t l) -> std::uint64_t { return (void)w, (void)l, (expression); } \
  }

const std::map<std::string, SpecialValue>& Table() {
  static const std::map<std::string, SpecialValue> table = {
      EMU_DIM("%tid", Thread(w, l)),
      EMU_DIM("%ntid", w.grid().threads),
      EMU_DIM("%ctaid", w.cta().id),
      EMU_DIM("%nctaid", w.grid().blocks),
      EMU_DIM("%clusterid", Over(w.cta().id, w.grid().cluster)),
      EMU_DIM("%nclusterid", Over(w.grid().blocks, w.grid().cluster)),
      EMU_DIM("%cluster_ctaid", Within(w.cta().id, w.grid().cluster)),
      EMU_DIM("%cluster_nctaid", w.grid().cluster),
      EMU_VALUE("%cluster_ctarank", w.cta().rank),
      EMU_VALUE("%cluster_nctarank", w.grid().cluster.count()),
      EMU_VALUE("%is_explicit_cluster", w.grid().explicit_cluster ? 1 : 0),
      EMU_VALUE("%laneid", l),
      EMU_VALUE("%warpid", w.index()),
      EMU_VALUE("%nwarpid", w.machine().limits().max_threads_per_sm / kWarpSize),
      EMU_VALUE("%smid", w.cta().barriers->sm),
      EMU_VALUE("%nsmid", w.machine().limits().sms),
      EMU_VALUE("%gridid", static_cast<std::uint64_t>(w.grid().index) + 1),
      EMU_VALUE("%envreg1", Workspace(w) >> 32),
      EMU_VALUE("%envreg2", Workspace(w) & 0xffffffff),
      EMU_VALUE("%lanemask_eq", 1u << l),
      EMU_VALUE("%lanemask_lt", (1u << l) - 1),
      EMU_VALUE("%lanemask_le", (2ull << l) - 1),
      EMU_VALUE("%lanemask_gt", kAllLanes & ~((2ull << l) - 1)),
      EMU_VALUE("%lanemask_ge", kAllLanes & ~((1u << l) - 1)),
      EMU_VALUE("%dynamic_smem_size", w.grid().dynamic_shared),
      EMU_VALUE("%total_smem_size", w.grid().shared_bytes),
      EMU_VALUE("%aggr_smem_size", w.grid().shared_bytes),
      // The emulator keeps nothing of its own in shared memory.
      EMU_VALUE("%reserved_smem_offset_begin", 0),
      EMU_VALUE("%reserved_smem_offset_end", 0),
      EMU_VALUE("%reserved_smem_offset_cap", 0),
      EMU_VALUE("%reserved_smem_offset_0", 0),
      EMU_VALUE("%reserved_smem_offset_1", 0),
      EMU_VALUE("%current_graph_exec", 0),
  };
  return table;
}
#undef EMU_DIM
#undef EMU_VALUE

bool Starts(const std::string& name, const char* prefix) { return name.rfind(prefix, 0) == 0; }

// Bits of the clock that a register shows: all, or the upper half.
int ClockShift(const std::string& name) { return name == "%clock_hi" || name == "%globaltimer_hi" ? 32 : 0; }
bool ClockIsHalf(const std::string& name) { return name != "%clock64" && name != "%globaltimer"; }

// imm: shift | half << 8; the number of bytes per lane is in at[1].
Flow ReadClock(Warp& warp, const Op& op) {
  std::uint64_t value = warp.machine().Clock() >> (op.imm & 63);
  if (op.imm >> 8 != 0) value &= 0xffffffff;
  for (int lane = 0; lane < kWarpSize; ++lane) {
    std::memcpy(warp.Lanes<std::byte>(op.at[0]) + static_cast<std::size_t>(lane) * op.at[1], &value, op.at[1]);
  }
  return Flow::kNext;
}

}  // namespace

bool ReadAtRunTime(const std::string& name) { return Starts(name, "%clock") || Starts(name, "%globaltimer"); }

bool KnownSpecial(const std::string& name) {
  if (ReadAtRunTime(name)) {
    return name == "%clock" || name == "%clock64" || name == "%clock_hi" || name == "%globaltimer" ||
           name == "%globaltimer_lo" || name == "%globaltimer_hi";
  }
  return Starts(name, "%envreg") || Starts(name, "%pm") || Table().count(name) != 0;
}

Op ReadSpecial(const std::string& name, std::uint32_t bytes, std::uint32_t at) {
  Op op;
  op.run = ReadClock;
  op.at[0] = at, op.at[1] = bytes;
  op.imm = ClockShift(name) | (ClockIsHalf(name) ? 256 : 0);
  return op;
}

SpecialValue FindSpecial(const std::string& name) {
  const auto found = Table().find(name);
  if (found != Table().end()) return found->second;
  return [](const Warp&, std::uint32_t) -> std::uint64_t { return 0; };
}

}  // namespace emu
