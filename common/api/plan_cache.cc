#include "common/api/plan_cache.h"

#include <algorithm>
#include <utility>

namespace gemm::api {

// Names every field of both structs, or it does not compile: one that is added must become part of the key.
PlanKey::PlanKey(const Problem& problem, int device) noexcept {
  const auto& [m, n, k, batch, a, b, c, d, compute, scalars] = problem;
  std::size_t count = 0;
  const auto add = [&](auto word) { words[count++] = static_cast<std::int64_t>(word); };
  for (const std::int64_t size : {m, n, k, batch}) add(size);
  for (const Matrix* matrix : {&a, &b, &c, &d}) {
    const auto& [type, layout, ld, batch_stride, alignment] = *matrix;
    add(type);
    add(layout);
    add(ld);
    add(batch_stride);
    add(alignment);
  }
  add(compute);
  add(scalars);
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
