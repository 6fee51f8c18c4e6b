// Which clusters start, and when.
#include <algorithm>

#include "tools/emulator/async/state.h"
#include "tools/emulator/check/checker.h"
#include "tools/emulator/exec/async_queue.h"
#include "tools/emulator/exec/program.h"
#include "tools/emulator/exec/scheduler.h"
#include "tools/emulator/exec/warp_lanes.h"
#include "tools/emulator/memory/device_memory.h"
#include "tools/emulator/tensor/state.h"

namespace emu {
namespace {

std::uint32_t RoundUp(std::uint64_t value, std::uint32_t multiple) {
  return static_cast<std::uint32_t>((value + multiple - 1) / multiple * multiple);
}

// The registers per thread that a kernel starts with, when its directives tell (PTX ISA, "setmaxnreg", and
// "Performance-Tuning Directives"): .maxnreg, or what the launch bounds leave. 0: unknown.
std::uint32_t EntryRegisters(const Program& program, const DeviceLimits& limits) {
  constexpr std::uint32_t kMost = 256, kUnit = 8;
  if (program.max_registers != 0) return RoundUp(program.max_registers, kUnit);
  const std::uint64_t threads = std::max(program.required_threads.count(), program.max_threads.count());
  if (threads == 0) return 0;
  const std::uint64_t per_sm = RoundUp(threads, kWarpSize) * std::max<std::uint64_t>(1, program.min_ctas);
  return static_cast<std::uint32_t>(
      std::min<std::uint64_t>(kMost, limits.registers_per_sm / per_sm / kUnit * kUnit));
}

Dim3 Position(std::uint64_t index, const Dim3& size) {
  return {static_cast<std::uint32_t>(index % size.x), static_cast<std::uint32_t>(index / size.x % size.y),
          static_cast<std::uint32_t>(index / size.x / size.y)};
}

std::unique_ptr<Cta> MakeCta(Cluster* cluster, const RunningGrid& grid, std::uint32_t rank, std::uint32_t sm) {
  auto cta = std::make_unique<Cta>();
  const Dim3 within = Position(rank, grid.cluster);
  cta->cluster = cluster;
  cta->rank = rank;
  cta->id = {cluster->id.x * grid.cluster.x + within.x, cluster->id.y * grid.cluster.y + within.y,
             cluster->id.z * grid.cluster.z + within.z};
  cta->shared.assign(grid.shared_bytes, std::byte{DeviceMemory::kPoison});
  cta->async = std::make_unique<AsyncState>();
  cta->barriers = std::make_unique<CtaBarriers>();
  const auto threads = static_cast<std::uint32_t>(grid.threads.count());
  cta->barriers->live_threads = threads;
  cta->barriers->sm = sm;
  cta->barriers->pool = grid.entry_registers != 0;
  for (std::uint32_t i = 0; i * kWarpSize < threads; ++i) {
    auto warp = std::make_unique<Warp>(cta.get(), i);
    WarpLanes::Begin(*warp);
    warp->copies = std::make_unique<CopyState>();
    warp->wgmma = std::make_unique<WgmmaState>();
    warp->exec->registers = grid.entry_registers;
    cta->warps.push_back(std::move(warp));
  }
  return cta;
}

}  // namespace

Scheduler::Scheduler(Machine* machine, std::span<const LaunchRequest> chain)
    : machine_(*machine),
      random_(machine->random()),
      plain_(machine->seed() == 0),
      parts_(machine->seed() % 4 == 3),
      eager_dependents_(machine->seed() % 2 == 1),
      width_(plain_ ? 1 : 1 + machine->seed() % 3),
      residency_(machine->limits()) {
  RunningGrid* before = nullptr;
  for (const LaunchRequest& request : chain) {
    auto grid = std::make_unique<RunningGrid>();
    const Program& program = *request.program;
    grid->machine = machine;
    grid->program = request.program;
    grid->blocks = request.blocks, grid->threads = request.threads, grid->cluster = request.cluster;
    if (grid->cluster.count() == 0) grid->cluster = {1, 1, 1};
    grid->explicit_cluster = grid->cluster.count() > 1 || program.required_cluster.count() > 0;
    grid->dynamic_shared = request.dynamic_shared;
    grid->shared_bytes = RoundUp(program.static_shared, program.dynamic_align) + request.dynamic_shared;
    if (request.dynamic_shared == 0) grid->shared_bytes = program.static_shared;
    grid->params = request.params;
    grid->index = static_cast<int>(grids_.size());
    grid->programmatic = request.programmatic && before != nullptr;
    if (grid->programmatic) grid->before = before;
    grid->ctas = request.blocks.count();
    grid->entry_registers = EntryRegisters(program, machine->limits());
    if (request.cooperative) grid->workspace = std::make_unique<GridWorkspace>(&machine->memory());
    before = grid.get();
    grids_.push_back(std::move(grid));
  }
}

// The first grid that has clusters to start and may start them; null when there is none.
RunningGrid* Scheduler::Startable() {
  bool all_done = true;
  for (const auto& grid : grids_) {
    const bool allowed = grid->programmatic ? grid->before->started == grid->before->ctas &&
                                                  grid->before->triggered == grid->before->ctas
                                            : all_done;
    if (!allowed) return nullptr;
    if (grid->started < grid->ctas) return grid.get();
    all_done = all_done && grid->Done();
  }
  return nullptr;
}

// Whether a grid could start before the end of the one it depends on.
bool Scheduler::DependentsCouldStart() {
  const RunningGrid* grid = grids_.size() > 1 ? Startable() : nullptr;
  return grid != nullptr && grid->started == 0 && grid->before != nullptr && !grid->before->Done();
}

bool Scheduler::Admit() {
  RunningGrid* grid = Startable();
  if (grid == nullptr) return false;
  auto running = std::make_unique<RunningCluster>();
  CtaNeeds& needs = running->needs;
  const DeviceLimits& limits = machine_.limits();
  const auto threads = static_cast<std::uint32_t>(grid->threads.count());
  needs.threads = RoundUp(threads, kWarpSize);
  needs.shared = grid->shared_bytes + limits.shared_reserved_per_block;
  needs.registers = needs.threads * grid->program->max_registers;
  if (!residency_.Take(needs, static_cast<std::uint32_t>(grid->cluster.count()), &running->sms)) return false;
  Start(*grid, running.get());
  clusters_.push_back(std::move(running));
  return true;
}

void Scheduler::Start(RunningGrid& grid, RunningCluster* running) {
  running->cluster = std::make_unique<Cluster>();
  Cluster& cluster = *running->cluster;
  cluster.grid = &grid;
  const Dim3 clusters{grid.blocks.x / grid.cluster.x, grid.blocks.y / grid.cluster.y,
                      grid.blocks.z / grid.cluster.z};
  cluster.id = Position(grid.next_cluster++, clusters);
  cluster.barrier = std::make_unique<ClusterBarrier>();
  const auto ctas = static_cast<std::uint32_t>(grid.cluster.count());
  for (std::uint32_t rank = 0; rank < ctas; ++rank) {
    cluster.ctas.push_back(MakeCta(&cluster, grid, rank, running->sms[rank]));
    for (const auto& warp : cluster.ctas.back()->warps) running->warps.push_back(warp.get());
  }
  cluster.barrier->live_threads = ctas * static_cast<std::uint32_t>(grid.threads.count());
  cluster.checker = std::make_unique<Checker>(&cluster);
  cluster.queue = std::make_unique<AsyncQueue>(&cluster);
  grid.started += ctas;
}

}  // namespace emu
