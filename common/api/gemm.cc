// The one-call Gemm().
#include "gemm/gemm.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>

#include "common/api/guard.h"
#include "common/api/plan_cache.h"
#include "common/api/plan_state.h"
#include "common/base/data_type.h"
#include "common/driver/driver.h"

namespace gemm {
namespace {

// Kernels make no use of more.
constexpr std::uintptr_t kMostAlignment = 16;

// What an address can promise. Not below an element, so that a worse address is refused by Run, in its own
// words.
std::int32_t AlignmentOf(const void* address, DataType type) {
  const auto value = reinterpret_cast<std::uintptr_t>(address) | kMostAlignment;
  const std::uintptr_t lowest_bit = value & (~value + 1);
  return static_cast<std::int32_t>(std::max<std::uintptr_t>(lowest_bit, std::max(base::ElementBytes(type), 1)));
}

Problem WithAlignments(const Problem& problem, const Arguments& args) {
  Problem out = problem;
  out.a.alignment = AlignmentOf(args.a, problem.a.type);
  out.b.alignment = AlignmentOf(args.b, problem.b.type);
  out.d.alignment = AlignmentOf(args.d, problem.d.type);
  const bool reads_c = problem.scalars != ScalarMode::kHost || args.beta != 0.0f;
  out.c.alignment = AlignmentOf(reads_c ? args.c : nullptr, problem.c.type);
  return out;
}

// Both may still be looked at when the thread's other objects have been destroyed. The cache is on the heap and never seen
// by two threads.
thread_local api::PlanCache* thread_cache = nullptr;
thread_local bool thread_has_ended = false;

struct CacheOwner {
  ~CacheOwner() {
    thread_has_ended = true;
    delete std::exchange(thread_cache, nullptr);
  }
};

// Null once the thread's cache has been destroyed: destructors of static objects may still call Gemm().
api::PlanCache* ThreadCache() {
  if (thread_cache == nullptr && !thread_has_ended) [[unlikely]] {
    thread_local const CacheOwner owner;
    thread_cache = new api::PlanCache;
  }
  return thread_cache;
}

}  // namespace

Status Gemm(const Problem& problem, const Arguments& args) noexcept {
  return api::Guarded([&] {
    const Problem exact = WithAlignments(problem, args);
    PlanOptions options;
    options.max_workspace = args.workspace == nullptr ? 0 : args.workspace_size;
    // A failure is left to MakePlanState, which looks at the problem first.
    if (!driver::CurrentDevice(&options.device).ok()) options.device = -1;
    const api::PlanKey key(exact, std::max(options.device, 0));
    api::PlanCache* const cache = ThreadCache();
    const api::PlanState* plan = cache == nullptr ? nullptr : cache->Find(key, options.max_workspace);
    if (plan != nullptr) return api::RunPlan(*plan, args);
    auto made = std::make_unique<api::PlanState>();
    if (Status status = api::MakePlanState(exact, options, made.get()); !status.ok()) return status;
    if (cache == nullptr) return api::RunPlan(*made, args);
    return api::RunPlan(*cache->Insert(key, std::move(made)), args);
  });
}

}  // namespace gemm
