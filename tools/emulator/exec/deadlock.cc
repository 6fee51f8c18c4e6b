// The table of who waits for what.
#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "tools/emulator/exec/async_queue.h"
#include "tools/emulator/exec/scheduler.h"

namespace emu {
namespace {

constexpr std::size_t kMostRows = 64, kMostNames = 8;

const Op& OpOf(const Warp& warp, const Fragment& fragment) {
  return warp.grid().program->ops[static_cast<std::size_t>(fragment.pc)];
}

// Warps of a CTA that stand at the same place for the same reason.
struct Row {
  const Op* op = nullptr;
  LaneMask mask = 0;
  std::uint64_t object = 0;
  std::vector<std::uint32_t> warps;
  std::string why;

  bool operator==(const Row& other) const {
    return op == other.op && mask == other.mask && object == other.object && warps == other.warps;
  }
};

// Of a CTA, and the CTAs of other clusters whose rows are the same.
struct Part {
  const Cta* cta = nullptr;
  std::size_t clusters = 1;  // CTAs of its cluster
  std::vector<Row> rows;
  std::vector<const Cta*> same;
};

std::string Why(const Warp& warp, const Fragment& fragment) {
  if (fragment.wait == Wait::kNone) return "runs, and only polls";
  std::string why = fmt::format("waits for {}", fragment.what);
  if (fragment.wait == Wait::kProgress) why += fmt::format(" {:#x}", fragment.object);
  if (fragment.explain != nullptr) why += "; " + fragment.explain(warp, OpOf(warp, fragment));
  return why;
}

void AddRows(const Warp& warp, std::vector<Row>* rows) {
  for (const Fragment& fragment : warp.exec->fragments.list()) {
    Row row{&OpOf(warp, fragment), fragment.mask, fragment.object, {warp.index()}, Why(warp, fragment)};
    const auto like = std::find_if(rows->begin(), rows->end(), [&](const Row& other) {
      return other.op == row.op && other.mask == row.mask && other.why == row.why;
    });
    if (like == rows->end()) {
      rows->push_back(std::move(row));
    } else if (like->warps.back() != warp.index()) {
      like->warps.push_back(warp.index());
    }
  }
}

std::string Name(const Cta& cta) { return fmt::format("CTA ({}, {}, {})", cta.id.x, cta.id.y, cta.id.z); }

// "warp  3", "warps 4-11", "warps 1, 4-6"
std::string Name(const std::vector<std::uint32_t>& warps) {
  if (warps.size() == 1) return fmt::format("warp {:2}", warps[0]);
  std::string name;
  for (std::size_t i = 0; i < warps.size();) {
    std::size_t last = i;
    while (last + 1 < warps.size() && warps[last + 1] == warps[last] + 1) ++last;
    name += fmt::format("{}{}", name.empty() ? "warps " : ", ", warps[i]);
    if (last > i) name += fmt::format("-{}", warps[last]);
    i = last + 1;
  }
  return name;
}

std::string Text(const Part& part) {
  std::string text;
  for (const Row& row : part.rows) {
    text += "  " + Name(*part.cta);
    if (part.clusters > 1) text += fmt::format(" rank {}", part.cta->rank);
    text += fmt::format(" {} lanes {:#010x}  line {:6}  {}: {}\n", Name(row.warps), row.mask, row.op->line,
                        row.op->name, row.why);
  }
  if (part.same.empty()) return text;
  text += "  the same:";
  for (std::size_t i = 0; i < part.same.size() && i < kMostNames; ++i) {
    text += fmt::format("{}{}", i == 0 ? " " : ", ", Name(*part.same[i]));
  }
  if (part.same.size() > kMostNames) text += fmt::format(" and {} more", part.same.size() - kMostNames);
  return text + "\n";
}

void AddPart(Part part, std::vector<Part>* parts) {
  const auto like = std::find_if(parts->begin(), parts->end(), [&](const Part& other) {
    return other.cta->rank == part.cta->rank && other.rows == part.rows;
  });
  if (like == parts->end()) {
    parts->push_back(std::move(part));
  } else {
    like->same.push_back(part.cta);
  }
}

std::string Table(const std::vector<Part>& parts) {
  std::string table;
  std::size_t rows = 0, left_out = 0;
  for (const Part& part : parts) {
    if (rows >= kMostRows) {
      left_out += part.rows.size();
    } else {
      table += Text(part);
    }
    rows += part.rows.size();
  }
  if (left_out > 0) table += fmt::format("  and {} more\n", left_out);
  return table;
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
  std::vector<Part> parts;
  std::size_t operations = 0;
  bool first = true;
  for (const auto& running : clusters_) {
    operations += running->cluster->queue->size();
    std::map<const Cta*, std::vector<Row>> rows;
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
      }
      AddRows(*warp, &rows[&warp->cta()]);
    }
    for (const auto& cta : running->cluster->ctas) {
      if (rows[cta.get()].empty()) continue;
      AddPart({cta.get(), running->cluster->ctas.size(), std::move(rows[cta.get()]), {}}, &parts);
    }
  }
  finding.message = polling ? "nobody has done anything but poll for long:\n" : "nobody can go on:\n";
  finding.message += Table(parts);
  if (operations > 0)
    finding.message += fmt::format("  {} asynchronous operations wait for others\n", operations);
  throw Stop(finding);
}

}  // namespace emu
