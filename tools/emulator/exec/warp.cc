#include "tools/emulator/exec/warp.h"

#include <fmt/core.h>

#include "tools/emulator/async/state.h"
#include "tools/emulator/exec/async_queue.h"
#include "tools/emulator/exec/lowering.h"
#include "tools/emulator/exec/program.h"
#include "tools/emulator/exec/state.h"
#include "tools/emulator/tensor/state.h"

namespace emu {

Warp::Warp(Cta* cta, std::uint32_t index) : cta_(cta), index_(index) {}
Warp::~Warp() = default;

void Warp::BlockedOn(const char* what, std::uint64_t object, Explain explain) {
  Fragment& fragment = exec->fragments.current();
  fragment.what = what;
  fragment.object = object;
  fragment.explain = explain;
}

std::string Warp::Name(std::uint32_t lane) const {
  const Dim3& threads = grid().threads;
  const std::uint32_t thread = ThreadInCta(lane);
  const Dim3& cta = cta_->id;
  std::string name =
      fmt::format("thread ({}, {}, {}) of CTA ({}, {}, {})", thread % threads.x, thread / threads.x % threads.y,
                  thread / threads.x / threads.y, cta.x, cta.y, cta.z);
  if (grid().cluster.count() > 1) name += fmt::format(", cluster rank {}", cta_->rank);
  return name + fmt::format(", warp {}, lane {}", index_, lane);
}

void Warp::Fail(FindingKind kind, const Op& op, std::uint32_t lane, const std::string& message) const {
  throw Stop({kind, grid().program->name, op.line, fmt::format("{} by {}: {}", op.name, Name(lane), message)});
}

Cta* Cluster::OwnerOf(std::uint32_t shared_address) {
  const std::uint32_t rank = shared_address >> kRankShift;
  return rank < ctas.size() ? ctas[rank].get() : nullptr;
}

std::byte* Cluster::Shared(const Warp& by, const Op& op, std::uint32_t lane, std::uint32_t address,
                           std::uint32_t bytes) {
  Cta* owner = OwnerOf(address);
  if (owner == nullptr) {
    by.Fail(
        FindingKind::kOutOfBounds, op, lane,
        fmt::format("shared address {:#x} is of no CTA of the cluster, which has {}", address, ctas.size()));
  }
  const std::uint32_t offset = address & ((1u << kRankShift) - 1);
  if (offset > owner->shared.size() || bytes > owner->shared.size() - offset) {
    by.Fail(
        FindingKind::kOutOfBounds, op, lane,
        fmt::format("{} bytes at offset {} of the shared memory of the CTA with rank {}, which has {} bytes",
                    bytes, offset, owner->rank, owner->shared.size()));
  }
  if (owner->exited) {
    by.Fail(FindingKind::kClusterExit, op, lane,
            fmt::format("the CTA with rank {}, whose shared memory is addressed, has exited", owner->rank));
  }
  return owner->shared.data() + offset;
}

void LaneAddresses(const Warp& warp, const AddressOperand& operand, LaneMask mask,
                   std::uint64_t (&out)[kWarpSize]) {
  const auto offset = static_cast<std::uint64_t>(operand.offset);
  if (operand.wide) {
    const auto* base = warp.Lanes<std::uint64_t>(operand.base);
    for (std::uint32_t lane : Each(mask)) out[lane] = base[lane] + offset;
  } else {
    const auto* base = warp.Lanes<std::uint32_t>(operand.base);
    for (std::uint32_t lane : Each(mask)) out[lane] = static_cast<std::uint32_t>(base[lane] + offset);
  }
}

}  // namespace emu
