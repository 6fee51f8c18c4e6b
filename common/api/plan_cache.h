// The plans that one thread's calls of Gemm() remember.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "common/api/plan_state.h"
#include "gemm/gemm.h"

namespace gemm::api {

// Everything that decides about a plan but the workspace, as words that can be compared at once: sizes, four
// operands, compute type, scalar mode, device. A context is not part of it: kernels are found per device and
// run in any context.
struct PlanKey {
  std::array<std::int64_t, 27> words{};
  std::uint64_t hash = 0;

  PlanKey() = default;
  PlanKey(const Problem& problem, int device) noexcept;
};

// The kCapacity plans that were used last. Not thread-safe: each thread has its own.
class PlanCache {
 public:
  static constexpr std::size_t kCapacity = 64;

  // The plan for `key` that a workspace of `workspace_size` bytes leads to, or null. Allocates nothing.
  const PlanState* Find(const PlanKey& key, std::size_t workspace_size) noexcept;

  // Remembers `plan`, in the place of the one that was used least recently when all places are taken. The
  // pointer is good until the next Insert.
  const PlanState* Insert(const PlanKey& key, std::unique_ptr<const PlanState> plan) noexcept;

 private:
  // Hashes lie together so that a look-up touches 512 bytes, not 64 plans.
  std::array<std::uint64_t, kCapacity> hashes_{};
  std::array<std::uint64_t, kCapacity> used_{};  // when, by clock_
  std::array<PlanKey, kCapacity> keys_{};
  std::array<std::unique_ptr<const PlanState>, kCapacity> plans_{};
  std::size_t size_ = 0;
  std::uint64_t clock_ = 0;
};

}  // namespace gemm::api
