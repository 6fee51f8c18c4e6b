// The table of who waits for what.
#include <fmt/format.h>

#include "tools/emulator/exec/async_queue.h"
#include "tools/emulator/exec/scheduler.h"

namespace emu {
namespace {

constexpr std::size_t kMostRows = 64;

const Op& OpOf(const Warp& warp, const Fragment& fragment) {
  return warp.grid().program->ops[static_cast<std::size_t>(fragment.pc)];
}

std::string Row(const Warp& warp, const Fragment& fragment) {
  const Dim3& cta = warp.cta().id;
  const Op& op = OpOf(warp, fragment);
  std::string row = fmt::format("  CTA ({}, {}, {})", cta.x, cta.y, cta.z);
  if (warp.grid().cluster.count() > 1) row += fmt::format(" rank {}", warp.cta().rank);
  row +=
      fmt::format(" warp {:2} lanes {:#010x}  line {:6}  {}: ", warp.index(), fragment.mask, op.line, op.name);
  if (fragment.wait == Wait::kNone) return row + "runs, and only polls\n";
  row += fmt::format("waits for {}", fragment.what);
  if (fragment.wait == Wait::kProgress) row += fmt::format(" {:#x}", fragment.object);
  if (fragment.explain != nullptr) row += "; " + fragment.explain(warp, op);
  return row + "\n";
}

// The lanes that a fragment waits for wait for lanes themselves: they can never come together.
bool LanesWaitForLanes(const Warp& warp) {
  bool gather = false;
  for (const Fragment& fragment : warp.exec->fragments.list()) {
    if (fragment.wait != Wait::kGather && fragment.wait != Wait::kLanes) return false;
    gather = true;
  }
  return gather;
}

}  // namespace

void Scheduler::ReportDeadlock(bool polling) const {
  Finding finding;
  finding.kind = FindingKind::kDeadlock;
  std::string rows;
  std::size_t count = 0, operations = 0;
  bool first = true;
  for (const auto& running : clusters_) {
    operations += running->cluster->queue->size();
    for (const Warp* warp : running->warps) {
      const bool parted = LanesWaitForLanes(*warp);
      for (const Fragment& fragment : warp->exec->fragments.list()) {
        const Op& op = OpOf(*warp, fragment);
        const bool registers =
            fragment.wait == Wait::kProgress && std::string_view(op.name).starts_with("setmaxnreg");
        const bool blames = parted || registers;
        if (first || (blames && finding.kind == FindingKind::kDeadlock)) {
          finding.kernel = warp->grid().program->name;
          finding.line = op.line;
          if (parted) finding.kind = FindingKind::kDivergence;
          if (registers) finding.kind = FindingKind::kRegisterBudget;
        }
        first = false;
        if (++count <= kMostRows) rows += Row(*warp, fragment);
      }
    }
  }
  finding.message = polling ? "nobody has done anything but poll for long:\n" : "nobody can go on:\n";
  finding.message += rows;
  if (count > kMostRows) finding.message += fmt::format("  and {} more\n", count - kMostRows);
  if (operations > 0)
    finding.message += fmt::format("  {} asynchronous operations wait for others\n", operations);
  throw Stop(finding);
}

}  // namespace emu
