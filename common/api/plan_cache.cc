#include "common/api/plan_cache.h"

#include <algorithm>
#include <utility>

namespace gemm::api {

// A field added to these structs must be added to the key.
static_assert(sizeof(Matrix) == 32 && sizeof(Problem) == 4 * 8 + 4 * sizeof(Matrix) + 8);

PlanKey::PlanKey(const Problem& problem, int device) noexcept {
  std::size_t count = 0;
  const auto add = [&](std::int64_t word) { words[count++] = word; };
  add(problem.m);
  add(problem.n);
  add(problem.k);
  add(problem.batch);
  for (const Matrix* matrix : {&problem.a, &problem.b, &problem.c, &problem.d}) {
    add(static_cast<std::int64_t>(matrix->type));
    add(static_cast<std::int64_t>(matrix->layout));
    add(matrix->ld);
    add(matrix->batch_stride);
    add(matrix->alignment);
  }
  add(static_cast<std::int64_t>(problem.compute));
  add(static_cast<std::int64_t>(problem.scalars));
  add(device);
  // Multiply and fold; an odd multiplier keeps all bits in play. Equality is decided by the words.
  hash = 0x9e3779b97f4a7c15u;
  for (const std::int64_t word : words) {
    hash = (hash ^ static_cast<std::uint64_t>(word)) * 0xd6e8feb86659fd93u;
    hash ^= hash >> 32;
  }
}

const PlanState* PlanCache::Find(const PlanKey& key, std::size_t workspace_size) noexcept {
  for (std::size_t i = 0; i < size_; ++i) {
    if (hashes_[i] != key.hash || keys_[i].words != key.words) continue;
    if (workspace_size < plans_[i]->workspace_least || workspace_size > plans_[i]->workspace_most) continue;
    used_[i] = ++clock_;
    return plans_[i].get();
  }
  return nullptr;
}

const PlanState* PlanCache::Insert(const PlanKey& key, std::unique_ptr<const PlanState> plan) noexcept {
  const std::size_t place =
      size_ < kCapacity
          ? size_++
          : static_cast<std::size_t>(std::min_element(used_.begin(), used_.end()) - used_.begin());
  hashes_[place] = key.hash;
  keys_[place] = key;
  used_[place] = ++clock_;
  plans_[place] = std::move(plan);
  return plans_[place].get();
}

}  // namespace gemm::api
